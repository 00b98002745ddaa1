"""The manifest of gradtape's own modules that are imported by a name in a string.

No other file contains such a string. Listed here are modules that are loaded on
first use, and modules in rooms that the importing room may not import. This file holds only data.
"""

KERAS = "gradtape.keras"
"""The module that the real Keras replaces."""
KERAS_MANIFEST = "gradtape._src.keras.manifest"
"""The module that lists the patches of Keras; its `BRIDGE` applies them when Keras' modules are
loaded."""
KERAS_TWO = "gradtape._src.keras.version_two"
"""The module that `import tf_keras` returns."""
PROBABILITY_LOADER = "gradtape._src.compat.probability"
"""The module that loads TensorFlow Probability."""

TENSORFLOW_SHIMS = {
    "compiler.tf2xla.python.xla": "gradtape._src.compat.python.xla_ops",
    "compiler.xla.xla_data_pb2": "gradtape._src.messages.protos",
    "python.client.device_lib": "gradtape._src.compat.config",
    "python.data.experimental.ops.distribute": "gradtape._src.data.elements.batch_sizes",
    "python.data.ops.iterator_ops": "gradtape._src.data.pipeline",
    "python.data.util.nest": "gradtape._src.compat.internals.data_nest",
    "python.eager.backprop": "gradtape._src.compat.python.backprop",
    "python.eager.context": "gradtape._src.compat.internals.graph_modes",
    "python.eager.record": "gradtape._src.compat.python.gradient_record",
    "python.eager.tape": "gradtape._src.compat.python.gradient_record",
    "python.framework.composite_tensor": "gradtape._src.compat.python.framework",
    "python.framework.config": "gradtape._src.compat.config",
    "python.framework.op_def_registry": "gradtape._src.compat.internals.op_def_registry",
    "python.framework.ops": "gradtape._src.compat.python.framework_ops",
    "python.framework.tensor_shape": "gradtape._src.compat.python.framework",
    "python.framework.tensor_spec": "gradtape._src.compat.python.specs",
    "python.framework.tensor_util": "gradtape._src.compat.python.framework",
    "python.framework.test_util": "gradtape._src.compat.internals.graph_modes",
    "python.framework.type_spec": "gradtape._src.compat.python.specs",
    "python.framework.type_spec_registry": "gradtape._src.ops.types.spec_names",
    "python.keras.callbacks": "keras.callbacks",
    "python.keras.utils.conv_utils": "gradtape._src.compat.internals.convolution_lengths",
    "python.layers.utils": "gradtape._src.compat.internals.layer_arguments",
    "python.lib.io.tf_record": "gradtape._src.files.records",
    "python.ops.array_ops": "gradtape._src.compat.python.array_ops",
    "python.ops.control_flow_case": "gradtape._src.compat.python.control_flow",
    "python.ops.control_flow_util": "gradtape._src.compat.python.control_flow",
    "python.ops.distributions.util": "gradtape._src.compat.internals.derived_seeds",
    "python.ops.linalg.linear_operator": "gradtape._src.compat.python.linear_operator",
    "python.ops.linalg.linear_operator_addition": (
        "gradtape._src.compat.python.linear_operator_addition"
    ),
    "python.ops.linalg.sparse.sparse": "gradtape._src.ops.sparse.csr",
    "python.ops.linalg.sparse.sparse_csr_matrix_ops": "gradtape._src.ops.sparse.csr",
    "python.ops.math_ops": "gradtape.math",
    "python.ops.nn_ops": "gradtape._src.compat.python.nn_ops",
    "python.ops.numpy_ops.np_config": "gradtape._src.numpy.behavior",
    "python.ops.parallel_for.control_flow_ops": "gradtape._src.compat.python.control_flow",
    "python.ops.random_ops": "gradtape._src.compat.python.random_ops",
    "python.ops.resource_variable_ops": "gradtape._src.compat.python.framework_ops",
    "python.saved_model.nested_structure_coder": "gradtape._src.compat.internals.structure_coder",
    "python.trackable.base": "gradtape._src.compat.tracking",
    "python.trackable.data_structures": "gradtape._src.compat.tracking",
    "python.util.all_util": "gradtape._src.compat.python.all_util",
    "python.util.deprecation": "gradtape._src.compat.python.deprecation",
    "python.util.nest": "gradtape._src.compat.python.nest",
    "python.util.object_identity": "gradtape._src.compat.python.object_identity",
    "python.util.tf_contextlib": "gradtape._src.compat.python.tf_contextlib",
    "python.util.tf_inspect": "gradtape._src.compat.python.tf_inspect",
    "python.util.variable_utils": "gradtape._src.compat.python.framework",
} | {
    f"core.{name}_pb2": "gradtape._src.messages.protos"  # contains all messages
    for name in (
        "example.example",
        "example.feature",
        "framework.allocation_description",
        "framework.attr_value",
        "framework.cost_graph",
        "framework.device_attributes",
        "framework.full_type",
        "framework.function",
        "framework.graph",
        "framework.graph_debug_info",
        "framework.node_def",
        "framework.op_def",
        "framework.resource_handle",
        "framework.step_stats",
        "framework.summary",
        "framework.tensor",
        "framework.tensor_description",
        "framework.tensor_shape",
        "framework.tensor_slice",
        "framework.types",
        "framework.variable",
        "framework.versions",
        "protobuf.cluster",
        "protobuf.config",
        "protobuf.control_flow",
        "protobuf.debug",
        "protobuf.device_filters",
        "protobuf.fingerprint",
        "protobuf.meta_graph",
        "protobuf.rewriter_config",
        "protobuf.saved_model",
        "protobuf.saved_object_graph",
        "protobuf.saver",
        "protobuf.struct",
        "protobuf.tensor_bundle",
        "protobuf.tensorflow_server",
        "protobuf.trackable_object_graph",
        "protobuf.verifier_config",
        "util.event",
    )
}
"""Private modules of TensorFlow from which libraries import, and their counterparts in gradtape."""
