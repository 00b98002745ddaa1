"""Why programs of `probes` print something else than TensorFlow does: see docs/differences.md."""

REASONS: dict[str, frozenset[str]] = {
    "what is known is computed while the function is traced": frozenset(
        [
            "graphs.printed_composites",
            "lessons.loops_in_python_are_unrolled",
            "symbolic.static_asserts",
        ]
    ),
    "graphs can be looked at, and not made or changed by hand": frozenset(
        [
            "concrete.nested_functions_share_captures",
            "graphs.control_inputs",
            "graphs.functions_in_a_graph_definition",
            "graphs.operations_of_a_print",
            "graphs.operations_of_a_variable",
            "symbolic.what_kind_of_object",
        ]
    ),
    "arguments are compared exactly": frozenset(
        [
            "calls.signatures_with_ragged_and_sparse",
            "tracing.specs_and_shapes_and_dtypes_as_arguments",
        ]
    ),
    "more is allowed": frozenset(
        [
            "guides_names_v1.versions_of_switches_in_the_program",
            "sessions_flow.loops_of_all_kinds",
            "sessions_flow.tables_in_graphs",
            "sessions_variables.variables_of_any_shape",
            "autograph.a_custom_gradient_is_not_converted",
            "autograph.a_loop_with_else",
            "autograph.conditions_on_unknown_shapes",
            "autograph.what_is_called_by_tensorflow_is_converted_or_not",
            "nested.a_concrete_function_outlives_its_variables_owner",
            "nested.things_that_are_no_functions",
            "nested.weak_references_to_functions",
            "python_kinds.copying_functions",
            "state.a_tensor_array_is_returned",
            "state.a_variable_made_in_a_failed_trace",
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
    "gradients are traced with the function": frozenset(
        [
            "gradients.custom_gradient_in_a_function",
            "gradients.custom_gradient_under_an_outer_tape",
            "gradients.gradient_override_by_recompute",
        ]
    ),
    "conditionals and loops draw random numbers from keys": frozenset(
        [
            "state.seeds_in_a_loop_of_a_function",
        ]
    ),
    "XLA compiles for each shape": frozenset(
        [
            "jit.sizes_that_depend_on_values",
        ]
    ),
    "graphs of TensorFlow 1 name gradients and constants of arguments in their own way": frozenset(
        [
            "sessions_files.graphs_are_imported_with_a_map",
            "sessions_training.steps_and_their_order",
        ]
    ),
    "names of TensorFlow 1 that do not exist yet": frozenset(
        [
            "guides_names_v1.shapes_consist_of_dimensions",
        ]
    ),
}
