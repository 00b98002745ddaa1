"""Objects that checkpoints hold: `tf.__internal__.tracking`."""

from gradtape._src.base.trackable import AutoTrackable as AutoTrackable
from gradtape._src.base.trackable import Trackable as Trackable
from gradtape._src.compat.tracking import (
    no_automatic_dependency_tracking as no_automatic_dependency_tracking,
)
