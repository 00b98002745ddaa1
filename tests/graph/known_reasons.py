"""Why programs of `probes` print something else than TensorFlow does: see docs/differences.md."""

REASONS: dict[str, frozenset[str]] = {
    "graphs of TensorFlow 1 look tensors up anew": frozenset(
        [
            "sessions_feeds.constants_that_are_folded",
            "sessions_idioms.operations_that_are_looked_up",
        ]
    ),
    "what is known is computed while the function is traced": frozenset(
        [
            "concrete.big_and_small_constants",
            "concrete.inputs_include_captures",
            "graphs.captures_of_a_graph",
            "graphs.constants_are_nodes",
            "graphs.names_by_argument",
            "graphs.names_of_functions",
            "graphs.printed_composites",
            "graphs.types_of_operators",
            "lessons.loops_in_python_are_unrolled",
            "calls.static_and_dynamic_shapes",
            "nested.tensors_hidden_in_objects_are_captured",
            "symbolic.constant_of_a_symbolic_tensor",
            "symbolic.constants_are_folded_into_shapes",
            "symbolic.convert_to_tensor_of_symbols",
            "symbolic.static_asserts",
            "symbolic.static_values_of_tensors_are_not_python",
        ]
    ),
    "graphs can be looked at, and not made or changed by hand": frozenset(
        [
            "concrete.nested_functions_share_captures",
            "control.a_device_in_a_function",
            "graphs.control_inputs",
            "graphs.functions_in_a_graph_definition",
            "graphs.operations_of_a_print",
            "graphs.operations_of_a_variable",
            "state.control_dependencies",
            "state.what_tf_group_returns",
            "symbolic.device_and_graph_of_tensors",
            "symbolic.what_kind_of_object",
        ]
    ),
    "arguments are compared exactly": frozenset(
        [
            "calls.signatures_with_ragged_and_sparse",
            "nested.large_python_numbers",
            "tracing.specs_and_shapes_and_dtypes_as_arguments",
        ]
    ),
    "more is allowed": frozenset(
        [
            "guides_names_v1.versions_of_switches_in_the_program",
            "sessions_flow.loops_of_all_kinds",
            "sessions_flow.tables_in_graphs",
            "sessions_variables.variables_of_any_shape",
            "sessions_feeds.names_are_checked_at_once",
            "autograph.a_custom_gradient_is_not_converted",
            "autograph.a_loop_with_else",
            "autograph.and_of_numbers",
            "autograph.conditions_on_unknown_shapes",
            "autograph.what_is_called_by_tensorflow_is_converted_or_not",
            "nested.a_concrete_function_outlives_its_variables_owner",
            "nested.things_that_are_no_functions",
            "nested.weak_references_to_functions",
            "state.a_tensor_array_is_returned",
            "state.a_variable_made_in_a_failed_trace",
            "symbolic.copying_and_pickling_symbolic_tensors",
            "symbolic.numpy_of_a_symbolic_tensor",
        ]
    ),
    "of shapes that depend on values more or less is known": frozenset(
        [
            "shapes.convolutions_and_pools",
            "shapes.joins_and_splits",
            "shapes.reductions",
            "shapes.reshapes",
            "shapes.shapes_from_other_shapes",
            "shapes.sparse_tensors",
        ]
    ),
    "errors are of another kind": frozenset(
        [
            "control.cond_with_different_branches",
        ]
    ),
    "functions of Python in graphs are called to learn what they give": frozenset(
        ["control.py_function_with_wrong_results"]
    ),
    "gradients are traced with the function": frozenset(
        [
            "gradients.custom_gradient_in_a_function",
            "gradients.custom_gradient_under_an_outer_tape",
            "gradients.gradient_override_by_recompute",
        ]
    ),
    "conditionals and loops draw random numbers from keys": frozenset(
        ["state.seeds_in_a_loop_of_a_function"]
    ),
    "a function is not traced once more when it is saved": frozenset(
        ["saved.loaded_functions_have_their_traces", "saved.saving_traces_anew"]
    ),
    "XLA compiles for each shape": frozenset(
        [
            "concrete.jit_compile_refuses_what_has_no_kernel",
            "jit.sizes_that_depend_on_values",
            "jit.strings_prints_and_python",
        ]
    ),
    "graphs of TensorFlow 1 name gradients and constants of arguments in their own way": frozenset(
        [
            "guides_names_v1.losses_and_metrics",
            "sessions_files.graphs_are_imported_with_a_map",
            "sessions_training.steps_and_their_order",
        ]
    ),
    "names of TensorFlow 1 that do not exist yet": frozenset(
        [
            "guides_names_v1.shapes_consist_of_dimensions",
            "guides_names_v1.tensors_are_equal_by_identity",
            "sessions_files.losses_in_collections",
        ]
    ),
}
