"""Names that gradtape leaves out on purpose, with reasons and replacements.

`gradtape doctor`, the message for a missing name, and docs/api.md use this list.
"""

from fnmatch import fnmatchcase
from functools import cache
from typing import NamedTuple


class LeftOut(NamedTuple):
    """A group of names that are left out for one reason.

    Attributes:
        names: The names below `tf`, with `*` for any text; `tpu.*` includes `tpu` itself.
        reason: The reason why they are left out.
        instead: A replacement; an empty text if nothing is similar.
    """

    names: tuple[str, ...]
    reason: str
    instead: str = ""

    def __str__(self) -> str:
        return f"{self.reason}; {self.instead}" if self.instead else self.reason

    def has(self, path: str) -> bool:
        """Whether the name `tf.<path>` belongs to the group."""
        return any(fnmatchcase(path, name) or f"{path}.*" == name for name in self.names)


LEFT_OUT = (
    LeftOut(
        ("tpu.*", "compat.v1.tpu.*", "distribute.cluster_resolver.TPUClusterResolver"),
        "it drives Google's TPUs",
        "tf.distribute.TPUStrategy runs programs that are written for TPUs on the processor",
    ),
    LeftOut(
        (
            "lite.*",
            "compat.v1.lite.*",
            "quantization.experimental.*",
            "compat.v1.quantization.experimental.*",
        ),
        "it converts models for phones with TensorFlow's compiler",
        "tf.saved_model.save writes a model that TensorFlow's tf.lite.TFLiteConverter reads",
    ),
    LeftOut(
        ("mlir.*", "compat.v1.mlir.*", "config.experimental.*_mlir_bridge"),
        "it belongs to TensorFlow's compiler",
        "tf.function(jit_compile=True) compiles with XLA",
    ),
    LeftOut(
        (
            "feature_column.*",
            "compat.v1.feature_column.*",
            "__internal__.feature_column.*",
            "compat.v1.tpu.experimental.embedding_column",
        ),
        "TensorFlow has deprecated feature columns",
        "use Keras' preprocessing layers, such as tf.keras.layers.StringLookup, Discretization, "
        "CategoryEncoding and Embedding",
    ),
    LeftOut(
        ("estimator.*", "compat.v1.estimator.*"),
        "TensorFlow has removed estimators",
        "use tf.keras.Model.fit or a loop with tf.GradientTape",
    ),
    LeftOut(
        ("contrib.*", "compat.v1.contrib.*"),
        "TensorFlow 2 has no tf.contrib",
        "its layers are in tf.keras.layers, and most of the rest in TensorFlow Addons and Keras",
    ),
    LeftOut(
        ("experimental.dtensor.*",),
        "meshes of devices belong to TensorFlow's runtime",
        "use tf.distribute.MirroredStrategy, or tf.function(jit_compile=True) on several devices",
    ),
    LeftOut(
        (
            "distribute.coordinator.*",
            "distribute.experimental.coordinator.*",
            "distribute.experimental.rpc.*",
            "distribute.experimental.ParameterServerStrategy",
            "distribute.ParameterServerStrategy",
            "compat.v1.distribute.experimental.ParameterServerStrategy",
            "distribute.Server",
            "distribute.cluster_resolver.GCEClusterResolver",
            "distribute.cluster_resolver.Kubernetes*",
            "distribute.cluster_resolver.SlurmClusterResolver",
            "distribute.experimental.Preemption*",
            "distribute.experimental.TerminationConfig",
            "compat.v1.distribute.cluster_resolver.GCE*",
            "compat.v1.distribute.cluster_resolver.Kubernetes*",
            "compat.v1.distribute.cluster_resolver.Slurm*",
            "config.experimental_connect_to_*",
            "config.experimental.ClusterDeviceFilters",
            "__internal__.distribute.combinations.*",
            "__internal__.distribute.multi_process_runner.*",
            "test.create_local_cluster",
            "compat.v1.test.create_local_cluster",
        ),
        "it needs TensorFlow's servers",
        "tf.distribute.MultiWorkerMirroredStrategy trains in several processes",
    ),
    LeftOut(
        ("data.experimental.service.*", "compat.v1.data.experimental.service.*"),
        "it needs TensorFlow's data servers",
        "tf.data.Dataset.shard gives each process its part of a dataset",
    ),
    LeftOut(
        ("load_library", "load_op_library", "compat.v1.load_*library", "user_ops.*"),
        "it loads operations that are compiled for TensorFlow",
        "write the operation in Python with tf.custom_gradient, or wrap the library with "
        "tf.numpy_function",
    ),
    LeftOut(
        (
            "sysconfig.get_compile_flags",
            "sysconfig.get_link_flags",
            "sysconfig.get_include",
            "sysconfig.get_lib",
            "sysconfig.CXX*",
            "sysconfig.MONOLITHIC_BUILD",
            "__cxx*",
            "__compiler_version__",
            "__monolithic_build__",
            "__git_version__",
            "compat.v1.sysconfig.CXX*",
            "compat.v1.sysconfig.get_compile_flags",
            "compat.v1.sysconfig.get_include",
            "compat.v1.sysconfig.get_l*",
            "compat.v1.sysconfig.MONOLITHIC_BUILD",
            "experimental.register_filesystem_plugin",
        ),
        "it is for compiling code against TensorFlow, and gradtape is pure Python",
    ),
    LeftOut(
        ("experimental.tensorrt.*",),
        "it converts models with NVIDIA's compiler",
        "tf.saved_model.save writes a model that TensorFlow's converter reads",
    ),
    LeftOut(
        (
            "__internal__.eager_context.*",
            "__internal__.dispatch.*",
            "__internal__.monitoring.*",
            "__internal__.saved_model.*",
            "__internal__.test.*",
            "__internal__.function.*",
            "__internal__.graph_util.*",
            "__internal__.ops.*",
            "__internal__.create_c_op",
            "__internal__.lift_to_graph",
            "__internal__.register_*",
            "config.experimental.*_device_policy",
            "config.experimental.set_synchronous_execution",
            "experimental.async_*",
            "experimental.function_executor_type",
        ),
        "it is bound to TensorFlow's runtime",
    ),
    LeftOut(
        ("profiler.experimental.client.*", "profiler.experimental.server.*"),
        "it needs TensorFlow's profiling server",
        "Python's cProfile and tf.summary measure programs",
    ),
    LeftOut(
        ("experimental.StructuredTensor*",),
        "it has no use without TensorFlow's protocol buffer parsers",
        "use dictionaries of tensors and tf.nest",
    ),
    LeftOut(
        ("io.decode_jxl", "image.decode_jxl", "io.*code_proto"),
        "it needs a TensorFlow library",
        "decode in Python, with tf.numpy_function",
    ),
)


@cache
def left_out(path: str) -> LeftOut | None:
    """Returns the group of `tf.<path>`; None if gradtape doesn't leave it out on purpose."""
    return next((entry for entry in LEFT_OUT if entry.has(path)), None)
