"""The pages' examples give the stated results, and their links exist."""

import importlib
import json
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import gradtape as tf

ROOT = Path(__file__).resolve().parents[1]
NEEDED = ("griffe", "jax", "keras", "matplotlib", "sklearn", "yaml")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not all(map(find_spec, NEEDED)), reason="the pages use the extra examples, xla and docs"
    ),
]
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    if path.name != "tape-from-nothing.md" and "```python" in path.read_text(encoding="utf-8")
)


@pytest.fixture(scope="module")
def tools():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "tools"))
        yield {
            name: importlib.import_module(name)
            for name in (
                "site_blocks",
                "site_examples",
                "site_reference",
                "site_search",
                "build_site",
                "check_site",
            )
        }


@pytest.mark.parametrize("page", PAGES)
def test_each_block_alone_prints_the_text_after_it(tools, page):
    blocks = list(tools["site_blocks"].blocks(ROOT / page))
    outcomes = tools["site_blocks"].run_all(blocks)
    assert [text for pair in outcomes if (text := tools["site_blocks"].fault(*pair))] == []


def test_a_block_that_says_something_else_is_a_fault(tools):
    block = tools["site_blocks"].Block("page.md", 0, "print(1)\n", False, "2\n", 7)
    [(_, outcome)] = tools["site_blocks"].run_all([block])
    assert "page.md:7: the page says something else" in tools["site_blocks"].fault(block, outcome)


def test_a_block_that_does_not_raise_as_it_should_is_a_fault(tools):
    block = tools["site_blocks"].Block("page.md", 0, "1\n", True, "", 7)
    [(_, outcome)] = tools["site_blocks"].run_all([block])
    assert "nothing was raised" in tools["site_blocks"].fault(block, outcome)


def test_blocks_share_nothing(tools):
    codes = ("import gradtape as tf\ntf.here = 1\n", "import gradtape\nprint(gradtape.here)\n")
    blocks = [tools["site_blocks"].Block("page.md", 0, code, False, "", 1) for code in codes]
    (_, first), (_, second) = tools["site_blocks"].run_all(blocks)
    assert not first.failure
    assert "AttributeError" in second.failure


def test_a_block_finds_what_readers_of_its_page_download(tools):
    code = "from pathlib import Path\nprint([p.name for p in Path().iterdir()])\n"
    pages = ("docs/tutorials/fine-tuning.md", "docs/tutorials/newton.md")
    blocks = [tools["site_blocks"].Block(page, 0, code, False, "", 1) for page in pages]
    outputs = [outcome.output for _, outcome in tools["site_blocks"].run_all(blocks)]
    assert outputs == ["['fine-tuning.zip']\n", "[]\n"]


def test_the_pictures_about_nan_show_where_it_begins(tools):
    page = ROOT / "docs/trouble/nan.md"
    blocks = [b for b in tools["site_blocks"].blocks(page) if "tape.graph(" in b.code]
    pictures = [outcome.pictures for _, outcome in tools["site_blocks"].run_all(blocks)]
    assert len(pictures) == 2
    assert ["not finite from here on" in picture for [picture] in pictures] == [True, True]


def test_the_model_that_is_downloaded_was_saved_by_tensorflow(tmp_path):
    shutil.unpack_archive(ROOT / "docs/tutorials/fine-tuning.zip", tmp_path)
    shown = subprocess.run(
        [sys.executable, "-m", "gradtape", "show", tmp_path / "digits-model"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "saved by TensorFlow 2.21.0\n" in shown.stdout


def test_names_that_pages_mention_are_there():
    lacking = []
    for page in PAGES:
        if page in {"docs/differences.md", "docs/xla.md"}:  # they tell of what is not there
            continue
        for code in re.findall(r"`[^`\n]*`", (ROOT / page).read_text(encoding="utf-8")):
            for name in re.findall(r"\btf((?:\.[A-Za-z_]\w*)+)", code):
                value = tf
                try:
                    for part in name.strip(".").split("."):
                        value = getattr(value, part)
                except AttributeError:
                    lacking.append((page, f"tf{name}"))
    assert lacking == []


def test_every_public_name_has_a_place_in_the_reference(tools, tmp_path):
    reference = tools["site_reference"]
    files = reference.write(tmp_path)
    text = {file: (tmp_path / file).read_text(encoding="utf-8") for file in files}
    for space, names in reference.all_names().items():
        page = text[reference.page_of(space)]
        there = set(re.findall(r'id="([^"]+)"|\{ #(\S+) \}', page))
        places = {a or b for a, b in there}
        assert {name.path for name in names} <= places


def test_every_page_of_the_reference_has_an_example(tools, tmp_path):
    reference = tools["site_reference"]
    files = reference.write(tmp_path)
    text = {file: (tmp_path / file).read_text(encoding="utf-8") for file in files}
    examples = re.compile(r"```pycon\n|```python\nimport gradtape as tf\n")
    assert [file for file in files if not examples.search(text[file])] == []
    introductions = {path.name for path in reference.INTRODUCTIONS.glob("*.md")}
    assert introductions <= set(files)


def test_every_name_has_an_example_in_its_docstring_or_in_the_file_of_its_namespace(tools):
    reference, examples = tools["site_reference"], tools["site_examples"]
    documented = {name.path: name for name in reference.homes().values()}
    written = [p for file in examples.EXAMPLES.glob("*.txt") for p in examples.written(file)]
    assert set(written) <= documented.keys()
    assert [path for path in written if reference.has_example(documented[path].value)] == []
    of_namespace = {"compat", "__internal__", "raw_ops"}  # one example stands for the page
    assert [
        path
        for path, name in documented.items()
        if of_namespace.isdisjoint(name.space.split("."))
        and not (path in written or reference.has_example(name.value))
    ] == []


def test_the_examples_of_a_file_run(tools):
    examples = tools["site_examples"]
    found = examples.sessions(examples.EXAMPLES / "tf.errors.txt")
    assert found["tf.errors.NotFoundError"].endswith("\n...\nNotFoundError")
    with pytest.raises(ZeroDivisionError):
        examples.session("1 / 0")


def test_an_entry_has_signature_arguments_examples_and_source(tools):
    reference = tools["site_reference"]
    entry = reference.entry(reference.homes()[id(tf.math.top_k)])
    assert "tf.math.top_k(\n    input: Any,\n    k: Any = 1," in entry
    assert "| `k` | The number of" in entry
    assert "```pycon\n>>> values" in entry
    assert '??? quote "Source: src/gradtape/' in entry
    assert "Also: `tf.nn.top_k`" in entry
    error = reference.entry(reference.homes()[id(tf.errors.NotFoundError)])
    assert "Source: src/gradtape/_src/base/errors.py, line" in error


def test_the_search_knows_each_name_and_tells_methods_from_classes(tools, tmp_path):
    method = "reference/tf.html#tf.Variable.assign"
    items = [
        {"location": method, "level": 3, "title": "<code>assign</code>"},
        {"location": "faq.html#why", "level": 3, "title": "Why?"},
        {"location": "reference/tf.html#tf.Variable", "level": 2, "title": "tf.Variable"},
    ]
    (tmp_path / "search.json").write_text(json.dumps({"items": items}), encoding="utf-8")
    tools["site_search"].improve(tmp_path)
    found = json.loads((tmp_path / "search.json").read_text(encoding="utf-8"))["items"]
    titles = {item["location"]: item["title"] for item in found}
    assert len(titles) == len(found)
    assert titles[method] == "A method of <code>tf.Variable</code>: <code>assign</code>"
    assert titles["faq.html#why"] == "Why?"
    assert titles["reference/tf.html#tf.Variable"] == "tf.Variable"
    assert titles["reference/tf.html#tf.reduce_sum"] == "<code>tf.reduce_sum</code>"
    assert not any("compat" in location for location in titles)


def test_classes_are_described_under_the_name_that_programs_use(tools):
    homes = tools["site_reference"].homes()
    assert homes[id(tf.GradientTape)].path == "tf.GradientTape"
    assert homes[id(tf.reduce_sum)].path == "tf.math.reduce_sum"


def test_a_class_has_the_methods_that_programs_use(tools):
    methods = tools["site_reference"].methods
    assert [name for name, _ in methods(tf.GradientTape)] == dir(tf.GradientTape())
    assert "process" not in dict(methods(tf.autodiff.ForwardAccumulator))
    assert {"assign", "scatter_add", "value"} <= dict(methods(tf.Variable)).keys()
    assert "assign" not in dict(methods(tf.compat.v1.Variable))  # they are those of tf.Variable


def test_links_lead_to_pages_of_the_site(tools):
    moved = tools["build_site"].moved
    assert moved("README.md", "docs/speed.md") == "speed.md"
    assert moved("docs/speed.md", "../benchmarks/README.md") == "benchmarks.md"
    assert moved("docs/design/0009-xla.md", "../xla.md") == "../xla.md"
    assert moved("README.md", "examples/digits.py") is None


def test_every_page_is_in_the_navigation(tools):
    build = tools["build_site"]

    def pages(entries):
        for entry in entries:
            if isinstance(entry, dict):
                for value in entry.values():
                    yield from pages(value) if isinstance(value, list) else [value]
            else:
                yield entry

    named = list(pages(build.configuration([])["nav"]))
    assert sorted([*named]) == sorted(
        [*map(build.page_name, build.documents()), "reference/index.md"]
    )


BROKEN = """<html><head><title>a</title></head><body><a href="b.html#here">x</a>
<a href="c.html">y</a><p id="twice"></p><p id="twice"></p></body></html>"""


def test_broken_pages_are_found(tools, tmp_path):
    (tmp_path / "index.html").write_text(BROKEN, encoding="utf-8")
    (tmp_path / "b.html").write_text("<title>b</title>", encoding="utf-8")
    (tmp_path / "lost.html").write_text("<body></body>", encoding="utf-8")
    index = '{"items": [{"location": "b.html"}, {"location": "index.html"}]}'
    (tmp_path / "search.json").write_text(index, encoding="utf-8")
    assert set(tools["check_site"].faults_by_text(tmp_path)) == {
        "index.html: b.html#here has no such anchor",
        "index.html: c.html leads nowhere",
        "index.html: ids that stand twice: twice",
        "lost.html: no title",
        "lost.html: no page leads here",
        "lost.html: the search does not know it",
    }
