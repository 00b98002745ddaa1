"""The page of the package, its recipe, its container and its workflows agree with it."""

import fnmatch
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from gradtape._version import __version__

pytestmark = pytest.mark.skipif(
    not all(map(find_spec, ("hatchling", "yaml"))), reason="development tools are not installed"
)
ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
ADDRESS = "https://example.com/somebody/gradtape"
RELATIVE = re.compile(r"\]\((?!https?:|#|mailto:)[^)\s]+\)")


def read_yaml(name):
    import yaml

    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def in_container(path):
    """Whether .dockerignore lets a file through; the last pattern that matches decides."""
    kept = True
    for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            pattern, name = line.lstrip("!").removeprefix("**/"), path.as_posix()
            parts = [name, *map(str, path.parents), *path.parts] if "**" in line else [
                name, *(parent.as_posix() for parent in path.parents)
            ]  # fmt: skip
            if any(fnmatch.fnmatchcase(part, pattern) for part in parts):
                kept = line.startswith("!")
    return kept


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """Builds the wheel from what the container gets, with and without a repository's address."""
    place = tmp_path_factory.mktemp("container")
    names = ["LICENSE", "README.md", "pyproject.toml", "tools/package_metadata.py"]
    names.append("docs/trouble/errors.md")
    sources = (path.relative_to(ROOT) for path in (ROOT / "src").rglob("*") if path.is_file())
    for name in [*map(Path, names), *sources]:
        if in_container(name):
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, place / name)

    def build(address):
        out = place / ("with" if address else "without")
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", out],
            cwd=place,
            env={**os.environ, "GRADTAPE_REPOSITORY": address},
            check=True,
            capture_output=True,
        )
        [wheel] = out.glob("*.whl")
        with zipfile.ZipFile(wheel) as opened:
            names = opened.namelist()
            [metadata] = [name for name in names if name.endswith("dist-info/METADATA")]
            return names, opened.read(metadata).decode()

    return {address: build(address) for address in ("", ADDRESS)}


@pytest.mark.slow
def test_links_of_the_package_page_lead_to_the_repository_at_the_tag(archive):
    _, page = archive[ADDRESS]
    assert RELATIVE.findall(page) == []
    assert "](docs/pictures/tape.svg)" not in page
    assert f"]({ADDRESS}/raw/v{__version__}/docs/pictures/tape.svg)" in page
    assert f"]({ADDRESS}/blob/v{__version__}/docs/start.md)" in page
    assert f"\nProject-URL: Changelog, {ADDRESS}/blob/v{__version__}/CHANGELOG.md\n" in page
    assert f"\nProject-URL: Issues, {ADDRESS}/issues\n" in page


@pytest.mark.slow
def test_a_build_without_an_address_has_words_in_place_of_links(archive):
    _, page = archive[""]
    assert RELATIVE.findall(page) == []
    assert "Project-URL" not in page
    assert "getting started in ten minutes" in page


@pytest.mark.slow
def test_the_container_builds_a_whole_wheel(archive):
    names, _ = archive[""]
    sources = {path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src").rglob("*.py")}
    assert sources <= set(names)
    assert {"gradtape/py.typed", "gradtape/_src/cli/errors.md"} <= set(names)


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ("https://example.com/a/b.git", "https://example.com/a/b"),
        ("git@example.com:a/b.git", "https://example.com/a/b"),
        ("ssh://git@example.com/a/b", "https://example.com/a/b"),
        ("/home/somebody/gradtape", ""),
        ("file:///srv/gradtape.git", ""),
    ],
)
def test_the_address_of_the_repository(given, address, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import package_metadata

    monkeypatch.setenv("GRADTAPE_REPOSITORY", given)
    assert package_metadata.repository(ROOT) == address


@pytest.mark.parametrize(
    ("address", "link"),
    [
        (
            "https://github.com/a/b",
            "https://mybinder.org/v2/gh/a/b/v9.8.7?urlpath=lab/tree/examples/first_steps.ipynb",
        ),
        ("https://example.com/a/b", "https://mybinder.org"),
        ("", "https://mybinder.org"),
    ],
)
def test_binder_opens_the_notebook_of_the_version(address, link, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import package_metadata

    assert (ROOT / package_metadata.NOTEBOOK).exists()
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"]({link})" in package_metadata.with_links(readme, address, "9.8.7")


def test_the_recipe_needs_what_the_package_needs():
    recipe = read_yaml("packaging/conda/recipe.yaml")
    wanted = {
        re.sub(r"(?<=\w)>=", " >=", d.partition(";")[0]) for d in PROJECT["project"]["dependencies"]
    }
    assert set(recipe["requirements"]["run"][1:]) == wanted
    assert recipe["context"]["version"] == __version__
    assert PROJECT["project"]["requires-python"] == f">={recipe['context']['python_min']}"
    assert recipe["about"]["license"] == PROJECT["project"]["license"]
    [script] = recipe["build"]["python"]["entry_points"]
    assert script.split(" = ") == ["gradtape", PROJECT["project"]["scripts"]["gradtape"]]
    built_by = {re.sub(r"(?<=\w)>=", " >=", name) for name in PROJECT["build-system"]["requires"]}
    assert built_by <= set(recipe["requirements"]["host"])


def test_the_container_installs_an_extra_that_is_there():
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    extras = PROJECT["project"]["optional-dependencies"]
    assert re.search(r"^ARG EXTRAS=(\w+)$", text, re.MULTILINE)[1] in extras
    assert re.search(r"EXTRAS=(\w+)`", text)[1] in extras


@pytest.mark.parametrize("name", ["binder/requirements.txt", ".devcontainer/devcontainer.json"])
def test_one_click_installs_extras_that_are_there(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    extras = re.search(r"\.\[([\w,]+)\]", text)[1].split(",")
    assert set(extras) <= set(PROJECT["project"]["optional-dependencies"])
    if name.endswith("json"):
        [opened] = json.loads(text)["customizations"]["codespaces"]["openFiles"]
        assert (ROOT / opened).exists()


@pytest.mark.parametrize(
    "path", sorted((ROOT / ".github/workflows").glob("*.yml")), ids=lambda p: p.name
)
def test_workflows_name_targets_and_files_that_are_there(path):
    workflow = read_yaml(path.relative_to(ROOT))
    targets = set(
        re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    )
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    commands = " ; ".join(step.get("run", "") for step in steps)
    assert set(re.findall(r"\bmake ([\w-]+)", commands)) <= targets
    assert workflow["permissions"] == {"contents": "read"}
    needed = {name for job in workflow["jobs"].values() for name in [job.get("needs")] if name}
    assert needed <= set(workflow["jobs"])
    files = [step["with"]["recipe-path"] for step in steps if "recipe-path" in step.get("with", {})]
    assert [name for name in files if not (ROOT / name).exists()] == []


def test_publishing_keeps_no_password():
    text = (ROOT / ".github/workflows/publish.yml").read_text(encoding="utf-8")
    assert "secrets." not in text
    jobs = read_yaml(".github/workflows/publish.yml")["jobs"]
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert jobs["publish"]["environment"] == "pypi"
