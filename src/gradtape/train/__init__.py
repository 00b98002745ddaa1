"""`tf.train`: checkpoints, averages of variables, and threads that stop together."""

import sys as _sys
import typing as _typing

from gradtape._src.compat.coordinator import Coordinator as Coordinator
from gradtape._src.compat.moving_averages import (
    ExponentialMovingAverage as ExponentialMovingAverage,
)
from gradtape._src.compat.names import missing as _missing
from gradtape._src.distribute.cluster import ClusterSpec as ClusterSpec
from gradtape._src.messages import protos as _protos
from gradtape._src.saving.checkpoint import Checkpoint as Checkpoint
from gradtape._src.saving.checkpoint import CheckpointOptions as CheckpointOptions
from gradtape._src.saving.manager import CheckpointManager as CheckpointManager
from gradtape._src.saving.manager import checkpoints_iterator as checkpoints_iterator
from gradtape._src.saving.state import get_checkpoint_state as get_checkpoint_state
from gradtape._src.saving.state import latest_checkpoint as latest_checkpoint
from gradtape._src.saving.state import list_variables as list_variables
from gradtape._src.saving.state import load_checkpoint as load_checkpoint
from gradtape._src.saving.state import load_variable as load_variable
from gradtape._src.saving.views import CheckpointView as CheckpointView
from gradtape._src.saving.views import TrackableView as TrackableView
from gradtape.train import experimental as experimental

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
    from gradtape._src.messages.protos import SequenceExample as SequenceExample
    from gradtape._src.messages.protos import ServerDef as ServerDef
else:

    def __getattr__(name: str) -> _typing.Any:
        if name in _MESSAGES:
            globals()[name] = found = getattr(_protos, name)
            return found
        raise _missing(name, _sys.modules[__name__])


def __dir__() -> list[str]:
    return sorted({*globals(), *_MESSAGES})
