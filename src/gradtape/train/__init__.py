"""`tf.train`: checkpoints, averages of variables, and threads that stop together."""

from gradtape._src.compat.coordinator import Coordinator as Coordinator
from gradtape._src.compat.moving_averages import (
    ExponentialMovingAverage as ExponentialMovingAverage,
)
from gradtape._src.distribute.cluster import ClusterSpec as ClusterSpec
from gradtape._src.files.protos import BytesList as BytesList
from gradtape._src.files.protos import Example as Example
from gradtape._src.files.protos import Feature as Feature
from gradtape._src.files.protos import FeatureList as FeatureList
from gradtape._src.files.protos import FeatureLists as FeatureLists
from gradtape._src.files.protos import Features as Features
from gradtape._src.files.protos import FloatList as FloatList
from gradtape._src.files.protos import Int64List as Int64List
from gradtape._src.files.protos import SequenceExample as SequenceExample
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
