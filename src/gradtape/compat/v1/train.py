"""`tf.compat.v1.train`: the global step, and learning rates that fall with it."""

import sys as _sys
import typing as _typing

from gradtape._src.compat.v1_decay import assert_global_step as assert_global_step
from gradtape._src.compat.v1_decay import cosine_decay as cosine_decay
from gradtape._src.compat.v1_decay import cosine_decay_restarts as cosine_decay_restarts
from gradtape._src.compat.v1_decay import create_global_step as create_global_step
from gradtape._src.compat.v1_decay import exponential_decay as exponential_decay
from gradtape._src.compat.v1_decay import get_global_step as get_global_step
from gradtape._src.compat.v1_decay import get_or_create_global_step as get_or_create_global_step
from gradtape._src.compat.v1_decay import global_step as global_step
from gradtape._src.compat.v1_decay import inverse_time_decay as inverse_time_decay
from gradtape._src.compat.v1_decay import linear_cosine_decay as linear_cosine_decay
from gradtape._src.compat.v1_decay import natural_exp_decay as natural_exp_decay
from gradtape._src.compat.v1_decay import noisy_linear_cosine_decay as noisy_linear_cosine_decay
from gradtape._src.compat.v1_decay import piecewise_constant as _piecewise_constant_decay
from gradtape._src.compat.v1_decay import piecewise_constant as piecewise_constant
from gradtape._src.compat.v1_decay import polynomial_decay as polynomial_decay
from gradtape._src.compat.v1_namespaces import shared as _shared
from gradtape._src.files.event_files import summary_iterator as summary_iterator
from gradtape._src.messages import protos as _protos
from gradtape._src.saving.state import (
    generate_checkpoint_state_proto as generate_checkpoint_state_proto,
)
from gradtape._src.saving.state import update_absolute_checkpoint_state as _update_checkpoint_state
from gradtape._src.sessions.files.initialization import init_from_checkpoint as init_from_checkpoint
from gradtape._src.sessions.files.meta_graphs import export_meta_graph as export_meta_graph
from gradtape._src.sessions.files.saver import NewCheckpointReader as NewCheckpointReader
from gradtape._src.sessions.files.saver import Saver as Saver
from gradtape._src.sessions.files.saver import checkpoint_exists as checkpoint_exists
from gradtape._src.sessions.files.saver import get_checkpoint_mtimes as get_checkpoint_mtimes
from gradtape._src.sessions.files.saver import import_meta_graph as import_meta_graph
from gradtape._src.sessions.files.saver import remove_checkpoint as remove_checkpoint
from gradtape._src.sessions.monitored.batches import batch as batch
from gradtape._src.sessions.monitored.batches import batch_join as batch_join
from gradtape._src.sessions.monitored.batches import maybe_batch as maybe_batch
from gradtape._src.sessions.monitored.batches import maybe_batch_join as maybe_batch_join
from gradtape._src.sessions.monitored.batches import maybe_shuffle_batch as maybe_shuffle_batch
from gradtape._src.sessions.monitored.batches import (
    maybe_shuffle_batch_join as maybe_shuffle_batch_join,
)
from gradtape._src.sessions.monitored.batches import shuffle_batch as shuffle_batch
from gradtape._src.sessions.monitored.batches import shuffle_batch_join as shuffle_batch_join
from gradtape._src.sessions.monitored.hooks import FeedFnHook as FeedFnHook
from gradtape._src.sessions.monitored.hooks import FinalOpsHook as FinalOpsHook
from gradtape._src.sessions.monitored.hooks import (
    NanLossDuringTrainingError as NanLossDuringTrainingError,
)
from gradtape._src.sessions.monitored.hooks import NanTensorHook as NanTensorHook
from gradtape._src.sessions.monitored.hooks import SecondOrStepTimer as SecondOrStepTimer
from gradtape._src.sessions.monitored.hooks import SessionRunArgs as SessionRunArgs
from gradtape._src.sessions.monitored.hooks import SessionRunContext as SessionRunContext
from gradtape._src.sessions.monitored.hooks import SessionRunHook as SessionRunHook
from gradtape._src.sessions.monitored.hooks import SessionRunValues as SessionRunValues
from gradtape._src.sessions.monitored.hooks import StopAtStepHook as StopAtStepHook
from gradtape._src.sessions.monitored.input_producers import input_producer as input_producer
from gradtape._src.sessions.monitored.input_producers import limit_epochs as limit_epochs
from gradtape._src.sessions.monitored.input_producers import (
    range_input_producer as range_input_producer,
)
from gradtape._src.sessions.monitored.input_producers import (
    slice_input_producer as slice_input_producer,
)
from gradtape._src.sessions.monitored.input_producers import (
    string_input_producer as string_input_producer,
)
from gradtape._src.sessions.monitored.monitored_session import (
    ChiefSessionCreator as ChiefSessionCreator,
)
from gradtape._src.sessions.monitored.monitored_session import MonitoredSession as MonitoredSession
from gradtape._src.sessions.monitored.monitored_session import (
    MonitoredTrainingSession as MonitoredTrainingSession,
)
from gradtape._src.sessions.monitored.monitored_session import SessionCreator as SessionCreator
from gradtape._src.sessions.monitored.monitored_session import (
    SingularMonitoredSession as SingularMonitoredSession,
)
from gradtape._src.sessions.monitored.queue_runners import QueueRunner as QueueRunner
from gradtape._src.sessions.monitored.queue_runners import add_queue_runner as add_queue_runner
from gradtape._src.sessions.monitored.queue_runners import (
    start_queue_runners as start_queue_runners,
)
from gradtape._src.sessions.monitored.reporting_hooks import (
    CheckpointSaverHook as CheckpointSaverHook,
)
from gradtape._src.sessions.monitored.reporting_hooks import (
    CheckpointSaverListener as CheckpointSaverListener,
)
from gradtape._src.sessions.monitored.reporting_hooks import LoggingTensorHook as LoggingTensorHook
from gradtape._src.sessions.monitored.reporting_hooks import StepCounterHook as StepCounterHook
from gradtape._src.sessions.monitored.reporting_hooks import SummarySaverHook as SummarySaverHook
from gradtape._src.sessions.monitored.scaffold import Scaffold as Scaffold
from gradtape._src.sessions.training.dual_averaging import AdagradDAOptimizer as AdagradDAOptimizer
from gradtape._src.sessions.training.optimizer import Optimizer as Optimizer
from gradtape._src.sessions.training.update_rules import AdadeltaOptimizer as AdadeltaOptimizer
from gradtape._src.sessions.training.update_rules import AdagradOptimizer as AdagradOptimizer
from gradtape._src.sessions.training.update_rules import AdamOptimizer as AdamOptimizer
from gradtape._src.sessions.training.update_rules import FtrlOptimizer as FtrlOptimizer
from gradtape._src.sessions.training.update_rules import (
    GradientDescentOptimizer as GradientDescentOptimizer,
)
from gradtape._src.sessions.training.update_rules import MomentumOptimizer as MomentumOptimizer
from gradtape._src.sessions.training.update_rules import (
    ProximalAdagradOptimizer as ProximalAdagradOptimizer,
)
from gradtape._src.sessions.training.update_rules import (
    ProximalGradientDescentOptimizer as ProximalGradientDescentOptimizer,
)
from gradtape._src.sessions.training.update_rules import RMSPropOptimizer as RMSPropOptimizer

piecewise_constant_decay = _piecewise_constant_decay
update_checkpoint_state = _update_checkpoint_state

_SAME = frozenset(
    """
    Checkpoint CheckpointManager CheckpointOptions Coordinator ExponentialMovingAverage
    checkpoints_iterator get_checkpoint_state latest_checkpoint list_variables load_checkpoint
    load_variable
    """.split()  # noqa: SIM905 (a column of words reads better)
)
"""The names that mean the same in `tf.train`."""
_MESSAGES = frozenset(
    [
        "BytesList",
        "ClusterDef",
        "Example",
        "Feature",
        "FeatureList",
        "FeatureLists",
        "Features",
        "FloatList",
        "Int64List",
        "JobDef",
        "SaverDef",
        "SequenceExample",
        "ServerDef",
    ]
)

if _typing.TYPE_CHECKING:  # made on first use, see __getattr__
    from gradtape._src.messages.protos import BytesList as BytesList
    from gradtape._src.messages.protos import ClusterDef as ClusterDef
    from gradtape._src.messages.protos import Example as Example
    from gradtape._src.messages.protos import Feature as Feature
    from gradtape._src.messages.protos import FeatureList as FeatureList
    from gradtape._src.messages.protos import FeatureLists as FeatureLists
    from gradtape._src.messages.protos import Features as Features
    from gradtape._src.messages.protos import FloatList as FloatList
    from gradtape._src.messages.protos import Int64List as Int64List
    from gradtape._src.messages.protos import JobDef as JobDef
    from gradtape._src.messages.protos import SaverDef as SaverDef
    from gradtape._src.messages.protos import SequenceExample as SequenceExample
    from gradtape._src.messages.protos import ServerDef as ServerDef
else:

    def __getattr__(name: str) -> _typing.Any:
        if name in _MESSAGES:
            globals()[name] = found = getattr(_protos, name)
            return found
        if name in _SAME:
            return getattr(_sys.modules["gradtape"].train, name)
        return _shared("train", name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_MESSAGES})
