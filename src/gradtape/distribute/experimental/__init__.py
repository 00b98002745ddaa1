"""Options of communication, and further strategies: `tf.distribute.experimental`."""

from gradtape._src.distribute.cluster import (
    CommunicationImplementation as CommunicationImplementation,
)
from gradtape._src.distribute.cluster import CommunicationImplementation as _CollectiveCommunication
from gradtape._src.distribute.cluster import CommunicationOptions as CommunicationOptions
from gradtape._src.distribute.multi_worker import (
    MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy,
)
from gradtape._src.distribute.single_process import CentralStorageStrategy as CentralStorageStrategy
from gradtape._src.distribute.values import ValueContext as ValueContext
from gradtape.distribute.experimental import partitioners as partitioners

CollectiveCommunication = _CollectiveCommunication
