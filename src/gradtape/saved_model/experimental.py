"""Resources of saved models: `tf.saved_model.experimental`."""

from gradtape._src.saving.views import TrackableResource as TrackableResource
