"""Converts a function's syntax tree to a function whose control flow calls operators.

The analysis and the rewriting of statements are `diastatic-malt`'s. The result is compiled in
memory with the name and the line numbers of the user's file, so that tracebacks and debuggers show
the code as it was written.
"""

from __future__ import annotations
import __future__

import ast
from collections.abc import Callable, Iterable, Sequence
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from malt.converters import (
    asserts,
    break_statements,
    call_trees,
    conditional_expressions,
    continue_statements,
    control_flow,
    functions,
    lists,
    logical_expressions,
    return_statements,
    slices,
    variables,
)
from malt.pyct import anno, cfg, naming, parser, qual_names, transformer
from malt.pyct.static_analysis import activity, liveness, reaching_definitions, reaching_fndefs

from gradtape._src.autograph.features import OPERATORS, Feature, Options
from gradtape._src.autograph.operators import Operators, operators_of
from gradtape._src.autograph.source import Definition, definition_of
from gradtape._src.autograph.syntax import prepared

_FUTURE = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)


class Origin(NamedTuple):
    """The position of a part of the user's code in its file."""

    lineno: int
    col_offset: int
    end_lineno: int
    end_col_offset: int


class _Written:
    """The options of a conversion in the form that malt's converters expect."""

    def __init__(self, options: Options) -> None:
        self.options = self
        self._features = options.features

    def uses(self, feature: Any) -> bool:
        """Whether one of malt's features is wanted."""
        return feature.name in {f.name for f in self._features} or Feature.ALL in self._features

    def call_options(self) -> _Written:
        """Returns the options of the functions that are called."""
        return self

    def to_ast(self) -> ast.expr:
        """Returns the expression by which converted code names these options."""
        return ast.parse(f"{OPERATORS}.STD", mode="eval").body


def converted_tree(function: FunctionType, options: Options) -> tuple[Definition, Any, Any]:
    """Returns the rewritten definition of a function, its name, and the generated names."""
    node = prepared(definition_of(function), function)
    for part in ast.walk(node):
        if hasattr(part, "lineno"):
            anno.setanno(part, anno.Basic.ORIGIN, _origin(part))
    names = {**function.__globals__, **dict.fromkeys(function.__code__.co_freevars)}
    namer = naming.Namer(names)
    name = namer.new_symbol(f"tf__{getattr(node, 'name', 'lam')}", ())
    info = transformer.EntityInfo(name, "", "<fragment>", (), names)
    context = transformer.Context(info, namer, _Written(options))
    _name_errors(node, lambda said: ast.Name(said, ctx=ast.Store()))
    made = _rewritten(_without_defaults(node), context)
    _name_errors(made, lambda node: node.id)
    _watch_errors(made)
    return made, name, namer.generated_names


def _name_errors(tree: ast.AST, renamed: Callable[[Any], Any]) -> None:
    """Converts the target of `except ... as`: a string in Python's tree, a node in malt's."""
    for part in ast.walk(tree):
        if isinstance(part, ast.ExceptHandler) and part.name is not None:
            part.name = renamed(part.name)


def _watch_errors(tree: ast.AST) -> None:
    """Lets the handlers of a `try` see the errors that operations raise while graphs are made."""
    for part in ast.walk(tree):
        if isinstance(part, ast.Try) and part.handlers and _origin_of(part) is not None:
            scope = ast.parse(f"{OPERATORS}.scope", mode="eval").body
            part.body = [ast.With([ast.withitem(scope)], part.body)]


def _origin(node: Any) -> Origin:
    """Returns the position of a node; for a statement with a body, that of its condition."""
    for field in ("test", "iter"):
        node = getattr(node, field, node) if isinstance(node, ast.stmt) else node
    if hasattr(node, "body") and isinstance(node, ast.stmt):
        return Origin(node.lineno, node.col_offset, node.lineno, node.col_offset)
    return Origin(
        node.lineno,
        node.col_offset,
        node.end_lineno or node.lineno,
        node.end_col_offset if node.end_col_offset is not None else node.col_offset,
    )


class _Calls(call_trees.CallTreeTransformer):  # type: ignore[misc]
    """Replaces each called function by the function that an operator returns for it."""

    def visit_Call(self, node: ast.Call) -> ast.Call:  # noqa: N802 (ast's name)
        name = str(anno.getanno(node.func, anno.Basic.QN, default=""))
        node = self.generic_visit(node)
        scope = self.state[call_trees._Function].context_name
        prints = name == "print" and not self.ctx.user.options.uses(Feature.BUILTIN_FUNCTIONS)
        if prints or name.startswith((f"{OPERATORS}.", f"{scope}.")) or name in _DEBUGGERS:
            return node
        wrapped = ast.parse(f"{OPERATORS}.called(f)", mode="eval").body
        assert isinstance(wrapped, ast.Call)
        anno.copyanno(node.func, wrapped, anno.Basic.ORIGIN)
        wrapped.args, node.func = [node.func], wrapped
        return node


_DEBUGGERS = ("pdb.set_trace", "ipdb.set_trace", "breakpoint")


class _ConditionalExpressions(conditional_expressions.ConditionalExpressionTransformer):  # type: ignore[misc]
    """Converts conditional expressions, including nested ones."""

    def visit_IfExp(self, node: ast.IfExp) -> object:  # noqa: N802 (ast's name)
        return super().visit_IfExp(self.generic_visit(node))


def _without_defaults(node: Definition) -> Definition:
    """Removes the default arguments of a definition: the converted function gets their values."""
    args = node.args
    args.defaults = [ast.Constant(None) for _ in args.defaults]
    args.kw_defaults = [d and ast.Constant(None) for d in args.kw_defaults]
    for arg in ast.walk(args):
        if isinstance(arg, ast.arg):
            arg.annotation = None
    if isinstance(node, ast.FunctionDef):
        node.returns = None
    return node


def _rewritten(node: Any, context: Any) -> Any:
    graphs = cfg.build(node)
    node = qual_names.resolve(node)
    node = activity.resolve(node, context, None)
    node = reaching_definitions.resolve(node, context, graphs)
    anno.dup(node, {anno.Static.DEFINITIONS: anno.Static.ORIG_DEFINITIONS})
    node = functions.transform(node, context)
    node = break_statements.transform(node, context)
    if context.user.options.uses(Feature.ASSERT_STATEMENTS):
        node = asserts.transform(node, context)
    node = continue_statements.transform(node, context)
    node = return_statements.transform(node, context)
    if context.user.options.uses(Feature.LISTS):
        node = lists.transform(node, context)
        node = slices.transform(node, context)
    node = _Calls(context).visit(qual_names.resolve(node))
    node = _with_converted_control_flow(node, context)
    node = _ConditionalExpressions(context).visit(node)
    node = logical_expressions.transform(node, context)
    return variables.transform(node, context)


class _Activity(activity.ActivityAnalyzer):  # type: ignore[misc]
    """Finds the variables that each statement reads and binds.

    The parameters of a nested function belong to it alone; malt would bind them in the surrounding
    function, too.
    """

    def visit_arg(self, node: ast.arg) -> object:
        return self.generic_visit(node) if self._track_annotations_only else super().visit_arg(node)


def _with_converted_control_flow(node: Any, context: Any) -> Any:
    graphs = cfg.build(node)
    node = _Activity(context, None).visit(qual_names.resolve(node))
    for analysis in (reaching_definitions, reaching_fndefs, liveness):
        node = analysis.resolve(node, context, graphs)
    return control_flow.ControlFlowTransformer(context).visit(node)


class Converted(NamedTuple):
    """The code of a converted function, and the function by which it calls others."""

    code: CodeType
    operators: Operators

    def instance(self, function: FunctionType) -> FunctionType:
        """Returns the converted form of one of the functions that share the original code."""
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        cells[OPERATORS] = _cell(self.operators)
        closure = tuple([cells[name] for name in self.code.co_freevars])
        made = FunctionType(
            self.code,
            function.__globals__,
            function.__name__,
            function.__defaults__,
            closure,
        )
        made.__kwdefaults__ = function.__kwdefaults__
        made.__doc__, made.__module__ = function.__doc__, function.__module__
        made.__qualname__ = function.__qualname__
        made.__annotations__ = function.__annotations__
        made.__dict__.update(function.__dict__)
        return made


def _cell(value: object) -> Any:
    return (lambda: value).__closure__[0]  # type: ignore[index]


def convert(function: FunctionType, options: Options, call: Callable[[Any], Any]) -> Converted:
    """Converts a function.

    Args:
      function: The function.
      options: The parts that are converted.
      call: Maps a function to the function that is called in its place.

    Raises:
      NoSourceError: The source of `function` is not available.
      UnsupportedLanguageElementError: `function` holds a statement that can't be converted.
    """
    node, name, generated = converted_tree(function, options)
    code = function.__code__
    module = _module(node, name, code.co_freevars)
    _place(module.body, _origin_of(node) or Origin(code.co_firstlineno, 0, code.co_firstlineno, 0))
    flags = code.co_flags & _FUTURE
    outer = _code_in(compile(module, code.co_filename, "exec", flags, dont_inherit=True))
    renamed = _renamed(_code_in(outer), generated, code.co_name, code.co_qualname)
    return Converted(renamed, operators_of(call))


def source_of(function: FunctionType, options: Options) -> str:
    """Returns the converted form of a function as text."""
    node, name, _ = converted_tree(function, options)
    text: str = parser.unparse(_named(node, name), include_encoding_marker=False)
    return text


def _named(node: Definition, name: str) -> ast.stmt:
    """Returns the statement that gives a definition its name."""
    if isinstance(node, ast.FunctionDef):
        node.name = name
        return node
    return ast.Assign(targets=[ast.Name(name, ctx=ast.Store())], value=node)


def _module(node: Definition, name: str, free: Sequence[str]) -> ast.Module:
    """Makes a module with the definition inside of a function that has the closure's variables."""
    module = ast.parse("def outer(): pass")
    outer = module.body[0]
    assert isinstance(outer, ast.FunctionDef)
    targets: list[ast.expr] = [ast.Name(n, ctx=ast.Store()) for n in (OPERATORS, *free)]
    outer.body = [ast.Assign(targets=targets, value=ast.Constant(None)), _named(node, name)]
    return module


def _origin_of(node: Any) -> Origin | None:
    origin: Origin | None = anno.getanno(node, anno.Basic.ORIGIN, default=None)
    return origin


def _place(nodes: Iterable[Any], around: Origin) -> None:
    """Gives every node the position of its origin, or else that of the surrounding node."""
    for node in nodes:
        here = _origin_of(node) or around
        if "lineno" in node._attributes:
            last = here if not _is_operator(node) else Origin(*here[:2], *here[:2])
            for name, value in zip(here._fields, last, strict=True):
                setattr(node, name, value)
        _place(ast.iter_child_nodes(node), here)


def _is_operator(node: ast.AST) -> bool:
    """Whether a node is the name of an operator, at whose end Python places the call."""
    return isinstance(node, ast.Attribute) and getattr(node.value, "id", None) == OPERATORS


def _code_in(code: CodeType) -> CodeType:
    return next(const for const in code.co_consts if isinstance(const, CodeType))


def _renamed(code: CodeType, generated: Iterable[str], name: str, qualified: str) -> CodeType:
    """Gives code objects the names in the user's code, also to blocks that became functions."""
    consts = []
    for const in code.co_consts:
        if isinstance(const, CodeType):
            own = const.co_name not in generated
            inner = const.co_name if own else name
            path = f"{qualified}.<locals>.{inner}" if own else qualified
            const = _renamed(const, generated, inner, path)  # noqa: PLW2901
        consts.append(const)
    return code.replace(co_consts=tuple(consts), co_name=name, co_qualname=qualified)
