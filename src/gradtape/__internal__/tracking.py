"""`tf.__internal__.tracking`."""

from gradtape._train.tracking import AutoTrackable as AutoTrackable
from gradtape._train.tracking import Trackable as Trackable
from gradtape._train.tracking import (
    no_automatic_dependency_tracking as no_automatic_dependency_tracking,
)
