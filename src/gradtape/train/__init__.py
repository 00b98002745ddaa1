"""`tf.train`: checkpoints, averages of variables and what trains in threads."""

from gradtape._saving.checkpoint import Checkpoint as Checkpoint
from gradtape._saving.checkpoint import CheckpointOptions as CheckpointOptions
from gradtape._saving.manager import CheckpointManager as CheckpointManager
from gradtape._saving.manager import checkpoints_iterator as checkpoints_iterator
from gradtape._saving.state import get_checkpoint_state as get_checkpoint_state
from gradtape._saving.state import latest_checkpoint as latest_checkpoint
from gradtape._saving.state import list_variables as list_variables
from gradtape._saving.state import load_checkpoint as load_checkpoint
from gradtape._saving.state import load_variable as load_variable
