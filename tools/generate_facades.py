"""Writes the public modules from the `@export` and `@raw_op` marks in the sources.

    python tools/generate_facades.py [--check]

Each public module, such as `src/gradtape/math.py`, re-exports the objects that are marked for it. A
new name is given by an assignment, since type checkers treat `import y as x` as private. The tool
rewrites these imports, and leaves the rest of the module unchanged; it writes `raw_ops.py` and the
list of modules that this loads as a whole. `gradtape/__init__.py` imports its names only for type
checkers. Programs load a name on first use: `gradtape/_src/first_use` finds its module in the
tables that the tool writes. With --check the tool changes nothing, and exits with 1 if a file is
out of date.
"""

import ast
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import first_use

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src"
PACKAGE = "gradtape"
PRIVATE = f"{PACKAGE}._src"
FILES = {"math.special": "math_special.py"}
"""The public modules whose file is not named after them."""
COMMAND = "python tools/generate_facades.py"
NOTE = f"Written by `{COMMAND}` from the `@raw_op` marks in the sources; do not edit."
FOUND = f"Written by `{COMMAND}` from the sources; do not edit."
RAW = {"raw_op", "raw_gradient", "raw_step", "raw_rows", "raw_places"}
TOP = SOURCE / PACKAGE / "__init__.py"
RAW_OPS = SOURCE / PACKAGE / "raw_ops.py"
RAW_MODULES = SOURCE / PACKAGE / "_src" / "raw" / "modules.py"


class Mark(NamedTuple):
    """One `@export`, `export_value` or `@raw_op` in a source.

    Attributes:
      module: The full name of the module that contains it.
      name: The name of the function, class or constant there.
      paths: The public names below `tf`, or the names of raw operations.
    """

    module: str
    name: str
    paths: tuple[str, ...]


def marks(kinds: set[str]) -> Iterator[Mark]:
    """Yields the marks of some kinds (`"export"`, `"export_value"`, `"raw_op"`) in all sources."""
    for path in sorted((SOURCE / PACKAGE / "_src").rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        module = ".".join(parts).removesuffix(".__init__")
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                for call in node.decorator_list:
                    if _called(call) in kinds:
                        yield Mark(module, node.name, _texts(call))
            elif isinstance(node, ast.Expr) and _called(node.value) in kinds:
                value = node.value.args[0]  # type: ignore[attr-defined]
                yield Mark(module, ast.unparse(value), _texts(node.value))
            elif (
                isinstance(node, ast.Expr)
                and isinstance(node.value, ast.Call)
                and _called(node.value.func) in kinds  # `raw_op("Name")(function)`
            ):
                made = ast.unparse(node.value.args[0])
                yield Mark(module, made, _texts(node.value.func))


def _called(node: ast.expr) -> str:
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


def _texts(call: ast.expr) -> tuple[str, ...]:
    """Returns the literal strings among a call's positional arguments."""
    assert isinstance(call, ast.Call)
    return tuple(a.value for a in call.args if isinstance(a, ast.Constant))  # type: ignore[misc]


def facade(path: str) -> Path:
    """Returns the file of a public module.

    Raises:
      FileNotFoundError: There is no such module.
    """
    where = SOURCE / PACKAGE / FILES.get(path, f"{path.replace('.', '/')}.py" if path else "")
    for file in (where, where.with_suffix("") / "__init__.py"):
        if file.is_file():
            return file
    raise FileNotFoundError(f"no public module for {path!r}: make {where} with a docstring")


def exports() -> dict[Path, dict[str, Mark]]:
    """Returns the definitions that each public module re-exports, by their names there."""
    found: dict[Path, dict[str, Mark]] = defaultdict(dict)
    for mark in marks({"export", "export_value"}):
        for path in mark.paths:
            space, _, name = path.rpartition(".")
            here = found[facade(space)]
            if name in here and here[name] != mark:
                raise KeyError(f"tf.{path} is exported by {here[name].module} and {mark.module}")
            here[name] = mark
    return found


def with_exports(file: Path, names: dict[str, Mark]) -> str:
    """Returns the text of a public module with new re-exports."""
    if file == TOP:
        return with_checkers_exports(file, names)
    text = file.read_text(encoding="utf-8")
    tree, lines = ast.parse(text), text.splitlines(keepends=True)
    later = {name for name in names if name in _imported_later(tree)}
    ours = [n for n in tree.body if isinstance(n, ast.ImportFrom) and _is_ours(n)]
    aliases = {alias.asname for n in ours for alias in n.names}
    renamings = [n for n in tree.body if isinstance(n, ast.Assign) and _is_renaming(n, aliases)]
    renamed = {ast.unparse(n.value) for n in renamings}
    imports = [n for n in ours if _is_export(n, renamed)]
    first = imports[0].lineno if imports else _after_docstring(tree)
    for node in reversed([n for n in tree.body if n in imports or n in renamings]):
        del lines[node.lineno - 1 : node.end_lineno]
    new, given = [], []
    for name, mark in names.items():
        if name not in later:
            here = name if name == mark.name else f"_{name}"
            new.append(f"from {mark.module} import {mark.name} as {here}\n")
            given += [f"{name} = {here}\n"] if name != mark.name else []
    text = "".join([*lines[: first - 1], *new, *lines[first - 1 :]])
    lines = text.splitlines(keepends=True)
    imported = [n for n in ast.parse(text).body if isinstance(n, ast.Import | ast.ImportFrom)]
    end = imported[-1].end_lineno if imported else 0
    rest = "".join(lines[end:])
    if given:
        rest = "".join(["\n", *sorted(given), "\n", rest.lstrip("\n")])
    return formatted("".join(lines[:end]) + rest, file)


def with_checkers_exports(file: Path, names: dict[str, Mark]) -> str:
    """Returns the text of `tf`, which imports its names only for type checkers."""
    new = [f"from {PACKAGE} import {name} as {name}" for name in first_use.public_modules()]
    given = []
    for name, mark in names.items():
        here = name if name == mark.name else f"_{name}"
        new.append(f"from {mark.module} import {mark.name} as {here}")
        given += [f"{name} = {here}"] if name != mark.name else []
    text = file.read_text(encoding="utf-8")
    return formatted(first_use.in_checkers_block(text, [*new, *sorted(given)], _is_derived), file)


def _is_derived(node: ast.stmt) -> bool:
    """Whether this tool writes a statement for type checkers."""
    if isinstance(node, ast.Assign):
        return _is_renaming(node, {ast.unparse(node.value)})
    of = node.module if isinstance(node, ast.ImportFrom) else ""
    keras = isinstance(node, ast.ImportFrom) and node.names[0].name == "keras"
    return not keras and (of == PACKAGE or (of or "").startswith(PRIVATE))


def names_of_tf(names: dict[str, Mark]) -> dict[str, str]:
    """Returns the place of each name of `tf`: `module:attribute`, or the name of a module."""
    modules = {name: f"{PACKAGE}.{name}" for name in first_use.public_modules()}
    return modules | {name: f"{mark.module}:{mark.name}" for name, mark in names.items()}


def _is_ours(node: ast.ImportFrom) -> bool:
    return (node.module or "").startswith(PRIVATE)


def _is_renaming(node: ast.Assign, aliases: set[str | None]) -> bool:
    """Whether a statement gives an object its public name: `y = _y`."""
    value = ast.unparse(node.value)
    return value in aliases and [f"_{ast.unparse(t)}" for t in node.targets] == [value]


def _is_export(node: ast.ImportFrom, renamed: set[str]) -> bool:
    """Whether an import is a re-export: `from gradtape._src.x import y as y`."""
    names = [alias.asname or "_" for alias in node.names]
    return all(n[:2] == "__" or n[0] != "_" or n in renamed for n in names)


def _imported_later(tree: ast.Module) -> set[str]:
    """Returns the names that a module imports only for type checkers and loads on first use."""
    blocks = [n for n in tree.body if isinstance(n, ast.If)]
    imports = [n for b in blocks for n in b.body if isinstance(n, ast.ImportFrom)]
    return {alias.asname or alias.name for n in imports for alias in n.names}


def _after_docstring(tree: ast.Module) -> int:
    return (tree.body[0].end_lineno or 0) + 1


def raw_modules() -> str:
    """Returns the text of the module that loads every module with a raw operation."""
    modules = sorted({mark.module for mark in marks(RAW)})
    head = f'"""Loads every module that declares a raw operation.\n\n{NOTE}\n"""\n\n'
    return formatted(head + "".join(f"import {m}\n" for m in modules), RAW_MODULES)


def raw_ops() -> str:
    """Returns the text of `raw_ops.py`: one assignment for each raw operation."""
    head = f'"""Raw operations: `tf.raw_ops`.\n\n{NOTE}\n"""\n\n'
    imports = f"""from {PRIVATE}.raw import modules as _modules
from {PRIVATE}.raw.functions import raw_function as _raw

"""
    names = sorted(name for mark in marks(RAW) for name in mark.paths)
    lines = "".join(f'{name} = _raw("{name}")\n' for name in names)
    return formatted(head + imports + lines, RAW_OPS)


def formatted(text: str, file: Path) -> str:
    """Returns a source in the project's format."""
    ruff = [sys.executable, "-m", "ruff"]
    for step in (["check", "--select", "I", "--fix", "-q"], ["format", "-q"]):
        command = [*ruff, *step, "--stdin-filename", str(file), "-"]
        done = subprocess.run(  # noqa: S603
            command, input=text, capture_output=True, text=True, check=True, cwd=ROOT
        )
        text = done.stdout
    return text


def pages() -> dict[Path, str]:
    """Returns the text that each public module should have."""
    exported = exports()
    found = {file: with_exports(file, names) for file, names in exported.items()}
    names = names_of_tf(exported[TOP])
    marked = {path: mark.module for mark in marks(RAW) for path in mark.paths}
    manifest, operations = first_use.HERE / "manifest.py", first_use.HERE / "operations.py"
    return found | {
        RAW_OPS: raw_ops(),
        RAW_MODULES: raw_modules(),
        manifest: formatted(first_use.manifest(names, FOUND), manifest),
        operations: formatted(first_use.operations_module(marked, FOUND), operations),
    }


def main() -> int:
    """Writes or checks the public modules."""
    stale = {f: t for f, t in pages().items() if not f.exists() or f.read_text("utf-8") != t}
    if "--check" in sys.argv[1:]:
        for file in stale:
            sys.stderr.write(f"{file.relative_to(ROOT)} is out of date: run {COMMAND}\n")
        return 1 if stale else 0
    for file, text in stale.items():
        file.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
