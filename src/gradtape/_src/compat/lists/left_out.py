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
        "on processors and GPUs, tf.distribute.MirroredStrategy has the same methods",
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
            "__internal__.eager_context.get_*",
            "__internal__.saved_model.*",
            "__internal__.ops.get_resource_handle_data",
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
    LeftOut(
        ("nn.RNNCell*Wrapper",),
        "Keras 3 has no wrappers of cells",
        "use the dropout of tf.keras.layers.LSTMCell, or subclass tf.keras.layers.Layer",
    ),
    LeftOut(
        (
            "data.experimental.to_variant",
            "data.experimental.from_variant",
            "data.experimental.get_model_proto",
            "data.experimental.make_saveable_from_iterator",
            "compat.v1.data.experimental.to_variant",
            "compat.v1.data.experimental.from_variant",
            "compat.v1.data.experimental.get_model_proto",
            "compat.v1.data.experimental.make_saveable_from_iterator",
        ),
        "a dataset has no handle of TensorFlow's runtime",
        "pass the tf.data.Dataset itself, and save its iterator with tf.train.Checkpoint",
    ),
    LeftOut(
        (
            "data.experimental.distributed_save",
            "data.experimental.ServiceOptions",
            "compat.v1.data.experimental.distributed_save",
        ),
        "it needs TensorFlow's data servers",
        "tf.data.Dataset.save writes a dataset from one process",
    ),
    LeftOut(
        ("data.experimental.enable_debug_mode",),
        "the functions of a dataset are always traced",
        "wrap a function in tf.py_function to debug it",
    ),
    LeftOut(
        ("check_pinned", "nondifferentiable_batch_function", "__internal__.execute_fn_for_device"),
        "it controls how TensorFlow's runtime places or gathers calls",
        "call the function directly, on a batch",
    ),
    LeftOut(
        ("image.generate_bounding_box_proposals", "compat.v1.image.generate_bounding_box*"),
        "TensorFlow computes it only on GPUs",
        "combine tf.math.top_k and tf.image.non_max_suppression",
    ),
    LeftOut(
        (
            "nn.learned_unigram_candidate_sampler",
            "random.learned_unigram_candidate_sampler",
            "compat.v1.nn.learned_unigram_candidate_sampler",
            "compat.v1.random.learned_unigram_candidate_sampler",
        ),
        "its samples depend on hidden state",
        "count the classes, and use tf.random.fixed_unigram_candidate_sampler",
    ),
    LeftOut(
        ("debugging.experimental.*", "compat.v1.debugging.experimental.*_dump*"),
        "it writes files for TensorBoard's debugger, which TensorFlow's runtime fills",
        "use tf.debugging.enable_check_numerics, or Python's debugger in eager code",
    ),
    LeftOut(
        ("config.experimental.reset_memory_stats",),
        "JAX's allocator can't forget its peak",
        "tf.config.experimental.get_memory_info returns the peak since the process began",
    ),
    LeftOut(
        (
            "distribute.CrossDeviceOps",
            "distribute.experimental.CollectiveHints",
            "train.experimental.MaxShardSizePolicy",
            "train.experimental.Shard*",
            "__internal__.distribute.ShardedVariable",
            "__internal__.distribute.variable_sync_on_read_context",
        ),
        "it controls how TensorFlow's runtime spreads inputs and variables over machines",
        "the strategies in tf.distribute have one way for each",
    ),
    LeftOut(
        ("distribute.experimental.TPUStrategy",),
        "TensorFlow has deprecated it",
        "on processors and GPUs, tf.distribute.MirroredStrategy has the same methods",
    ),
    LeftOut(
        (
            "test.experimental.*",
            "test.with_eager_op_as_function",
            "experimental.enable_strict_mode",
        ),
        "it tests TensorFlow itself",
        "use tf.test.TestCase, and Python's timeit",
    ),
    LeftOut(
        (
            "__internal__.mixed_precision.*",
            "__internal__.tracking.CheckpointInitialValue*",
            "__internal__.tracking.DelegatingTrackableMixin",
            "__internal__.tracking.ObjectGraphView",
            "__internal__.tracking.register_session_provider",
            "__internal__.tracking.saveable_objects_from_trackable",
            "__internal__.tracking.streaming_restore",
            "__internal__.train.set_using_mixed_precision_policy",
            "__internal__.record_gradient",
            "__internal__.load_context",
            "__internal__.is_tfrt_enabled",
            "__internal__.get_enclosing_xla_context",
        ),
        "it is private to TensorFlow and the Keras of its time",
        "use tf.nest, tf.Module, tf.train.Checkpoint and tf.custom_gradient",
    ),
    LeftOut(
        ("nn.with_space_to_batch",),
        "programs hardly use it",
        "tf.nn.convolution takes `dilations`",
    ),
    LeftOut(
        ("parallel_stack", "compat.v1.parallel_stack"),
        "TensorFlow allows it only in graphs",
        "use tf.stack",
    ),
    LeftOut(
        ("ragged_fill_empty_rows*",),
        "it is the raw operation under a private name",
        "use tf.sparse.fill_empty_rows on the sparse tensor",
    ),
    LeftOut(
        ("conv", "raw_ops.Conv"),
        "it is a raw operation without a gradient",
        "use tf.nn.convolution",
    ),
    LeftOut(
        ("experimental.ExtensionTypeBatchEncoder",),
        "batches of extension types are always stacked tensors",
        "use tf.experimental.BatchableExtensionType",
    ),
    LeftOut(
        ("types.experimental.AtomicFunction",),
        "a function with one graph is a concrete function",
        "use tf.types.experimental.ConcreteFunction",
    ),
    LeftOut(
        ("compat.v1.layers", "compat.v1.nn.rnn_cell"),
        "TensorFlow 2.21 cannot run it either, since Keras 3 has no such layers",
        "use tf.keras.layers, or tf.compat.v1.get_variable with the functions of tf.nn",
    ),
    LeftOut(
        ("compat.v1.distributions.*",),
        "TensorFlow has moved it to TensorFlow Probability",
        "use tensorflow_probability.distributions, which runs on gradtape",
    ),
    LeftOut(
        ("compat.v1.test.assert_equal_graph_def",),
        "TensorFlow 2 takes its arguments in another order",
        "use tf.test.assert_equal_graph_def",
    ),
    LeftOut(
        ("compat.v1.get_session_*", "compat.v1.delete_session_tensor"),
        "it keeps a tensor in TensorFlow's runtime between runs of a session",
        "assign the tensor to a tf.Variable",
    ),
    LeftOut(
        (
            "compat.v1.*ConditionalAccumulator*",
            "compat.v1.train.GlobalStepWaiterHook",
            "compat.v1.train.Server",
            "compat.v1.train.SyncReplicasOptimizer",
            "compat.v1.train.WorkerSessionCreator",
            "compat.v1.train.replica_device_setter",
        ),
        "it is for graphs that several of TensorFlow's servers run",
        "tf.distribute.MultiWorkerMirroredStrategy trains in several processes",
    ),
    LeftOut(
        (
            "compat.v1.mixed_precision.*LossScale*",
            "compat.v1.mixed_precision.*_mixed_precision*",
            "compat.v1.train.experimental.*LossScale*",
            "compat.v1.train.experimental.*mixed_precision*",
        ),
        "it rewrites graphs for GPUs",
        "use tf.keras.mixed_precision",
    ),
    LeftOut(
        (
            "compat.v1.profiler.*Proto",
            "compat.v1.profiler.Profile*",
            "compat.v1.profiler.advise",
            "compat.v1.profiler.profile",
            "compat.v1.profiler.write_op_log",
        ),
        "it reads records of TensorFlow's runtime",
        "use tf.profiler.experimental, or Python's cProfile",
    ),
    LeftOut(
        (
            "compat.v1.nn.quantized_*",
            "compat.v1.train.do_quantize_training_on_graphdef",
            "compat.v1.train.sdca_*",
        ),
        "programs hardly use it",
        "tf.quantization has operations for simulated quantization, and tf.compat.v1.train has "
        "optimizers",
    ),
    LeftOut(
        ("compat.v1.resource_loader.*", "compat.v1.test.test_src_dir_path"),
        "it finds files of TensorFlow's own packages",
        "use Python's importlib.resources",
    ),
    LeftOut(
        ("compat.v1.LMDBReader",),
        "it needs the library LMDB",
        "read the file with the package lmdb, in tf.data.Dataset.from_generator",
    ),
    LeftOut(
        ("compat.v1.nn.static_state_saving_rnn",),
        "it needs a queue that saves states, which TensorFlow 2 lacks",
        "use tf.compat.v1.nn.static_rnn with `initial_state`",
    ),
    LeftOut(
        (
            "compat.v1.errors.raise_exception_on_not_ok_status",
            "compat.v1.experimental.output_all_intermediates",
            "compat.v1.test.StubOutForTesting",
        ),
        "it is for TensorFlow's own code",
        "use tf.test.TestCase, and tf.compat.v1.test.mock",
    ),
    LeftOut(
        ("compat.v1.CXX*", "compat.v1.MONOLITHIC_BUILD"),
        "it is for compiling code against TensorFlow, and gradtape is pure Python",
    ),
    LeftOut(
        ("compat.v1.QUANTIZED_DTYPES", "compat.v1.quantize_v2"),
        "gradtape has no quantized dtypes",
        "use tf.quantization.quantize_and_dequantize_v2 or tf.quantization.quantize",
    ),
    LeftOut(
        ("compat.v1.autograph.to_code", "compat.v1.autograph.to_graph"),
        "the source that gradtape makes from a function differs from TensorFlow's",
        "use tf.autograph.to_code and tf.autograph.to_graph",
    ),
    LeftOut(
        ("compat.v1.batch_scatter_update",),
        "TensorFlow has deprecated it",
        "use tf.tensor_scatter_nd_update or tf.compat.v1.scatter_nd_update",
    ),
    LeftOut(
        (
            "compat.v1.data.experimental.*TensorStructure",
            "compat.v1.data.experimental.*ArrayStructure",
        ),
        "TensorFlow has deprecated structures",
        "use tf.TensorSpec, tf.SparseTensorSpec, tf.RaggedTensorSpec and tf.TensorArraySpec",
    ),
    LeftOut(
        ("compat.v1.data.experimental.map_and_batch_with_legacy_function",),
        "TensorFlow has deprecated it",
        "use tf.data.Dataset.map and batch",
    ),
    LeftOut(
        ("compat.v1.distribute.experimental.MultiWorkerMirroredStrategy",),
        "it starts TensorFlow's servers for graphs",
        "use tf.distribute.MultiWorkerMirroredStrategy",
    ),
    LeftOut(
        ("compat.v1.distribute.get_loss_reduction",),
        "it reads how an estimator scales its loss",
        "use tf.nn.compute_average_loss",
    ),
    LeftOut(
        (
            "compat.v1.graph_util.must_run_on_cpu",
            "compat.v1.graph_util.remove_training_nodes",
            "compat.v1.graph_util.tensor_shape_from_node_def_name",
        ),
        "TensorFlow has deprecated it",
        "use tf.compat.v1.graph_util.extract_sub_graph, or Graph.get_tensor_by_name(...).shape",
    ),
    LeftOut(
        ("compat.v1.image.resize_image_with_pad",),
        "TensorFlow 2 has another name for it",
        "use tf.image.resize_with_pad",
    ),
    LeftOut(
        ("compat.v1.op_scope", "compat.v1.variable_op_scope"),
        "TensorFlow has deprecated it",
        "use tf.compat.v1.name_scope(name, default_name, values) and "
        "tf.compat.v1.variable_scope(name_or_scope, default_name, values)",
    ),
    LeftOut(
        ("compat.v1.random.stateless_multinomial",),
        "TensorFlow 2 has another name for it",
        "use tf.random.stateless_categorical(logits, num_samples, seed, dtype)",
    ),
    LeftOut(
        ("compat.v1.saved_model.signature_def_utils.MethodNameUpdater",),
        "it edits saved models for an old TensorFlow Serving",
        "set `method_name` of the SignatureDef before it is saved",
    ),
    LeftOut(
        ("compat.v1.sparse.merge", "compat.v1.sparse_merge"),
        "TensorFlow has deprecated it",
        "make a tf.SparseTensor from the ids as second column of `indices`",
    ),
    LeftOut(
        ("compat.v1.sparse_matmul",),
        "it is a raw operation",
        "use tf.matmul with a_is_sparse and b_is_sparse",
    ),
    LeftOut(
        (
            "compat.v1.summary.SummaryDescription",
            "compat.v1.summary.TaggedRunMetadata",
            "compat.v1.summary.all_v2_summary_ops",
            "compat.v1.summary.get_summary_description",
            "compat.v1.summary.initialize",
        ),
        "it is for summaries of version 2 in graphs of version 1",
        "use tf.compat.v1.summary.merge_all with tf.compat.v1.summary.FileWriter, or tf.summary in "
        "eager code",
    ),
    LeftOut(
        (
            "compat.v1.train.Supervisor",
            "compat.v1.train.SessionManager",
            "compat.v1.train.basic_train_loop",
            "compat.v1.train.LooperThread",
        ),
        "TensorFlow has deprecated supervisors",
        "use tf.compat.v1.train.MonitoredTrainingSession with hooks",
    ),
    LeftOut(
        ("compat.v1.train.ProfilerHook",),
        "it writes records of TensorFlow's runtime",
        "use tf.profiler.experimental, or Python's cProfile",
    ),
    LeftOut(
        ("compat.v1.train.VocabInfo", "compat.v1.train.warm_start"),
        "it is for estimators",
        "use tf.compat.v1.train.init_from_checkpoint",
    ),
)


@cache
def left_out(path: str) -> LeftOut | None:
    """Returns the group of `tf.<path>`; None if gradtape doesn't leave it out on purpose."""
    return next((entry for entry in LEFT_OUT if entry.has(path)), None)
