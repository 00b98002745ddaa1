"""The report about a program that fails."""

import pytest

pytestmark = pytest.mark.slow


def test_a_traceback_shows_the_program_alone(gradtape, script):
    path = script("import tensorflow as tf\ndef f():\n    tf.constant(None)\nf()\n")
    result = gradtape("run", path)
    assert result.returncode == 1
    lines = result.stderr.splitlines()
    assert [line for line in lines if line.lstrip().startswith("File")] == [
        f'  File "{path}", line 4, in <module>',
        f'  File "{path}", line 3, in f',
    ]
    assert "Error: " in lines[-1]


@pytest.mark.parametrize(
    ("text", "name", "where"),
    [
        ("import tensorflow as tf\nx = 1\ntf.no_such_thing(x)\n", "no_such_thing", "line 3"),
        ("import tensorflow as tf\ntf.math.no_such_thing\n", "math.no_such_thing", "line 2"),
        ("\nfrom tensorflow import no_such_thing\n", "no_such_thing", "line 2"),
        ("\nimport tensorflow.no_such.thing\n", "no_such", "line 2"),
        ("\nfrom tensorflow.math import no_such_thing\n", "math.no_such_thing", "line 2"),
    ],
)
def test_a_lacking_name_is_reported_with_its_place(gradtape, script, text, name, where):
    path = script(text)
    result = gradtape("run", path)
    assert result.returncode == 1
    assert f"has no 'tf.{name}', nor has gradtape: {path}, {where}" in result.stderr
