"""Checks the order of gradtape's rooms: their imports, and other ways to reach each other.

Reads the sources without importing them and checks that

* each room imports only rooms before it in ROOMS, and nothing imports in a circle;
* `core` names no operation;
* the part to be read first (ENGINE), its functions, and every file and room stay below limits of
  size;
* every room has a README, and every file a name that describes its contents;
* only heavy third-party packages are imported inside functions;
* no module assigns attributes of another module's classes or of another module, sets flags in a
  `__dict__`, or imports modules of ours by a name in a string, outside of the manifests.

    python tools/check_layers.py [SOURCE_ROOT]

prints one line `file:line: message` per finding and exits with 1 if there is any.
"""

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from hidden_arrows import assigned as assigned
from hidden_arrows import assignments, flags

PACKAGE = "gradtape"
PRIVATE = "_src"
ROOMS: tuple[tuple[str, ...], ...] = (
    ("first_use",),
    ("base",),
    ("core",),
    ("compute",),
    ("declare",),
    ("ops.elementwise",),
    ("ops.array",),
    ("ops.reduce",),
    ("ops.linalg",),
    ("ops.types",),
    ("ops.random",),
    ("ops.sparse",),
    ("ops.nn",),
    ("ops.quantization",),
    ("ops.operators",),
    ("ops.ragged",),
    ("ops.signal",),
    ("ops.image",),
    ("ops.control",),
    ("autodiff",),
    ("ops.raw",),  # many are gradients, which a tape computes
    ("text",),
    ("numpy",),
    ("raw",),
    # A tape loads its tools on first use.
    ("inspect", "inspect.memory", "inspect.notebooks", "inspect.pictures"),
    ("messages",),
    ("files",),
    ("autograph",),
    ("graph.ir",),
    ("graph.named",),
    ("graph.running",),
    ("graph.tracing",),
    ("graph.nested",),
    ("graph.inference",),
    ("graph.views",),
    ("graph", "xla", "xla.kernels"),  # `function` loads the compiler on first use
    ("sessions",),
    ("sessions.training",),
    ("sessions.wrapped",),
    ("compat.lists",),
    ("compat",),
    ("sessions.older",),
    ("sessions.metrics",),
    ("sessions.networks",),
    ("sessions.recurrent",),
    ("ops.linear_operators",),  # operators are modules
    ("compat.python",),
    ("data.elements",),
    ("data",),
    ("data.queues",),
    ("data.experimental",),
    ("sessions.datasets",),
    ("profiling",),
    ("graphdef",),
    ("graphdef_export", "graphdef_export.composed"),
    ("graphdef_export.graphs",),
    ("distribute",),
    ("saving.functions",),
    ("saving", "saving.export"),
    ("sessions.files",),
    ("sessions.monitored",),
    ("compat.internals",),
    ("keras",),
    ("",),  # the public modules
    ("cli", "cli.notebooks"),
)
"""The rooms below `gradtape/_src`, each row after what it may import; rooms of one row may import
each other."""
PLACES = {room: row for row, rooms in enumerate(ROOMS) for room in rooms}
FIRST = {f"{PACKAGE}._version"}
"""Public modules that every room may import."""
LAST = {f"{PACKAGE}.cli", f"{PACKAGE}.__main__"}
"""Public modules that may import every room."""
HEAVY = {
    "scipy",
    "opt_einsum",
    "keras",
    "jax",
    "matplotlib",
    "IPython",
    "nbformat",
    "rich",
    "PIL",
    "ml_dtypes",
    "re2",
    "malt",
    "google",
    "google_crc32c",
    "grpc_tools",
}
SELDOM = {"asyncio", "csv", "difflib", "logging", "pathlib", "random", "sysconfig"}
"""Modules of Python that are slow to load and seldom needed."""
LOADS_HEAVY = {  # our own modules that load one of them at their top
    f"{PACKAGE}.{PRIVATE}.{name}"
    for name in (
        "xla.kernels.large_arrays",
        "xla.compiled_traces",
        "saving.stablehlo_programs",
        "distribute.processes",
        "distribute.sharded_program",
        "autograph.conversion",
        "cli.notebooks.shell",
    )
}
ON_FIRST_USE = {  # our own modules that are large and that few programs use
    f"{PACKAGE}.{PRIVATE}.{name}"
    for name in (
        "inspect.error_topics",
        *("inspect.explain", "inspect.pictures.picture", "sessions.testing"),
        *("inspect.memory.summary", "inspect.memory.peak"),
        *(
            "inspect.values_html",
            "inspect.notebooks.objects_html",
            "inspect.notebooks.notebook_magics",
        ),
        *("profiling.recording", "profiling.page", "profiling.trace_file"),
        "profiling.tensorboard_files",
        *("graph.views.graph_picture", "graph.views"),
        *("graphdef_export.graphs.graph_definitions", "graphdef_export.graphs"),
        *("raw.modules", "first_use.operations"),
        *("cli.run", "cli.doctor", "cli.program_files", "cli.reports"),  # one command each
        *("cli.saved_models", "cli.model_runs", "cli.help_pages", "cli.launch"),
    )
}
MANIFESTS = {
    f"{PACKAGE}.{PRIVATE}.{name}"
    for name in ("compat.module_names", "first_use.manifest", "first_use.operations")
}
"""The modules that may name other modules of ours in strings."""
SECTION = re.compile(r"^(?:Args|Returns|Yields|Raises|Attributes):$|^>>> ", re.MULTILINE)
"""The beginning of the part of a docstring that users look up."""
FAMILIES = {"unary", "binary", "linear", "general"}
VAGUE = {"rest", "rare", "further", "found", "more"}
"""Words in file names that do not say what a file holds."""
ENGINE = ("core", "declare", "autodiff.tape", "autodiff.walk")
"""The modules that one must read to know how an operation runs and is differentiated.

A new file in these rooms belongs to it, unless it is named in BESIDE_ENGINE."""
BESIDE_ENGINE = (
    "core.extension_point",  # how later rooms provide what earlier ones reach
    "core.dlpack_capsules",  # how other libraries ...
    "core.interchange",  # ... take the values of tensors
    "core.operators",  # the names of the methods that operations give to tensors
    "core.variable_creators",  # a scope around the making of variables
    "core.version_1_methods",  # what variables have from TensorFlow 1
    "core.kernels",  # how a mode sees kernels run
    "core.resource_handles",  # scalars that represent variables for raw operations
    "core.several_inputs",  # what `bind` does, written out for a number of inputs
    "core.straight_backward",  # what `pull_back` does, written out for records that repeat
    "core.templates",  # how texts of code are filled in
    "core.tracebacks",  # which lines a traceback shows
    "core.stored_value",  # in which memory a variable's value lies
    "declare.arguments",  # the checks that public functions make of shapes and axes ...
    "declare.attributes",  # ... of flags, numbers and words ...
    "declare.same_dtype",  # ... and of two operands
    "declare.deprecation",  # what public functions say that will go
    "declare.eager_only",  # the error of functions that can't be compiled
    "declare.operation_names",  # what operations of graphs are called, a table
    "declare.lengths_of_values",  # shapes among arguments that only a graph's run tells
    "declare.graph_operations",  # functions that graphs call as one operation
    "declare.named_results",  # a table of field names
    "declare.open_graphs",  # whether a graph of TensorFlow 1 is made
    "declare.outputs",  # the types of several outputs, for checkers
    "declare.registered",  # gradients that a program registers for operations of its own
    "declare.structural",  # operations, declared as all others are
    "declare.unknown_sizes",  # lengths of axes in graphs, which compute like integers
    "declare.traits",  # facts that explanations read, and no derivative needs
    "declare.xla_kernels",  # parts of the XLA kernels in declarations
)
"""Modules in the rooms of ENGINE that one can understand the engine without.

Each holds operations, arguments of public functions, tables or types: what happens to an operation
stays the same whatever they say. They keep to the limits for files, and to no other."""
MAX_LINES = 600
MAX_FILES = 20
MAX_ENGINE_LINES = 2500  # lines, without the sections of docstrings
MAX_FUNCTION_LINES = 40  # lines of a function of the engine, without its docstring
WAIVED: dict[str, dict[str, int]] = {
    "check_rooms": {},
    "check_sizes": {},
    "check_names": {
        "_src/xla/kernels": 1,
    },
    "check_assignments": {},
    "check_flags": {},
}
"""Findings that are known, by rule and file, with their number; it may only shrink."""


@dataclass(frozen=True, order=True)
class Finding:
    """A violation of the order, with its place."""

    path: Path
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


@dataclass(frozen=True)
class Import:
    """One imported module (by its full name) in a source file."""

    module: str
    line: int
    lazy: bool
    typing_only: bool


@dataclass
class Source:
    """One parsed file of the package."""

    name: str
    path: Path
    tree: ast.Module
    lines: int
    imports: list[Import] = field(default_factory=list)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """All nodes of the tree, collected once, since a walk takes longer than any check."""
        return list(ast.walk(self.tree))

    @property
    def room(self) -> str:
        """The room that contains this module; "" for a public module."""
        parts = self.name.split(".")
        if parts[1:2] != [PRIVATE]:
            return ""
        inside = parts[2:] if self.path.name == "__init__.py" else parts[2:-1]
        return ".".join(inside)

    @property
    def place(self) -> int:
        """The index of this module's room in ROOMS."""
        if self.name in FIRST:
            return -1
        if self.name in LAST:
            return len(ROOMS)
        return PLACES.get(self.room, -1)


def read(root: Path) -> dict[str, Source]:
    """Returns the sources below `root` (the directory that holds the package) by module name."""
    sources = {}
    for path in sorted((root / PACKAGE).rglob("*.py")):
        name = ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
        text = path.read_text(encoding="utf-8")
        sources[name] = Source(name, path, ast.parse(text), len(text.splitlines()))
    for source in sources.values():
        source.imports = list(imports(source, set(sources)))
    return sources


def imports(source: Source, known: set[str]) -> Iterator[Import]:
    """Yields all imports of `source`, with relative names resolved."""
    package = source.name if source.path.name == "__init__.py" else source.name.rpartition(".")[0]

    def visit(node: ast.AST, *, lazy: bool, typing_only: bool) -> Iterator[Import]:
        if isinstance(node, ast.Import):
            for item in node.names:
                yield Import(item.name, node.lineno, lazy, typing_only)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                up = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*up, base]).rstrip(".")
            for item in node.names:
                child = f"{base}.{item.name}"
                module = child if child in known else base
                yield Import(module, node.lineno, lazy, typing_only)
        inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            typing_only = True
        for child_node in ast.iter_child_nodes(node):
            yield from visit(child_node, lazy=lazy or inside, typing_only=typing_only)

    yield from visit(source.tree, lazy=False, typing_only=False)


def check_rooms(sources: dict[str, Source]) -> Iterator[Finding]:
    """Yields findings for imports from a later room."""
    for source in sources.values():
        for item in source.imports:
            target = sources.get(item.module)
            if target is not None and target.place > source.place:
                message = f"{source.name} imports {target.name}, which stands in a later room"
                yield Finding(source.path, item.line, message)


def check_cycles(sources: dict[str, Source]) -> Iterator[Finding]:
    """Yields a finding for each cycle of imports."""
    state: dict[str, int] = {}
    trail: list[str] = []

    def visit(name: str) -> Iterator[Finding]:
        state[name] = 1
        trail.append(name)
        for item in sources[name].imports:
            if item.typing_only or item.module not in sources or item.module == name:
                continue
            if state.get(item.module) == 1:
                circle = [*trail[trail.index(item.module) :], item.module]
                yield Finding(
                    sources[name].path, item.line, f"imports in a circle: {' -> '.join(circle)}"
                )
            elif item.module not in state:
                yield from visit(item.module)
        trail.pop()
        state[name] = 2

    for name in sources:
        if name not in state:
            yield from visit(name)


def check_lazy(sources: dict[str, Source]) -> Iterator[Finding]:
    """Yields findings for imports inside functions, except those of heavy packages."""
    for source in sources.values():
        for item in source.imports:
            may = HEAVY | SELDOM | LOADS_HEAVY | ON_FIRST_USE
            if item.lazy and not {item.module, item.module.split(".")[0]} & may:
                yield Finding(
                    source.path,
                    item.line,
                    f"imports {item.module} inside a function; only "
                    f"{', '.join(sorted(HEAVY | SELDOM))} may be",
                )


def operations(sources: dict[str, Source]) -> set[str]:
    """Returns the names under which operations are registered: `sin_p = unary("Sin", ...)`."""
    return {
        node.args[0].value
        for source in sources.values()
        if source.room.startswith(("ops", "declare"))
        for node in source.nodes
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in FAMILIES
        and node.args
        and isinstance(node.args[0], ast.Constant)
        and isinstance(node.args[0].value, str)
    }


def check_core_names(sources: dict[str, Source]) -> Iterator[Finding]:
    """Yields findings for operations whose registered names appear in `core`."""
    names = operations(sources)
    for source in sources.values():
        if source.room != "core":
            continue
        for node in source.nodes:
            if isinstance(node, ast.Constant) and node.value in names:
                message = f"core names the operation {node.value!r}; it must know of none"
                yield Finding(source.path, node.lineno, message)


def check_sizes(sources: dict[str, Source]) -> Iterator[Finding]:
    """Yields findings if files, rooms or the engine are too long."""
    for source in sources.values():
        if source.lines > MAX_LINES and not is_generated(source):
            message = f"{source.lines} lines; a file has at most {MAX_LINES}"
            yield Finding(source.path, source.lines, message)
    for room, files in Counter(s.path.parent for s in sources.values() if s.room).items():
        if files > MAX_FILES:
            yield Finding(room, 1, f"{files} files; a room has at most {MAX_FILES}")
    parts = engine(sources)
    total = sum(lines_to_read(source) for source in parts)
    if total > MAX_ENGINE_LINES:
        message = f"the engine has {total} lines; at most {MAX_ENGINE_LINES}"
        yield Finding(parts[0].path.parent, 1, message)


def check_functions(sources: dict[str, Source]) -> Iterator[Finding]:
    """Yields findings for functions of the engine that are too long."""
    for source in engine(sources):
        for node in ast.walk(source.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = _code_lines(node)
                if lines > MAX_FUNCTION_LINES:
                    message = f"{node.name} has {lines} lines; at most {MAX_FUNCTION_LINES}"
                    yield Finding(source.path, node.lineno, message)


def _code_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Returns the number of lines of a function from `def` to its end, without its docstring."""
    said = node.body[0] if ast.get_docstring(node) is not None else None
    docstring = 0 if said is None else (said.end_lineno or said.lineno) - said.lineno + 1
    return (node.end_lineno or node.lineno) - node.lineno + 1 - docstring


def engine(sources: dict[str, Source]) -> list[Source]:
    """Returns the modules that a new reader should read first."""
    return [
        s for s in sources.values() if below(s.name, ENGINE) and not below(s.name, BESIDE_ENGINE)
    ]


def lines_to_read(source: Source) -> int:
    """Returns the number of lines that a reader needs to understand a source.

    The sections of docstrings, which say what each argument of a public function is, do not count:
    editors show them to users, and readers of the engine pass over them. With a limit on these
    lines, public functions would be documented worse the nearer they are to the engine.
    """
    return source.lines - sum(
        len(text.rstrip().splitlines()) - text[: match.start()].count("\n")
        for node in source.nodes
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and (text := ast.get_docstring(node))
        and (match := SECTION.search(text))
    )


def is_generated(source: Source) -> bool:
    """Whether a module states that a tool wrote it."""
    return "do not edit" in (ast.get_docstring(source.tree) or "")


def below(name: str, parts: tuple[str, ...]) -> bool:
    """Whether a module is in one of the given rooms, or is one of the given modules."""
    whole = [f"{PACKAGE}.{PRIVATE}.{part}" for part in parts]
    return any(name == part or name.startswith(f"{part}.") for part in whole)


def check_names(sources: dict[str, Source]) -> Iterator[Finding]:
    """Yields findings for rooms without a README, and for files with names without meaning."""
    for source in sources.values():
        if source.room and source.room not in PLACES and source.path.name != "__init__.py":
            yield Finding(source.path, 1, f"the room {source.room} does not stand in ROOMS")
        if vague := VAGUE & set(source.path.stem.split("_")):
            yield Finding(source.path, 1, f"the name says {vague.pop()!r}, and not what is here")
    for room in sorted({s.path.parent for s in sources.values() if s.room in PLACES and s.room}):
        if not (room / "README.md").is_file():
            yield Finding(room, 1, "the room has no README.md")


def check_assignments(sources: dict[str, Source]) -> Iterator[Finding]:
    """Yields findings for attributes that a module sets on imported classes or modules."""
    for source in sources.values():
        for line, message in assignments(source.tree, PACKAGE):
            yield Finding(source.path, line, message)


def check_flags(sources: dict[str, Source]) -> Iterator[Finding]:
    """Yields findings for state that is stored in a `__dict__` instead of a declared attribute."""
    for source in sources.values():
        for line, message in flags(source.tree):
            yield Finding(source.path, line, message)


def check_strings(sources: dict[str, Source]) -> Iterator[Finding]:
    """Yields findings for modules that are named in strings outside of the manifests."""
    for source in sources.values():
        if source.name in MANIFESTS:
            continue
        for node in source.nodes:
            if (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and node.value.startswith(f"{PACKAGE}.")
                and node.value in sources
            ):
                yield Finding(source.path, node.lineno, f"names {node.value} in a string")


CHECKS = (
    check_rooms,
    check_cycles,
    check_lazy,
    check_core_names,
    check_sizes,
    check_functions,
    check_names,
    check_assignments,
    check_flags,
    check_strings,
)


def findings(root: Path, known: Mapping[str, Mapping[str, int]] = WAIVED) -> list[Finding]:
    """Returns the findings below `root` except for the known ones, by file and line."""
    sources = read(root)
    found = []
    for check in CHECKS:
        here = sorted(check(sources))
        waived = Counter(known.get(check.__name__, {}))
        for finding in here:
            name = finding.path.relative_to(root / PACKAGE).as_posix()
            if waived[name] > 0:
                waived[name] -= 1
            else:
                found.append(finding)
    return sorted(found)


def main(argv: list[str]) -> int:
    """Checks the sources below argv[0] (default: src), and prints the findings."""
    root = Path(argv[0]) if argv else Path(__file__).resolve().parent.parent / "src"
    if not (root / PACKAGE).is_dir():
        print(f"{root}: no package {PACKAGE} here", file=sys.stderr)
        return 2
    found = findings(root)
    for finding in found:
        print(finding)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
