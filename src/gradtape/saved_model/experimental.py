"""Resources of saved models: `tf.saved_model.experimental`."""

from gradtape._src.base.trackable import TrackableResource as TrackableResource
