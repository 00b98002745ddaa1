"""`tf.config`: the devices and how functions run."""

from gradtape._src.compat.config import LogicalDevice as LogicalDevice
from gradtape._src.compat.config import LogicalDeviceConfiguration as LogicalDeviceConfiguration
from gradtape._src.compat.config import PhysicalDevice as PhysicalDevice
from gradtape._src.compat.config import (
    get_logical_device_configuration as get_logical_device_configuration,
)
from gradtape._src.compat.config import get_soft_device_placement as get_soft_device_placement
from gradtape._src.compat.config import get_visible_devices as get_visible_devices
from gradtape._src.compat.config import list_logical_devices as list_logical_devices
from gradtape._src.compat.config import list_physical_devices as list_physical_devices
from gradtape._src.compat.config import (
    set_logical_device_configuration as set_logical_device_configuration,
)
from gradtape._src.compat.config import set_soft_device_placement as set_soft_device_placement
from gradtape._src.compat.config import set_visible_devices as set_visible_devices
from gradtape._src.graph.function import (
    functions_run_eagerly as _experimental_functions_run_eagerly,
)
from gradtape._src.graph.function import functions_run_eagerly as functions_run_eagerly
from gradtape._src.graph.function import (
    run_functions_eagerly as _experimental_run_functions_eagerly,
)
from gradtape._src.graph.function import run_functions_eagerly as run_functions_eagerly
from gradtape.config import experimental as experimental
from gradtape.config import optimizer as optimizer
from gradtape.config import threading as threading

experimental_functions_run_eagerly = _experimental_functions_run_eagerly
experimental_run_functions_eagerly = _experimental_run_functions_eagerly
