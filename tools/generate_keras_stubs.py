"""Writes the stubs of `tf.keras` for type checkers, from the Keras that is installed.

    python tools/generate_keras_stubs.py

Keras has no type annotations, so that a checker would treat all of it as `Any`: `mypy --strict`
would report a subclass of `tf.keras.Model`, but not the misspelt name of a layer. The stubs in
`src/gradtape/keras` contain Keras' names and parameters; RESULTS and ATTRIBUTES contain the types
that matter to programs. Programs at run time use `gradtape/keras.py` instead.
"""

import ast
import functools
import inspect
import keyword
import re
import shutil
import sys
import textwrap
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
STUBS = ROOT / "src" / "gradtape" / "keras"
COMMAND = "python tools/generate_keras_stubs.py"
HEAD = f"# Written by `{COMMAND}` from Keras {{version}}; do not edit.\n\n"
ANY = "*args: Any, **kwargs: Any"
FREE = {"call", "build", "compute_output_shape", "compute_output_spec", "compute_mask"}
"""Methods that a subclass may give any parameters."""
RESULTS = {
    "Layer.__call__": "Tensor",
    "Layer.add_weight": "Variable",
    "Layer.get_weights": "list[_np.ndarray[Any, Any]]",
    "Layer.count_params": "int",
    "Loss.__call__": "Tensor",
    "Metric.result": "Tensor",
    "Metric.__call__": "Tensor",
    "Metric.add_variable": "Variable",
    "Metric.add_weight": "Variable",
    "Initializer.__call__": "Tensor",
    "LearningRateSchedule.__call__": "Tensor",
    "Regularizer.__call__": "Tensor",
    "Constraint.__call__": "Tensor",
    "Optimizer.apply_gradients": "None",
    "Optimizer.build": "None",
    "Model.compile": "None",
    "Model.fit": "History",
    "Model.predict": "_np.ndarray[Any, Any]",
    "Model.summary": "None",
    "Model.save_weights": "None",
    "Model.save": "None",
    "Variable.numpy": "_np.ndarray[Any, Any]",
    "Variable.assign": "Tensor",
    "Variable.assign_add": "Tensor",
    "Variable.assign_sub": "Tensor",
}
TENSORS = {"keras.activations", "keras.losses", "keras.random"}
"""Modules whose functions give tensors."""
ATTRIBUTES = {
    "Layer": {
        "trainable": "bool",
        "name": "str",
        "built": "bool",
        **dict.fromkeys(("variables", "weights"), "list[Variable]"),
        **dict.fromkeys(("trainable_variables", "trainable_weights"), "list[Variable]"),
        **dict.fromkeys(("non_trainable_variables", "non_trainable_weights"), "list[Variable]"),
        "losses": "list[Tensor]",
    },
    "Model": {"layers": "list[Layer]", "metrics": "list[Metric]", "optimizer": "Optimizer"},
    "Loss": {"name": "str"},
    "Optimizer": {
        "name": "str",
        "learning_rate": "Any",
        "variables": "list[Variable]",
        "iterations": "Variable",
    },
    "Metric": {"name": "str", "variables": "list[Variable]"},
    "History": {"history": "dict[str, list[float]]"},
    "Variable": {
        "name": "str",
        "path": "str",
        "trainable": "bool",
        "value": "Tensor",
        "shape": "Any",
        "dtype": "Any",
    },
}
CLOSED = {"Layer": ("input_dim", "input_shape"), "Optimizer": ()}
"""Classes that refuse an unknown keyword, and those that they take without naming them."""
UNNAMED = {
    "Embedding": ("input_length",),
    "GRU": ("implementation",),
    "GRUCell": ("implementation",),
    "InputLayer": ("batch_input_shape",),
    "LSTM": ("implementation",),
    "LSTMCell": ("implementation",),
    "LayerNormalization": ("rms_scaling",),
    "LeakyReLU": ("alpha",),
}
OPEN = {"Model", "IntegerLookup", "StringLookup", "TextVectorization"}
"""Classes, and their subclasses, whose further keywords are not looked at."""
BASES = {"Variable": "TensorLike"}
"""Bases that only a checker sees: operators of tensors take variables of Keras."""
IMPORTS = {
    "Any": "from typing import Any",
    "_np": "import numpy as _np",
    "Tensor": "from gradtape._src.core.tensor import Tensor",
    "TensorLike": "from gradtape._src.core.tensor import TensorLike",
    "Variable": "from gradtape.keras import Variable",
    "Optimizer": "from gradtape.keras.optimizers import Optimizer",
    "Metric": "from gradtape.keras.metrics import Metric",
    "Layer": "from gradtape.keras.layers import Layer",
    "History": "from gradtape.keras.callbacks import History",
}


class Place(NamedTuple):
    """The place of a class in the stubs."""

    module: str
    name: str


class Stubs:
    """The stubs of Keras.

    Attributes:
      modules: The public modules by name, `keras` being the whole.
      places: The module of each class, from which other modules import it.
    """

    def __init__(self, keras: types.ModuleType) -> None:
        self.modules = dict(self._walk(keras, "keras"))
        self.places: dict[type, Place] = {}
        for path, module in sorted(self.modules.items(), key=lambda item: item[0] == "keras"):
            for name, value in members(module):
                if isinstance(value, type):
                    here = Place(path, name)
                    if value not in self.places or name == value.__name__ != self.places[value][1]:
                        self.places[value] = here

    def _walk(self, module: types.ModuleType, path: str) -> Iterator[tuple[str, types.ModuleType]]:
        yield path, module
        for name, value in members(module):
            inner = isinstance(value, types.ModuleType)
            if inner and value.__name__.rpartition(".")[2] == name:
                yield from self._walk(value, f"{path}.{name}")

    def text(self, path: str) -> str:
        """Returns the stub of one module."""
        here = dict(members(self.modules[path]))
        lines = [line for name, v in here.items() for line in self._lines(path, name, v)]
        body = "\n".join(lines)
        used = words(body)
        needed = [line for name, line in IMPORTS.items() if name in used - here.keys()]
        bases = sorted(set(re.findall(r"\((gradtape[\w.]+)\.\w+\):", body)))
        return "\n".join([*needed, *(f"import {base}" for base in bases), "", body, ""])

    def _lines(self, path: str, name: str, value: Any) -> list[str]:
        if isinstance(value, types.ModuleType):
            if f"{path}.{name}" not in self.modules:
                return [f"{name}: Any"]
            above = path.replace("keras", "gradtape.keras", 1)
            return [f"from {above} import {name} as {name}"]
        if isinstance(value, type):
            place = self.places[value]
            if place == Place(path, name):
                return self._class(path, name, value)
            if place.module == path:
                return [f"{name}: Any"]  # an old name
            above = place.module.replace("keras", "gradtape.keras", 1)
            return [f"from {above} import {place.name} as {name}"]
        if callable(value):
            result = "Tensor" if path in TENSORS and name[0].islower() else "Any"
            if name in ("get", "serialize", "deserialize"):
                result = "Any"
            return [f"def {name}({parameters(value)}) -> {result}: ..."]
        return [f"{name}: Any"]

    def _class(self, path: str, name: str, kind: type) -> list[str]:
        base = next((b for b in kind.__mro__[1:] if b in self.places), None)
        above = BASES.get(name, "")
        if base is not None:
            place = self.places[base]
            above = place.name
            if place.module != path:
                above = f"{place.module.replace('keras', 'gradtape.keras', 1)}.{place.name}"
        lines = [f"class {name}({above}):" if above else f"class {name}:"]
        known = set() if base is None else set(dir(base))
        attributes = ATTRIBUTES.get(name, {})
        own = [c for c in kind.__mro__ if base is None or not issubclass(base, c)]
        seen = set()
        for c in own:
            for n, member in vars(c).items():
                if c is object or n in seen or (n[0] == "_" and n not in ("__init__", "__call__")):
                    continue
                own_type = n in ("__init__", *attributes) or f"{name}.{n}" in RESULTS
                if base is not None and n in known and not own_type:
                    continue
                seen.add(n)
                lines.append(f"    {self._member(kind, n, member)}")
        for c in base.__mro__ if base else ():
            known.update(assigned_by(c), ATTRIBUTES.get(c.__name__, ()))
        assigned = {n: "Any" for c in own for n in assigned_by(c) if n not in known | seen}
        lines += [f"    {n}: {t}" for n, t in (assigned | attributes).items() if n not in seen]
        return [*lines, "    ..."] if len(lines) == 1 else lines

    def _member(self, kind: type, name: str, member: Any) -> str:
        result = RESULTS.get(f"{kind.__name__}.{name}", "None" if name == "__init__" else "Any")
        if isinstance(member, classmethod):
            rest = parameters(member.__func__, first="cls")
            return f"@classmethod\n    def {name}({rest}) -> {result}: ..."
        if isinstance(member, staticmethod):
            return f"@staticmethod\n    def {name}({parameters(member.__func__)}) -> {result}: ..."
        if inspect.isfunction(member):
            rest = f"self, {ANY}" if name in FREE else parameters(member, first="self")
            if name == "__init__":
                rest = rest.replace("**kwargs: Any", keywords(kind)).removesuffix(", ")
            return f"def {name}({rest}) -> {result}: ..."
        result = ATTRIBUTES.get(kind.__name__, {}).get(name, "Any")
        if isinstance(member, property):  # a subclass may override it with another type
            get = f"@property\n    def {name}(self) -> {result}: ..."
            put = f"\n    @{name}.setter\n    def {name}(self, value: Any) -> None: ..."
            return get + put if member.fset else get
        return f"{name}: {result}"


@functools.cache
def assigned_by(kind: type) -> tuple[str, ...]:
    """Returns the public attributes that the methods of a class assign to `self`."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(kind)))
    except (OSError, TypeError):  # the class has no source
        return ()
    return tuple(
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
        and node.attr[0] != "_"
    )


def members(module: types.ModuleType) -> Iterator[tuple[str, Any]]:
    """Yields the public names in a module."""
    for name in sorted(vars(module)):
        if name[0] != "_" and not keyword.iskeyword(name):
            yield name, getattr(module, name)


def parameters(function: Any, first: str = "") -> str:
    """Returns the parameters of a function, each of them Any."""
    try:
        given = list(inspect.signature(function, follow_wrapped=True).parameters.values())
    except (TypeError, ValueError):
        return ", ".join(filter(None, [first, ANY]))
    if first:
        given = given[1:] if given else []
    parts = [first] if first else []
    marked = False
    for p in given:
        if p.kind is p.VAR_POSITIONAL:
            parts.append(f"*{p.name}: Any")
            marked = True
        elif p.kind is p.VAR_KEYWORD:
            parts.append(f"**{p.name}: Any")
        else:
            if p.kind is p.KEYWORD_ONLY and not marked:
                parts.append("*")
                marked = True
            parts.append(f"{p.name}: Any" + ("" if p.default is p.empty else " = ..."))
    return ", ".join(parts)


def keywords(kind: type) -> str:
    """Returns the keywords that a class passes to its bases, if the bases' keywords are known."""
    names = {c.__name__ for c in kind.__mro__}
    closed = sorted(names & CLOSED.keys())
    if not closed or names & OPEN:
        return "**kwargs: Any"
    own, *others = [vars(c)["__init__"] for c in kind.__mro__ if "__init__" in vars(c)]
    given = inspect.signature(own).parameters.values()
    above = [p for f in others for p in inspect.signature(f).parameters.values()]
    found = [p.name for p in above if p.default is not p.empty]
    for name in (*closed, kind.__name__):
        found += (*CLOSED.get(name, ()), *UNNAMED.get(name, ()))
    more = [n for n in dict.fromkeys(found) if n not in {p.name for p in given}]
    marked = any(p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL) for p in given)
    mark = [] if marked or not more else ["*"]
    return ", ".join([*mark, *(f"{n}: Any = ..." for n in more)])


def words(text: str) -> set[str]:
    """Returns the names in a text."""
    return set("".join(c if c.isalnum() or c == "_" else " " for c in text).split())


def files(stubs: Stubs, version: str) -> Iterator[tuple[Path, str]]:
    """Yields the path and the text of each stub."""
    for path in stubs.modules:
        inner = any(other.startswith(f"{path}.") for other in stubs.modules)
        place = STUBS.joinpath(*path.split(".")[1:])
        file = place / "__init__.pyi" if inner else place.with_suffix(".pyi")
        yield file, HEAD.format(version=version) + stubs.text(path)


def main() -> int:
    """Writes the stubs."""
    import gradtape

    shutil.rmtree(STUBS, ignore_errors=True)
    for file, text in files(Stubs(gradtape.keras), gradtape.keras.version()):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
