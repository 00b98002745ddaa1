"""`tf.compat.v1.saved_model.builder`: writes saved models."""

from gradtape._src.sessions.files.saved_models import Builder as _SavedModelBuilder

SavedModelBuilder = _SavedModelBuilder
