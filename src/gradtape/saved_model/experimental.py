"""`tf.saved_model.experimental`."""

from gradtape._saving.views import TrackableResource as TrackableResource
