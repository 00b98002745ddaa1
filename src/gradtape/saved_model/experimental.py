"""Resources of saved models: `tf.saved_model.experimental`."""

from gradtape._src.base.trackable import TrackableResource as TrackableResource
from gradtape._src.saving.fingerprints import Fingerprint as Fingerprint
from gradtape._src.saving.fingerprints import read_fingerprint as read_fingerprint
from gradtape._src.saving.saved_model import VariablePolicy as VariablePolicy
