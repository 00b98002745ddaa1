"""Compiled programs that are kept from one process to the next."""

import subprocess
import sys

import pytest

pytest.importorskip("jax")

import gradtape as tf

PROGRAM = """
import sys
import gradtape as tf
from jax import monitoring

hits = []
monitoring.register_event_listener(lambda name, **_: hits.append(name))
tf.config.optimizer.set_compilation_cache(sys.argv[1])
f = tf.function(lambda x: tf.sin(x) * 2.0 + tf.exp(x), jit_compile=True)
print(f(tf.constant([1.0, 2.0])).numpy().tolist())
print(hits.count("/jax/compilation_cache/cache_hits"))
"""


def run(directory):
    out = subprocess.run(
        [sys.executable, "-c", PROGRAM, directory], capture_output=True, text=True, check=True
    )
    values, hits = out.stdout.splitlines()
    return values, int(hits)


@pytest.mark.slow
def test_a_second_process_loads_what_the_first_one_compiled(tmp_path):
    directory = tmp_path / "new" / "programs"
    first, before = run(str(directory))
    assert before == 0
    assert any(directory.iterdir())
    second, after = run(str(directory))
    assert second == first
    assert after > 0


def test_a_directory_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"file.*can't be made"):
        tf.config.optimizer.set_compilation_cache(tmp_path / "file" / "programs")
