"""Why programs of `probes` print something else than TensorFlow does: see docs/differences.md."""


def _named(room: str, names: str) -> frozenset[str]:
    return frozenset(f"{room}.{name}" for name in names.split())


REASONS: dict[str, frozenset[str]] = {
    "graphs of TensorFlow 1 know the number of axes, import no messages, and check at once": (
        _named(
            "sessions",
            "a_graph_is_imported a_line_is_fitted a_sum_of_placeholders maps_and_scans "
            "printing_and_asserting sparse_placeholders",
        )
    ),
    "what is known is computed while the function is traced": (
        _named("autograph", "a_for_loop_over_a_range")
        | _named("concrete", "big_and_small_constants inputs_include_captures")
        | _named("control", "while_loop_with_a_maximum")
        | _named(
            "graphs",
            "attributes_of_operations captures_of_a_graph constants_are_nodes names_by_argument "
            "names_of_functions printed_composites types_of_operators",
        )
        | _named("lessons", "loops_in_python_are_unrolled")
        | _named("nested", "tensors_hidden_in_objects_are_captured")
        | _named(
            "symbolic",
            "constant_of_a_symbolic_tensor constants_are_folded_into_shapes "
            "convert_to_tensor_of_symbols static_asserts static_values_of_tensors_are_not_python",
        )
    ),
    "graphs can be looked at, and not made or changed by hand": (
        _named(
            "concrete",
            "experimental_implements_and_attributes nested_functions_share_captures prune "
            "the_graph_and_its_operations the_graph_definition",
        )
        | _named("control", "a_device_in_a_function")
        | _named(
            "graphs",
            "a_graph_that_is_imported control_inputs "
            "functions_in_a_graph_definition operations_of_a_print operations_of_a_variable "
            "tensors_of_two_graphs the_current_graph wrap_function",
        )
        | _named("nested", "tracing_types_of_ones_own")
        | _named("state", "control_dependencies what_tf_group_returns")
        | _named(
            "symbolic",
            "device_and_graph_of_tensors executing_eagerly_and_inside_function "
            "init_scope_lifts_out what_kind_of_object",
        )
        | _named("tracing", "the_name_and_the_python_function")
    ),
    "arguments are told apart exactly": (
        _named("jit", "a_variable_as_argument")
        | _named("nested", "an_argument_for_a_variable attrs_like_mappings large_python_numbers")
        | _named(
            "nested", "eager_tensors_of_numpy_types_share_a_trace sizes_that_are_equal_numbers"
        )
        | _named(
            "tracing",
            "each_variable_is_traced_for floats_that_are_not_numbers once_per_python_number "
            "specs_and_shapes_and_dtypes_as_arguments true_and_one_are_different_keys "
            "two_variables_that_are_one",
        )
    ),
    "exceptions of the program keep their type": (
        _named(
            "autograph",
            "errors_in_called_functions errors_name_the_line_of_the_user "
            "errors_of_a_kind_of_ones_own",
        )
        | _named("control", "recursion_by_cond")
        | _named("nested", "kinds_of_errors_that_leave_a_trace")
    ),
    "more is allowed": (
        _named(
            "autograph",
            "a_custom_gradient_is_not_converted a_for_loop_over_unpacked_rows a_loop_with_else "
            "and_of_numbers comprehensions_over_tensors conditions_on_unknown_shapes "
            "enumerate_over_a_tensor what_is_called_by_tensorflow_is_converted_or_not",
        )
        | _named("control", "cond_with_a_python_condition")
        | _named(
            "nested",
            "a_concrete_function_outlives_its_variables_owner things_that_are_no_functions "
            "weak_references_to_functions",
        )
        | _named(
            "state",
            "a_tensor_array_is_returned a_variable_made_in_a_failed_trace a_write_that_is_not_kept",
        )
        | _named(
            "symbolic",
            "copying_and_pickling_symbolic_tensors len_and_iteration numpy_of_a_symbolic_tensor",
        )
    ),
    "a tensor of unknown rank is traced for each shape": (
        _named(
            "shapes",
            "broadcast_of_unknown_with_known images joins_and_splits ragged_tensors reductions "
            "reshapes shapes_of_calls slices sparse_tensors transposes_and_orders",
        )
        | _named("state", "variables_of_unknown_shape")
        | _named("symbolic", "set_shape_and_ensure_shape shapes_of_results")
        | _named(
            "tracing",
            "input_signature_without_a_rank reduce_retracing_relaxes_shapes "
            "the_most_special_trace_is_taken",
        )
    ),
    "an unknown length or a value that an operation needs while it is traced": (
        _named(
            "autograph",
            "a_for_loop_over_a_ragged_tensor shape_invariants",
        )
        | _named("control", "cond_with_different_branches")
        | _named("gradients", "batch_jacobian_in_a_function")
        | _named(
            "shapes",
            "convolutions_and_pools fills_and_ranges "
            "gathers_and_scatters layers_with_unknown_sizes padding products_of_matrices "
            "shapes_from_other_shapes "
            "shapes_of_gradients shapes_of_maps_and_scans",
        )
        | _named(
            "symbolic",
            "indexing_with_symbols shapes_from_tensors ",
        )
    ),
    "data sets and iterators run as Python": (
        _named(
            "data_sets",
            "a_py_function_in_a_map data_sets_in_functions "
            "numpy_functions_in_maps numpy_of_an_element_in_a_map "
            "raw_bytes unique_of_what_it_cannot_compare unknown_shapes",
        )
        | _named("lessons", "imbalanced_classes_are_resampled")
        | _named("replicas", "a_step_of_an_iterator an_epoch_in_a_function")
    ),
    "functions of Python in graphs are called to learn what they give": (
        _named(
            "control",
            "map_fn_traces_once numpy_function_in_a_function numpy_function_of_another_dtype "
            "py_function_runs_at_every_call py_function_with_wrong_results",
        )
    ),
    "gradients are traced with the function": _named(
        "gradients",
        "a_tape_that_is_opened_outside_and_used_inside custom_gradient_in_a_function "
        "custom_gradient_under_an_outer_tape gradient_override_by_recompute",
    ),
    "choices and loops draw random numbers from keys": _named(
        "state", "seeds_in_a_loop_of_a_function"
    ),
    "a function is not traced once more when it is saved": _named(
        "saved", "loaded_functions_have_their_traces saving_traces_anew"
    ),
    "tables are not saved with a function": _named("saved", "loaded_tables_and_constants"),
    "XLA compiles for each shape": (
        _named("concrete", "jit_compile_refuses_what_has_no_kernel")
        | _named(
            "jit",
            "nested_in_a_plain_function one_trace_for_an_unknown_size "
            "sizes_that_depend_on_values strings_prints_and_python",
        )
    ),
}
