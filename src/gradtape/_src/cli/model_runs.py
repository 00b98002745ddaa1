"""`gradtape run-model`: calls a signature of a saved model on arrays from files."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gradtape._src.base.errors import OpError
from gradtape._src.cli.program import CommandError
from gradtape._src.cli.saved_models import printable
from gradtape._src.core.tensor import Tensor, TensorLike
from gradtape._src.files.atomic_write import replacing
from gradtape._src.ops.types.specs import TensorSpec
from gradtape._src.saving.loading import load

Array = np.ndarray[Any, Any]
_OWN = frozenset("?bhilqBHILQefdFD")  # NumPy's dtypes that .npz files hold without NumPy's pickles


@dataclass(frozen=True)
class ModelRun:
    """The arguments of `gradtape run-model`.

    Attributes:
      directory: The directory of the model.
      inputs: "NAME=FILE" for each input.
      signature: The name of the signature.
      output: The file for the results; None prints them.
    """

    directory: Path
    inputs: Sequence[str]
    signature: str = "serving_default"
    output: Path | None = None


def run_model(asked: ModelRun) -> int:
    """Calls a signature of a saved model, and prints or saves the results.

    Args:
      asked: The signature and its inputs.

    Returns:
      The exit status, 0.

    Raises:
      CommandError: A file can't be read or written, the model can't be loaded, or the inputs are
        not those of the signature. No file is written in that case.
    """
    given = dict(_input(text) for text in asked.inputs)
    if len(given) != len(asked.inputs):
        raise CommandError("an input is given twice")
    if asked.output is not None and not asked.output.absolute().parent.is_dir():
        raise CommandError(f"{asked.output} can't be written: its directory does not exist")
    called = _signature(asked)
    if not hasattr(called, "structured_input_signature"):
        _called(called, {})  # raises the reason why it can't be called
    results = _called(called, _fitted(given, called.structured_input_signature[1]))
    arrays = {name: _array(name, value) for name, value in sorted(results.items())}
    if asked.output is None:
        for name, array in arrays.items():
            print(f"{printable(name)}:\n{array}")
        return 0
    try:
        with replacing(str(asked.output)) as file:
            np.savez(file, allow_pickle=False, **{k: _storable(k, x) for k, x in arrays.items()})
    except (OpError, OSError) as error:
        raise CommandError(f"{asked.output} can't be written: {_said(error)}") from None
    return 0


def _input(text: str) -> tuple[str, Array]:
    """Returns the name and the array of an argument such as "x=file.npy"."""
    name, sign, file = text.partition("=")
    if not (name and sign and file):
        raise CommandError(f"--input takes NAME=FILE.npy, not {text!r}")
    try:
        array = np.load(file, allow_pickle=False)
    except (EOFError, ValueError, zipfile.BadZipFile):  # NumPy's message suggests unpickling
        raise CommandError(f"{file} is not an .npy file of numbers or strings") from None
    except (OSError, MemoryError) as error:
        raise CommandError(f"{file} can't be read: {_said(error)}") from None
    if not isinstance(array, np.ndarray):
        array.close()
        raise CommandError(f"{file} holds several arrays; --input takes a file of one, as .npy is")
    return name, array


def _signature(asked: ModelRun) -> Any:
    """Returns the requested signature."""
    try:
        model = load(asked.directory)
    except (OpError, OSError, ImportError, ValueError, AssertionError) as error:
        raise CommandError(f"{asked.directory} can't be loaded: {_said(error)}") from None
    signatures = getattr(model, "signatures", None) or {}
    if asked.signature not in signatures:
        names = ", ".join(sorted(map(printable, signatures))) or "none"
        raise CommandError(
            f"{asked.directory} has no signature {asked.signature!r}; it has: {names}"
        )
    return signatures[asked.signature]


def _fitted(given: Mapping[str, Array], specs: Mapping[str, Any]) -> dict[str, Tensor]:
    """Converts the arrays to the tensors that a signature takes."""
    if set(given) != set(specs):
        wanted = ", ".join(f"{printable(name)} ({specs[name]})" for name in sorted(specs))
        raise CommandError(
            f"the signature takes the inputs {wanted or 'none'}; got: "
            f"{', '.join(sorted(given)) or 'none'}"
        )
    return {name: _tensor(name, array, specs[name]) for name, array in given.items()}


def _tensor(name: str, array: Array, spec: TensorSpec) -> Tensor:
    wrong = CommandError(
        f"the input {name!r} takes {spec}; got an array of shape {array.shape}, dtype {array.dtype}"
    )
    if spec.dtype.name == "string":
        if array.dtype.kind not in "SU":
            raise wrong
        held = np.array([_bytes(x) for x in array.reshape(-1)], object).reshape(array.shape)
        tensor = Tensor(held)
    else:
        tensor = Tensor(_converted(array, spec, wrong)[()])
    if not spec.is_compatible_with(tensor):
        raise wrong
    return tensor


def _bytes(text: Any) -> bytes:
    return text.encode() if isinstance(text, str) else bytes(text)


def _converted(array: Array, spec: TensorSpec, wrong: CommandError) -> Array:
    """Converts an array to the dtype of a spec; integers must keep their values."""
    dtype = np.dtype(spec.dtype.np_dtype)
    if array.dtype.kind not in "?biufcV" or array.dtype.kind == "V" != dtype.kind:
        raise wrong
    if not np.can_cast(array.dtype, dtype, "same_kind"):
        raise wrong
    with np.errstate(over="ignore"):
        made = array.astype(dtype)
    if array.dtype.kind in "iu" and (made != array).any():
        raise wrong
    return made


def _called(signature: Any, inputs: dict[str, Tensor]) -> Mapping[str, Any]:
    try:
        found: Mapping[str, Any] = signature(**inputs)
    except Exception as error:  # noqa: BLE001 (a model's graph may fail in any way)
        raise CommandError(f"the model can't be run on these inputs: {_said(error)}") from None
    return found


def _array(name: str, value: Any) -> Array:
    if not isinstance(value, TensorLike):
        raise CommandError(f"the output {name!r} is a {type(value).__name__}, not a tensor")
    return np.asarray(value._value)


def _storable(name: str, array: Array) -> Array:
    """Converts an array for an .npz file: strings of one length, small floats as float32."""
    if array.dtype == object:
        texts = [_bytes(x) for x in array.reshape(-1)]
        if any(text.endswith(b"\0") for text in texts):
            raise CommandError(f"the output {name!r} has strings that NumPy's files can't hold")
        return np.array(texts, np.bytes_).reshape(array.shape)
    return array if array.dtype.char in _OWN else array.astype(np.float32)


def _said(error: BaseException) -> str:
    """Returns the message of an exception and its notes, such as the node, on one line."""
    text = " ".join([str(error) or type(error).__name__, *getattr(error, "__notes__", ())])
    return printable(" ".join(text.split()))
