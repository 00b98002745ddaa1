"""`tf.train`: checkpoints, averages of variables, and threads that stop together."""

from gradtape._distribute.cluster import ClusterSpec as ClusterSpec
from gradtape._files.protos import BytesList as BytesList
from gradtape._files.protos import Example as Example
from gradtape._files.protos import Feature as Feature
from gradtape._files.protos import FeatureList as FeatureList
from gradtape._files.protos import FeatureLists as FeatureLists
from gradtape._files.protos import Features as Features
from gradtape._files.protos import FloatList as FloatList
from gradtape._files.protos import Int64List as Int64List
from gradtape._files.protos import SequenceExample as SequenceExample
from gradtape._saving.averages import ExponentialMovingAverage as ExponentialMovingAverage
from gradtape._saving.checkpoint import Checkpoint as Checkpoint
from gradtape._saving.checkpoint import CheckpointOptions as CheckpointOptions
from gradtape._saving.coordinator import Coordinator as Coordinator
from gradtape._saving.manager import CheckpointManager as CheckpointManager
from gradtape._saving.manager import checkpoints_iterator as checkpoints_iterator
from gradtape._saving.state import get_checkpoint_state as get_checkpoint_state
from gradtape._saving.state import latest_checkpoint as latest_checkpoint
from gradtape._saving.state import list_variables as list_variables
from gradtape._saving.state import load_checkpoint as load_checkpoint
from gradtape._saving.state import load_variable as load_variable
from gradtape._saving.views import CheckpointView as CheckpointView
from gradtape._saving.views import TrackableView as TrackableView
from gradtape.train import experimental as experimental
