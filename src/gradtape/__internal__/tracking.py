"""Objects that checkpoints hold: `tf.__internal__.tracking`."""

from gradtape._src.base.trackable import AutoTrackable as AutoTrackable
from gradtape._src.base.trackable import Trackable as Trackable
from gradtape._src.compat.tracking import TrackableDataStructure as TrackableDataStructure
from gradtape._src.compat.tracking import TrackableReference as TrackableReference
from gradtape._src.compat.tracking import (
    no_automatic_dependency_tracking as no_automatic_dependency_tracking,
)
from gradtape._src.compat.tracking import sticky_attribute_assignment as sticky_attribute_assignment
from gradtape._src.compat.tracking import wrapped as _wrap

wrap = _wrap
