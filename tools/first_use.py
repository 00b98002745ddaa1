"""Finds in the sources the modules and names that gradtape loads on first use.

`tools/generate_facades.py` writes the result into `src/gradtape/_src/first_use`.
"""

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src"
PACKAGE = "gradtape"
HERE = SOURCE / PACKAGE / "_src" / "first_use"
LENGTH = 100
NOT_BELOW_TF = {"cli", "keras", "math_special"}
"""Modules that programs reach by other names, or that are replaced when they are loaded."""
DUNDERS = {"__internal__", "__operators__"}
FAMILIES = {"unary", "binary", "product_with_slope", "linear", "general", "opaque", "register"}
EXTENSION_POINT = "ExtensionPoint"


@cache
def tree(path: Path) -> ast.Module:
    """Returns the syntax tree of a source."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def sources() -> dict[str, Path]:
    """Returns the files of all private modules, by the names of the modules."""
    found = {}
    for path in sorted((SOURCE / PACKAGE / "_src").rglob("*.py")):
        name = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
        found[name.removesuffix(".__init__")] = path
    return found


def public_modules() -> list[str]:
    """Returns the names of the public modules directly below `tf`."""
    files = [p for p in (SOURCE / PACKAGE).iterdir() if p.suffix == ".py" or _is_package(p)]
    names = {p.stem for p in files if p.name[0] != "_" or p.stem in DUNDERS}
    return sorted(names - NOT_BELOW_TF)


def _is_package(path: Path) -> bool:
    return (path / "__init__.py").is_file()


def imported(module: ast.Module) -> dict[str, str]:
    """Returns the full names of a module's imports, by the names that the module uses."""
    return {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in module.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def providers() -> dict[str, str]:
    """Returns the modules that provide an object on import, by the extension point's purpose."""
    purposes = {
        f"{name}.{node.target.id}": _purpose(node.value)
        for name, path in sources().items()
        for node in tree(path).body
        if isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and isinstance(node.value, ast.Call)
        and ast.unparse(node.value.func) == EXTENSION_POINT
    }
    found = {}
    for name, path in sources().items():
        known = imported(tree(path))
        for point in _provided(tree(path)):
            first, _, rest = point.partition(".")
            full = f"{known.get(first, f'{name}.{first}')}.{rest}".rstrip(".")
            if full in purposes:
                found[purposes[full]] = name
    return found


def _purpose(call: ast.Call) -> str:
    return str(ast.literal_eval(call.args[0]))


def _provided(module: ast.Module) -> Iterator[str]:
    """Yields the objects whose `.provide` a module calls at its top level or as a decorator."""
    for node in module.body:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            called = [node.value.func]
        else:
            called = getattr(node, "decorator_list", [])
        for function in called:
            if isinstance(function, ast.Attribute) and function.attr == "provide":
                yield ast.unparse(function.value)


def implementing() -> list[str]:
    """Returns the modules that implement functions of other modules for composite values."""
    return [name for name, path in sources().items() if _implements_others(tree(path))]


def _implements_others(module: ast.Module) -> bool:
    """Whether a module uses the decorator `implements` for functions of other modules."""
    own = {node.name for node in module.body if isinstance(node, ast.FunctionDef)}
    return "implements" in imported(module) and any(
        ast.unparse(node.args[0]) not in own
        for node in ast.walk(module)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "implements"
    )


def operations(marked: Mapping[str, str]) -> dict[str, str]:
    """Returns the modules of all operations.

    Args:
      marked: The modules of operations that a decorator names.
    """
    found = dict(marked)
    for name, path in sources().items():
        found.update(dict.fromkeys(_declared(tree(path)), name))
    return found


def _declared(module: ast.Module) -> Iterator[str]:
    """Yields the names of declared operations, as in `sin_p = unary("Sin", ...)`."""
    for node in ast.walk(module):
        call = node.value if isinstance(node, ast.Assign) else node
        if isinstance(call, ast.Call) and call.args and isinstance(call.args[0], ast.Constant):
            bound = isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).endswith("_p")
            first = call.args[0].value
            if isinstance(first, str) and (bound or ast.unparse(call.func) in FAMILIES):
                yield first


def manifest(names: Mapping[str, str], note: str) -> str:
    """Returns the text of the manifest.

    Args:
      names: The places of the names of `tf`.
      note: The sentence that names the tool that wrote it.
    """
    return (
        f'"""The modules of everything that `import gradtape` does not load.\n\n{note}\n"""\n\n'
        + _table("NAMES", names, "The module and the attribute of each name of `tf`.")
        + _table("PROVIDERS", providers(), "The module that fills each extension point on import.")
        + f"IMPLEMENTING = ({''.join(f'{m!r}, ' for m in implementing())})\n"
        + '"""The modules that implement functions for sparse and ragged tensors."""\n'
    )


def operations_module(marked: Mapping[str, str], note: str) -> str:
    """Returns the text of the module with the modules of all operations."""
    head = f'"""The module of each operation.\n\n{note}\n"""\n\n'
    return head + _table("OPERATIONS", operations(marked), "By TensorFlow's name.")


def _table(name: str, entries: Mapping[str, str], docstring: str) -> str:
    lines = "".join(_entry(key, entries[key]) for key in sorted(entries))
    return f'{name}: dict[str, str] = {{\n{lines}}}\n"""{docstring}"""\n\n'


def _entry(key: str, value: str) -> str:
    line = f"    {key!r}: {value!r},"
    return f"{line}\n" if len(line) <= LENGTH else f"{line}  # noqa: E501\n"


def in_checkers_block(
    text: str, exported: Iterable[str], is_generated: Callable[[ast.stmt], bool]
) -> str:
    """Returns a module's text with new statements in its `if TYPE_CHECKING:` block.

    Args:
      text: The module.
      exported: The statements.
      is_generated: Whether a statement of the block is one that the new ones replace.

    Raises:
      ValueError: There is no such block.
    """
    lines = text.splitlines(keepends=True)
    for node in ast.parse(text).body:
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("_typing.TYPE_CHECKING"):
            if isinstance(node.test, ast.UnaryOp):
                continue
            kept = [ast.unparse(n) for n in node.body if not is_generated(n)]
            body = "".join(f"    {line}\n" for line in [*kept, *exported])
            return "".join([*lines[: node.lineno], body, *lines[node.end_lineno :]])
    raise ValueError("there is no `if _typing.TYPE_CHECKING:` block")
