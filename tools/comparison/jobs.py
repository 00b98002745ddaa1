"""The names that are compared, and the names that are not called."""

from __future__ import annotations

from fnmatch import fnmatch
from typing import Any

from comparison.recipes import OBJECTS
from gradtape._src.compat.alias import resolve
from gradtape._src.compat.names import KERAS, Names, tensorflow_names

NOT_CALLED = {
    "config.*": "changes the process",
    "debugging.enable_*": "changes the process",
    "debugging.disable_*": "changes the process",
    "debugging.set_log_device_placement": "changes the process",
    "debugging.experimental.*": "changes the process",
    "experimental.numpy.experimental_enable_numpy_behavior": "changes the process",
    "random.set_*": "changes the process",
    "random.get_*": "changes the process",
    "compat.dispatch*": "changes the process",
    "__internal__*": "internal",
    "autograph.*": "converts functions, which tests/autograph compares",
    "function": "traces functions, which tests/graph compares",
    "distribute.*": "several devices, which tests/distribute compares",
    "io.gfile.*": "files",
    "io.write_*": "files",
    "io.read_file": "files",
    "io.matching_files": "files",
    "io.TFRecord*": "files",
    "load_library": "files",
    "load_op_library": "files",
    "profiler.*": "files",
    "saved_model.*": "files, which tests/saving compares",
    "summary.*": "files",
    "train.*": "files, which tests/saving compares",
    "test.*": "a runner of tests",
    "sysconfig.*": "the machine",
    "version.*": "the machine",
    "mixed_precision.*": "Keras",
    "types.*": "for type checkers",
    "nest.*": "",
    "data.experimental.*": "files, which tests/data compares",
    "data.*Dataset": "files, which tests/data compares",
    "data.Dataset.list_files": "files, which tests/data compares",
    "data.Dataset.load": "files, which tests/data compares",
    "data.Dataset.save": "files, which tests/data compares",
    "data.Dataset.snapshot": "files, which tests/data compares",
    "io.match_filenames_once": "files",
    "queue.*": "waits",
    "py_function": "functions",
    "numpy_function": "functions",
    "print": "prints",
    "raw_ops.Print*": "prints",
    "raw_ops.*File*": "files",
    "raw_ops.*Dataset*": "files",
    "raw_ops.Save*": "files",
    "raw_ops.Restore*": "files",
    **dict.fromkeys(
        (
            *("raw_ops.AccumulateNV2", "raw_ops.Conv2DBackprop*V2", "conv2d_backprop_*_v2"),
            *(
                "raw_ops.CudnnRNN*",
                "raw_ops.*FFTND",
                "*fftnd",
                "raw_ops.Segment*V2",
                "raw_ops.TopK",
            ),
            "*.approx_min_k",
        ),
        "TensorFlow has no kernel for processors",
    ),
    **dict.fromkeys(
        (
            *("Operation", "RaggedTensor", "Tensor", "TypeSpec", "data.Iterator"),
            *("experimental.ExtensionType*", "experimental.Optional", "experimental.RowPartition"),
            *("linalg.LinearOperator", "experimental.numpy.inexact", "experimental.numpy.ndarray"),
        ),
        "a class whose objects other functions make",
    ),
    **dict.fromkeys(
        ("*Spec.cast", "*Spec.placeholder_value"), "takes an object of TensorFlow's own code"
    ),
    **dict.fromkeys(
        (
            *("gradients", "hessians", "*import_graph_def", "TensorArray.grad"),
            *("Variable.eval", "Variable.initialized_value"),
        ),
        "works in graphs, which tests/graph compares",
    ),
    "raw_ops.*LSTM*Grad*": "other shapes end TensorFlow's process; tests/ops/raw compares it",
    "register_tensor_conversion_function": "changes the process",
    "experimental.dispatch_for_*": "changes the process",
    "experimental.unregister_dispatch_for": "changes the process",
    "experimental.extension_type.as_dict": "takes an object of a class of the program",
    "experimental.numpy.round": "TensorFlow's fails unless NumPy's methods are enabled",
    "experimental.numpy.around": "TensorFlow's fails unless NumPy's methods are enabled",
    "lookup.TextFileInitializer": "files",
    "Variable.ref": "an address",
    "Tensor.ref": "an address",
}
NOT_CALLED = {pattern: why for pattern, why in NOT_CALLED.items() if why}


def why_not_called(path: str) -> str:
    """Returns the reason why a name is not called; "" if it is called."""
    return next((why for pattern, why in NOT_CALLED.items() if fnmatch(path, pattern)), "")


def public_paths(names: Names) -> list[str]:
    """Returns TensorFlow's public names, without those of version 1 and of Keras."""
    return [
        f"{space}.{name}".lstrip(".")
        for space, inside in names.modules.items()
        if not f"{space}.".startswith(("compat.v1.", "compat.v2."))
        for name in sorted(inside)
        if space not in KERAS and f"{space}.{name}".lstrip(".") not in names.modules
    ]


def member_paths(names: Names) -> list[str]:
    """Returns the public members of TensorFlow's classes, except version 1's and Keras'."""
    return [
        f"{path}.{member}"
        for path, members in names.classes.items()
        if not path.startswith(("compat.", *(f"{name}." for name in KERAS)))
        for member in sorted(members)
    ]


def named() -> list[str]:
    """Returns all names whose parameters are compared."""
    names = tensorflow_names()
    return [*public_paths(names), *member_paths(names)]


def _here(path: str) -> Any:
    try:
        return resolve(path)
    except (AttributeError, ImportError):
        return None


def called() -> dict[str, list[str]]:
    """Returns the functions and methods that are called, each with all of its names."""
    known: dict[int, list[str]] = {}
    order = sorted(public_paths(tensorflow_names()), key=lambda path: (len(path.split(".")), path))
    for path in order:
        target = _here(path)
        if callable(target) and not why_not_called(path):
            known.setdefault(id(target), []).append(path)
    result = {paths[0]: paths for paths in known.values()}
    classes = tensorflow_names().classes
    for owner in OBJECTS:
        for member in sorted(classes.get(owner, ())):
            path = f"{owner}.{member}"
            if callable(_here(path)) and not why_not_called(path):
                result[path] = [path]
    return result
