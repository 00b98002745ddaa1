"""Finds parametrized tests whose order differs between runs.

Processes that run tests side by side must collect them in one order. The iteration order of a set
of strings depends on PYTHONHASHSEED, and the order of files in a folder on the file system. Values
of `pytest.mark.parametrize` and parameters of fixtures may come from either only through `sorted`.
`tools/check_tests.py` reports the findings.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

from check_layers import Finding

SETS = {"set", "frozenset"}
SET_METHODS = {"union", "intersection", "difference", "symmetric_difference"}
SET_OPERATORS = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.Sub)
FOLDERS = {"iterdir", "glob", "rglob", "listdir", "scandir", "walk"}
KEEPING = {"list", "tuple", "enumerate", "zip", "map", "filter", "reversed", "dict", "product"}
"""Functions whose results are ordered as their arguments are."""
LISTS = (ast.List, ast.Tuple)
COMPREHENSIONS = (ast.ListComp, ast.GeneratorExp, ast.DictComp)


class _Module:
    """The values of a module's global names, as expressions."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.tree = ast.parse(path.read_text(encoding="utf-8"))
        self.values: dict[str, ast.expr] = {}
        self.imported: dict[str, tuple[str, str]] = {}
        for node in self.tree.body:
            if isinstance(node, ast.ImportFrom) and not node.level:
                for item in node.names:
                    self.imported[item.asname or item.name] = (node.module or "", item.name)
            elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    if isinstance(target, ast.Name):
                        self.values[target.id] = node.value


class _Reader:
    """Reads modules of tests and sources once, and follows names from one to another."""

    def __init__(self, roots: tuple[Path, ...]) -> None:
        self._roots = roots
        self._modules: dict[Path, _Module] = {}

    def module(self, path: Path) -> _Module:
        if path not in self._modules:
            self._modules[path] = _Module(path)
        return self._modules[path]

    def named(self, module: _Module, name: str) -> tuple[_Module, ast.expr] | None:
        """Returns the module and expression that a global name stands for, if it can be found."""
        if name in module.values:
            return module, module.values[name]
        if name in module.imported:
            place, original = module.imported[name]
            for root in self._roots:
                path = root.joinpath(*place.split(".")).with_suffix(".py")
                if path.exists():
                    return self.named(self.module(path), original)
        return None

    def unordered(self, module: _Module, node: ast.AST, seen: frozenset[str] = frozenset()) -> bool:
        """Whether the order of iteration over an expression may differ between runs."""
        if isinstance(node, ast.Name):
            found = None if node.id in seen else self.named(module, node.id)
            return found is not None and self.unordered(*found, seen | {node.id})
        if isinstance(node, ast.Set | ast.SetComp):
            return True
        return any(self.unordered(module, part, seen) for part in _ordering(node)) or _makes(node)


def _makes(node: ast.AST) -> bool:
    """Whether an expression makes a collection without a fixed order."""
    if not isinstance(node, ast.Call):
        return False
    function = node.func
    if isinstance(function, ast.Name):
        return function.id in SETS
    return isinstance(function, ast.Attribute) and function.attr in FOLDERS | SET_METHODS


def _ordering(node: ast.AST) -> Iterator[ast.AST]:
    """Yields the parts of an expression that determine its order."""
    if isinstance(node, LISTS):
        yield from (part.value for part in node.elts if isinstance(part, ast.Starred))
    elif isinstance(node, COMPREHENSIONS):
        yield from (generator.iter for generator in node.generators)
    elif isinstance(node, ast.Dict):
        yield from (v for k, v in zip(node.keys, node.values, strict=True) if k is None)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, (*SET_OPERATORS, ast.Add)):
        yield from (node.left, node.right)
    elif isinstance(node, ast.Call):
        yield from _ordering_of_call(node)


def _ordering_of_call(node: ast.Call) -> Iterator[ast.AST]:
    function = node.func
    name = function.attr if isinstance(function, ast.Attribute) else ast.unparse(function)
    if name in KEEPING:
        yield from (a.value if isinstance(a, ast.Starred) else a for a in node.args)
    if isinstance(function, ast.Attribute) and name in {"items", "keys", "values"}:
        yield function.value


def _parameters(tree: ast.AST) -> Iterator[ast.expr]:
    """Yields the values of `parametrize` and of fixtures in a file of tests."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        function = ast.unparse(node.func)
        if function.endswith("parametrize"):
            yield from node.args[1:2]
        for item in node.keywords:
            if item.arg == "argvalues" or (item.arg == "params" and function.endswith("fixture")):
                yield item.value


def unordered(root: Path) -> Iterator[Finding]:
    """Yields the parameters of tests in an order that may differ between runs."""
    reader = _Reader((root / "tests", root / "src", root))
    for path in sorted((root / "tests").rglob("*.py")):
        if "params" not in (text := path.read_text(encoding="utf-8")) and "parametrize" not in text:
            continue
        module = reader.module(path)
        for value in _parameters(module.tree):
            if reader.unordered(module, value):
                message = f"sort `{ast.unparse(value)}`, whose order may differ between runs"
                yield Finding(path, value.lineno, message)
