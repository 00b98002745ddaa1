"""Definitions of operations as messages, for `tensorflow.python.framework.op_def_registry`."""

from __future__ import annotations

from functools import cache

from gradtape._src.base.dtypes import as_dtype
from gradtape._src.graphdef_export.nodes import encoded
from gradtape._src.messages import protos
from gradtape._src.raw.op_definitions import Argument, Attribute, is_defined, op_definition


@cache
def get(name: str) -> protos.OpDef | None:
    """Returns the definition of an operation.

    Args:
      name: The operation's name in graphs, such as "MatMul".

    Returns:
      Its inputs, outputs and attributes, and whether it is stateful, without descriptions; None if
      there is no such operation. The values that an attribute may have are in order of the dtypes'
      numbers or of the alphabet.
    """
    if not is_defined(name):
        return None
    known = op_definition(name)
    return protos.OpDef(
        name=name,
        input_arg=[_argument(argument) for argument in known.inputs],
        output_arg=[_argument(argument) for argument in known.outputs],
        attr=[_attribute(attribute) for attribute in known.attributes.values()],
        is_stateful=known.stateful,
    )


def _argument(argument: Argument) -> protos.OpDef.ArgDef:
    return protos.OpDef.ArgDef(
        name=argument.name,
        type=None if argument.dtype is None else as_dtype(argument.dtype).as_datatype_enum,
        type_attr=argument.type_attr,
        number_attr=argument.number_attr,
        type_list_attr=argument.type_list_attr,
        is_ref=argument.is_ref,
    )


def _attribute(attribute: Attribute) -> protos.OpDef.AttrDef:
    made = protos.OpDef.AttrDef(name=attribute.name, type=attribute.kind)
    if attribute.has_default:
        made.default_value.CopyFrom(encoded(attribute.kind, attribute.default))
    if attribute.minimum is not None:
        made.has_minimum, made.minimum = True, attribute.minimum
    if attribute.allowed:
        of_types = attribute.kind in ("type", "list(type)")
        allowed = sorted(attribute.allowed)
        if of_types:
            allowed.sort(key=lambda dtype: as_dtype(dtype).as_datatype_enum)
        kind = "list(type)" if of_types else "list(string)"
        made.allowed_values.CopyFrom(encoded(kind, allowed))
    return made
