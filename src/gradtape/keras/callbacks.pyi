# Written by `python tools/generate_keras_stubs.py` from Keras 3.15.1; do not edit.

from typing import Any

class BackupAndRestore(Callback):
    def __init__(self, backup_dir: Any, save_freq: Any = ..., double_checkpoint: Any = ..., delete_checkpoint: Any = ...) -> None: ...
    save_freq: Any
    double_checkpoint: Any
    delete_checkpoint: Any
    backup_dir: Any
class CSVLogger(Callback):
    def __init__(self, filename: Any, separator: Any = ..., append: Any = ...) -> None: ...
    sep: Any
    filename: Any
    append: Any
    writer: Any
    keys: Any
    append_header: Any
    csv_file: Any
class Callback:
    def __init__(self) -> None: ...
    def set_params(self, params: Any) -> Any: ...
    def set_model(self, model: Any) -> Any: ...
    @property
    def model(self) -> Any: ...
    def on_batch_begin(self, batch: Any, logs: Any = ...) -> Any: ...
    def on_batch_end(self, batch: Any, logs: Any = ...) -> Any: ...
    def on_epoch_begin(self, epoch: Any, logs: Any = ...) -> Any: ...
    def on_epoch_end(self, epoch: Any, logs: Any = ...) -> Any: ...
    def on_train_batch_begin(self, batch: Any, logs: Any = ...) -> Any: ...
    def on_train_batch_end(self, batch: Any, logs: Any = ...) -> Any: ...
    def on_test_batch_begin(self, batch: Any, logs: Any = ...) -> Any: ...
    def on_test_batch_end(self, batch: Any, logs: Any = ...) -> Any: ...
    def on_predict_batch_begin(self, batch: Any, logs: Any = ...) -> Any: ...
    def on_predict_batch_end(self, batch: Any, logs: Any = ...) -> Any: ...
    def on_train_begin(self, logs: Any = ...) -> Any: ...
    def on_train_end(self, logs: Any = ...) -> Any: ...
    def on_test_begin(self, logs: Any = ...) -> Any: ...
    def on_test_end(self, logs: Any = ...) -> Any: ...
    def on_predict_begin(self, logs: Any = ...) -> Any: ...
    def on_predict_end(self, logs: Any = ...) -> Any: ...
    params: Any
class CallbackList(Callback):
    def __init__(self, callbacks: Any = ..., add_history: Any = ..., add_progbar: Any = ..., model: Any = ..., **params: Any) -> None: ...
    callbacks: Any
class EarlyStopping(Callback):
    def __init__(self, monitor: Any = ..., min_delta: Any = ..., patience: Any = ..., verbose: Any = ..., mode: Any = ..., baseline: Any = ..., restore_best_weights: Any = ..., start_from_epoch: Any = ...) -> None: ...
    def get_monitor_value(self, logs: Any) -> Any: ...
    patience: Any
    verbose: Any
    baseline: Any
    wait: Any
    stopped_epoch: Any
    restore_best_weights: Any
    best_weights: Any
    start_from_epoch: Any
    best: Any
    best_epoch: Any
    monitor: Any
    mode: Any
    min_delta: Any
    monitor_op: Any
class History(Callback):
    def __init__(self) -> None: ...
    history: dict[str, list[float]]
    epoch: Any
class LambdaCallback(Callback):
    def __init__(self, on_epoch_begin: Any = ..., on_epoch_end: Any = ..., on_train_begin: Any = ..., on_train_end: Any = ..., on_train_batch_begin: Any = ..., on_train_batch_end: Any = ..., **kwargs: Any) -> None: ...
class LearningRateScheduler(Callback):
    def __init__(self, schedule: Any, verbose: Any = ...) -> None: ...
    schedule: Any
    verbose: Any
class ModelCheckpoint(Callback):
    def __init__(self, filepath: Any, monitor: Any = ..., verbose: Any = ..., save_best_only: Any = ..., save_weights_only: Any = ..., mode: Any = ..., save_freq: Any = ..., initial_value_threshold: Any = ...) -> None: ...
    verbose: Any
    filepath: Any
    save_best_only: Any
    save_weights_only: Any
    save_freq: Any
    best: Any
    monitor: Any
    mode: Any
    min_delta: Any
    monitor_op: Any
class OrbaxCheckpoint(Callback):
    def __init__(self, directory: Any, monitor: Any = ..., verbose: Any = ..., save_best_only: Any = ..., mode: Any = ..., save_freq: Any = ..., initial_value_threshold: Any = ..., max_to_keep: Any = ..., save_on_background: Any = ..., save_weights_only: Any = ...) -> None: ...
    def is_multihost_enabled(self) -> Any: ...
    def is_primary_host(self) -> Any: ...
    def wait_until_finished(self) -> Any: ...
    directory: Any
    verbose: Any
    save_best_only: Any
    save_freq: Any
    max_to_keep: Any
    save_on_background: Any
    save_weights_only: Any
    checkpointer: Any
    best: Any
    monitor: Any
    mode: Any
    min_delta: Any
    monitor_op: Any
class ProgbarLogger(Callback):
    def __init__(self) -> None: ...
    seen: Any
    progbar: Any
    target: Any
    verbose: Any
    epochs: Any
class ReduceLROnPlateau(Callback):
    def __init__(self, monitor: Any = ..., factor: Any = ..., patience: Any = ..., verbose: Any = ..., mode: Any = ..., min_delta: Any = ..., cooldown: Any = ..., min_lr: Any = ..., **kwargs: Any) -> None: ...
    def in_cooldown(self) -> Any: ...
    factor: Any
    min_lr: Any
    patience: Any
    verbose: Any
    cooldown: Any
    cooldown_counter: Any
    wait: Any
    best: Any
    monitor: Any
    mode: Any
    min_delta: Any
    monitor_op: Any
class RemoteMonitor(Callback):
    def __init__(self, root: Any = ..., path: Any = ..., field: Any = ..., headers: Any = ..., send_as_json: Any = ...) -> None: ...
    root: Any
    path: Any
    field: Any
    headers: Any
    send_as_json: Any
class SwapEMAWeights(Callback):
    def __init__(self, swap_on_epoch: Any = ...) -> None: ...
    swap_on_epoch: Any
class TensorBoard(Callback):
    def __init__(self, log_dir: Any = ..., histogram_freq: Any = ..., write_graph: Any = ..., write_images: Any = ..., write_steps_per_second: Any = ..., update_freq: Any = ..., profile_batch: Any = ..., embeddings_freq: Any = ..., embeddings_metadata: Any = ...) -> None: ...
    @property
    def summary(self) -> Any: ...
    log_dir: Any
    histogram_freq: Any
    write_graph: Any
    write_images: Any
    write_steps_per_second: Any
    update_freq: Any
    embeddings_freq: Any
    embeddings_metadata: Any
class TerminateOnNaN(Callback):
    def __init__(self, raise_error: Any = ...) -> None: ...
    raise_error: Any
