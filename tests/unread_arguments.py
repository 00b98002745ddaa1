"""Parameters that are accepted and never read, each with the reason why that is right."""

SPEED = "a hint about speed or memory, without an effect on the result"
PLACE = "says where to compute or keep something; here it is one process"
OPTIONS = "options of TensorFlow's runtime"
VERSION_1 = "TensorFlow ignores it when it runs eagerly, too"
PROTOCOL = "what calls this passes it"
CHECKS = "asks for checks that are always made"
FORMAT = "there is one way to read or write this"
LACKING = "known to be missing"

BY_NAME = {
    "use_locking": "assignments are atomic",
    "parallel_iterations": SPEED,
    "back_prop": "deprecated: stop_gradient",
    "swap_memory": SPEED,
    "infer_shape": "shapes are known",
    "layout": PLACE,
    "validate_indices": CHECKS,
    "validate_args": CHECKS,
    "validate": CHECKS,
    "a_is_sparse": SPEED,
    "b_is_sparse": SPEED,
    "grad_a": "gradients are found in any case",
    "grad_b": "gradients are found in any case",
    "buffer_size": SPEED,
    "num_parallel_calls": SPEED,
    "num_parallel_batches": SPEED,
    "num_parallel_reads": SPEED,
    "deterministic": "the order is always kept",
    "sloppy": "the order is always kept",
    "synchronous": SPEED,
    "use_unbounded_threadpool": SPEED,
    "options": OPTIONS,
    "unique": SPEED,
    "sorted": "the result is always sorted",
    "stable": "the order is always stable",
    "experimental_is_anonymous": PLACE,
    "allow_fast_lookup": SPEED,
    "recall_target": "the result is exact",
    "reduction_input_size_override": "the result is exact",
    "aggregate_to_topk": "the result is exact",
    "graph": "there is one graph",
    "checkpoint": "tables are kept in checkpoints where they are attributes",
    "fancy_upscaling": FORMAT,
    "try_recover_truncated": FORMAT,
    "acceptable_fraction": FORMAT,
    "dct_method": FORMAT,
    "stream": PROTOCOL,
    "casting_context": PROTOCOL,
    "draw_key": PROTOCOL,
    "make": PROTOCOL,
    "mask": PROTOCOL,
    "module": PROTOCOL,
    "original": PROTOCOL,
    "batched": PROTOCOL,
    "caching_device": PLACE,
    "task_type": PLACE,
    "task_id": PLACE,
    "config_proto": PLACE,
    "colocate_with_first_write_call": PLACE,
    "colocate_gradients_with_ops": PLACE,
    "use_cudnn_on_gpu": PLACE,
}

BY_PLACE = {
    reason: places.split()
    for reason, places in {
        PROTOCOL: """
            csr_sparse_matrix_to_sparse_tensor.type sparse_matrix_sparse_mat_mul.type
            TraceType.from_tensors.tensors TraceType.to_tensors.value
            FixedShardsPartitioner.__call__.dtype get_traverse_shallow_structure.expand_composites
            UnevenArray.scatter.indices UnevenArray.scatter.value UnevenArray.unstack.value
            getitem.var FuncGraph.gradient_name.operation
            Dependencies.custom.plan Shell.run_cell_magic._body
            make_decorator.decorator_name make_decorator.decorator_doc
            make_decorator.decorator_argspec merging.strategy mending.is_variable
            reason.where StridedSlice.batch.size MatMul.batch.params Binary.batch.params
            Unary.batch.params Unary.batch.size LazyPackageLoader.create_module.spec
            TestCase.assertRaisesIncompatibleShapesError.kwargs TapeExit.__call__.kind
            TapeExit.__call__.value TapeExit.__call__.traceback RecordingExit.__call__.kind
            RecordingExit.__call__.value RecordingExit.__call__.traceback
            OpenTracer.known_made.inputs OpenTracer.known_made.label
            Graph.is_fetchable.tensor_or_op
            Tracer.known_value.symbol texts_of_examples.___ texts_of_sequences.___
            ragged_gather.OUTPUT_RAGGED_RANK CheckpointSaverHook.after_create_session.coord
            CheckpointSaverListener.after_save.global_step_value
            CheckpointSaverListener.after_save.session FeedFnHook.before_run.run_context
            LoggingTensorHook.after_run.run_context
            LoggingTensorHook.before_run.run_context NanTensorHook.before_run.run_context
            SessionRunHook.before_run.run_context StepHook.before_run.run_context
            StopAtStepHook.after_create_session.coord SummarySaverHook.before_run.run_context
            SummarySaverHook.end.session record_operation.forward_function
            record_operation_forwardprop_only.forwardprop_output_indices
            OptionalParameter.modified_arguments.kwargs
            ParameterModifier.modified_arguments.kwargs
            ParameterModifier.modified_arguments.requested_parameters
            TestCombination.context_managers.kwargs
            TestCombination.should_execute_combination.kwargs
            OpDispatcher.handle.args OpDispatcher.handle.kwargs""",
        OPTIONS: """
            list_local_devices.session_config
            Saver.__init__.builder Saver.__init__.filename Saver.save.save_debug_info
            Saver.save.strip_default_attrs import_meta_graph.clear_devices load.saver_kwargs
            Builder.add_meta_graph.clear_devices Builder.add_meta_graph.strip_default_attrs
            Builder.add_meta_graph_and_variables.clear_devices
            Builder.add_meta_graph_and_variables.strip_default_attrs NamedRestoration.arrived.node
            tf_convert.user_requested
            list_pop.opts get_item.opts
            function.experimental_follow_type_hints
            gradients.aggregation_method gradients.gate_gradients
            Variable.__init__.experimental_enable_variable_lifting
            Groupings.save.checkpoint_args Groupings.load.wait QueueBase.__init__.shared_name
            TestCase.session.config TestCase.session.use_gpu TestCase.session.force_gpu show.block
            TestCase.cached_session.config TestCase.cached_session.use_gpu
            TestCase.cached_session.force_gpu AsInKerasTwo.add_metric.aggregation
            Version1Methods.load.session BaseSession.make_callable.accept_options
            GraphVariable.__init__.experimental_enable_variable_lifting
            FtrlOptimizer.__init__.accum_name FtrlOptimizer.__init__.linear_name
            Optimizer.compute_gradients.aggregation_method
            Optimizer.compute_gradients.gate_gradients Optimizer.minimize.aggregation_method
            Optimizer.minimize.gate_gradients hessians.aggregation_method
            hessians.gate_gradients enable_eager_execution.config
            enable_eager_execution.execution_mode MonitoredTrainingSession.max_wait_secs
            batch.shared_name input_producer.shared_name input_producer.summary_name
            range_input_producer.shared_name shuffle_batch.shared_name
            slice_input_producer.shared_name string_input_producer.shared_name
            GraphIterator.from_structure.shared_name jit_scope.compile_ops
            jit_scope.separate_compiled_gradients CriticalSection.__init__.shared_name
            run_in_graph_and_eager_modes.config run_in_graph_and_eager_modes.use_gpu""",
        VERSION_1: """
            variable_scope.values
            variable_scope.use_resource summary_scope.values Variable.__init__.import_scope
            Variable.__init__.validate_shape Variable.__init__.variable_def
            case.exclusive case.strict moments.shift get_local_variable.trainable
            batch_join.shared_name shuffle_batch_join.shared_name maybe_batch.shared_name
            maybe_batch_join.shared_name maybe_shuffle_batch.shared_name
            maybe_shuffle_batch_join.shared_name
            QueueRunner.__init__.import_scope
            TensorArray.__init__.flow TensorArray.__init__.handle
            TensorArray.__init__.tensor_array_name
            assign.validate_shape cond.strict import_graph_def.op_dict
            import_graph_def.producer_op_list make_tensor_proto.verify_shape
            CriticalSection.__init__.import_scope VariableScope.__init__.use_resource""",
        PLACE: """
            copy_to_device.source_device copy_to_device.target_device prefetch_to_device.device
            colocate_with.ignore_existing colocate_with.op container.container_name
            make_initializable_iterator.shared_name
            StrategyExtended.colocate_vars_with.colocate_with_variable
            StrategyExtended.reduce_to.destinations MirroredStrategy.__init__.cross_device_ops
            Graph.colocate_with.ignore_existing Graph.colocate_with.op
            Graph.device.device_name_or_function
            Saver.__init__.sharded
            enable_eager_execution.device_policy
            create_file_writer.experimental_mesh create_file_writer.experimental_trackable""",
        SPEED: """
            ones_like.optimize zeros_like.optimize
            make_batched_features_dataset.parser_num_threads
            make_batched_features_dataset.reader_num_threads
            make_batched_features_dataset.sloppy_ordering
            parallel_interleave.buffer_output_elements
            parallel_interleave.prefetch_input_elements
            Saver.__init__.restore_sequentially
            non_max_suppression_padded.canonicalized_coordinates
            non_max_suppression_padded.tile_size
            eigh_tridiagonal.tol numpy_function.stateful Transformations.cache.filename
            DenseHashTable.__init__.initial_num_buckets array.copy full_like.subok""",
        "shown in messages alone": """
            assert_rank.data assert_rank.summarize assert_rank_at_least.data
            assert_rank_at_least.summarize assert_rank_in.data assert_rank_in.summarize
            parse_single_example.example_names parse_single_sequence_example.example_name
            assert_shapes.data assert_shapes.summarize enable_check_numerics.path_length_limit
            enable_check_numerics.stack_height_limit assert_positive.summarize
            assert_negative.summarize assert_non_negative.summarize
            assert_non_positive.summarize""",
        "the values have the dtype": "gather_places.dtype gather_rows.dtype",
        "the structure of the types says it": """
            GraphIterator.from_string_handle.output_classes
            GraphIterator.from_structure.output_classes""",
        FORMAT: """
            remove_checkpoint.checkpoint_format_version
            Saver.__init__.save_relative_paths
            TFRecordOptions.__init__.compression_method
            TFRecordOptions.__init__.compression_strategy TFRecordOptions.__init__.flush_mode
            TFRecordOptions.__init__.input_buffer_size TFRecordOptions.__init__.mem_level
            TFRecordOptions.__init__.output_buffer_size TFRecordOptions.__init__.window_bits
            Groupings.load.compression FuncGraph.as_graph_def.from_version
            FuncGraph.as_graph_def.use_pybind11_proto bins.dtype
            histogram_fixed_width_bins.dtype""",
        "the profile is written where `trace_on` was told to": "trace_export.profiler_outdir",
        "the gradient does not depend on it": """
            block_lstm_grad.b block_lstm_grad_v2.b gru_block_cell_grad.b_c
            gru_block_cell_grad.b_ru gru_block_cell_grad.x lstm_block_cell_grad.b
            lstm_block_cell_grad.h_prev lstm_block_cell_grad.w""",
        "each call finds the shapes": """
            Convolution.__init__.filter_shape Convolution.__init__.input_shape""",
        "nothing is drawn at random": "all_candidate_sampler.seed compute_accidental_hits.seed",
        LACKING: """
            Groupings.ignore_errors.log_warning make_csv_dataset.encoding
            QueueRunner.__init__.queue_runner_def table_from_dataset.hasher_spec
            BaseSession.run.run_metadata Benchmark.run_op_benchmark.store_memory_usage
            FileWriter.__init__.graph_def
            FileWriter.__init__.session FileWriter.add_graph.graph_def
            Optimizer.__init__.jit_compile
            GraphVariable.__init__.import_scope GraphVariable.__init__.variable_def
            CriticalSection.__init__.critical_section_def
            CriticalSection.execute.exclusive_resource_access
            run_in_graph_and_eager_modes.assert_no_eager_garbage
""",
    }.items()
}
