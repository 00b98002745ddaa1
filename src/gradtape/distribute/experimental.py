"""`tf.distribute.experimental`."""

from gradtape._distribute.cluster import CommunicationImplementation as CollectiveCommunication
from gradtape._distribute.cluster import CommunicationImplementation as CommunicationImplementation
from gradtape._distribute.cluster import CommunicationOptions as CommunicationOptions
from gradtape._distribute.multi_worker import (
    MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy,
)
from gradtape._distribute.strategy import ValueContext as ValueContext
