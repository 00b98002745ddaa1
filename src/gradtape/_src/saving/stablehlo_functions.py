"""Functions that older versions of gradtape saved as StableHLO."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

from gradtape._src.core.variable import Variable
from gradtape._src.files.crc32c import crc32c
from gradtape._src.files.damaged_input import reading
from gradtape._src.files.paths import is_file, opened
from gradtape._src.graph.tracing.trace_errors import no_jax
from gradtape._src.messages.reading import DecodeError
from gradtape._src.saving.functions.loaded_objects import SignatureMap, UserObject, set_part
from gradtape._src.saving.functions.restored import RestoredConcrete, RestoredFunction
from gradtape._src.saving.functions.structured_values import Parameters
from gradtape._src.saving.saved_model import CHECKSUMS, DESCRIPTION, FUNCTIONS
from gradtape._src.saving.structures import decoded


def attach_programs(objects: list[Any], directory: Path) -> None:
    """Attaches the functions that gradtape has saved to their objects."""
    extra = directory / FUNCTIONS
    if not is_file(extra / DESCRIPTION):
        return
    checksums = _checksums(extra)
    data = _checked(extra / DESCRIPTION, checksums)
    with reading(str(extra / DESCRIPTION)):
        described = json.loads(data)
        programs = [
            _program(entry, objects, extra / f"{number}.stablehlo", checksums)
            for number, entry in enumerate(described["programs"])
        ]
        for entry in described["functions"]:
            concrete = [programs[_place(n, programs)] for n in entry["programs"]]
            owner, name = objects[_place(entry["node"], objects)], str(entry["name"])
            set_part(owner, name, _function(name, concrete))
        if isinstance(objects[0], UserObject):
            chosen = {
                str(k): programs[_place(n, programs)] for k, n in described["signatures"].items()
            }
            objects[0].signatures = SignatureMap(chosen)


def _checksums(extra: Path) -> dict[str, int] | None:
    """Returns the checksums of the files of functions; models of older versions have none."""
    if not is_file(extra / CHECKSUMS):
        return None
    with opened(str(extra / CHECKSUMS)) as file:
        data = file.read()
    with reading(str(extra / CHECKSUMS)):
        return dict(json.loads(data))


def _checked(path: Path, checksums: dict[str, int] | None) -> bytes:
    """Returns the content of a file of functions."""
    with opened(str(path)) as file:
        data = file.read()
    with reading(str(path)):
        if checksums is not None and checksums[path.name] != crc32c(data):
            raise DecodeError("its checksum does not match")
    return data


def _place(number: Any, among: list[Any]) -> int:
    """Returns a list element, after checking the index."""
    if type(number) is not int or not 0 <= number < len(among):
        raise DecodeError(f"{number!r} is not the number of one of {len(among)} objects")
    return number


def _program(
    entry: Any, objects: list[Any], path: Path, checksums: dict[str, int] | None
) -> RestoredConcrete:
    args, kwargs = decoded(entry["inputs"])
    written, read = (
        [objects[_place(n, objects)] for n in entry[key]] for key in ("written", "read")
    )
    if not all(isinstance(v, Variable) for v in [*written, *read]):
        raise DecodeError("a function uses an object as a variable that is not a variable")
    if importlib.util.find_spec("jax") is None:
        raise no_jax(str(entry["name"]))
    from gradtape._src.saving.stablehlo_programs import Restored  # This import loads JAX.

    blob = _checked(path, checksums)
    with reading(str(path)):
        run = Restored(blob, written, read, int(entry["keys"]))
    names = [str(name) for name in entry["names"]]
    outputs = decoded(entry["outputs"])
    variables = [*written, *read]
    if not names and not args:  # It is a signature.
        parameters = Parameters([], named=list(kwargs))
        return RestoredConcrete(parameters, ((), kwargs), outputs, run, variables, by_name=True)
    parameters = _parameters(names, args, kwargs)
    return RestoredConcrete(parameters, (tuple(args), kwargs), outputs, run, variables)


def _parameters(names: list[str], args: list[Any], kwargs: dict[str, Any]) -> Parameters:
    """Returns the parameters of a function, with the traced values as defaults."""
    placed = names[: len(args)]
    more = "args" if len(args) > len(placed) else None
    return Parameters(placed, tuple(args[: len(placed)]), more, None, list(kwargs), dict(kwargs))


def _function(name: str, programs: list[RestoredConcrete]) -> RestoredFunction:
    parameters = programs[0].parameters if programs else Parameters([], varargs="args")
    return RestoredFunction(name, parameters, programs)
