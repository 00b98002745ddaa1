"""Devices and their settings: `tf.config.experimental`."""

from gradtape._src.compat.config import LogicalDeviceConfiguration as _VirtualDeviceConfiguration
from gradtape._src.compat.config import enable_op_determinism as enable_op_determinism
from gradtape._src.compat.config import (
    enable_tensor_float_32_execution as enable_tensor_float_32_execution,
)
from gradtape._src.compat.config import get_device_details as get_device_details
from gradtape._src.compat.config import (
    get_logical_device_configuration as _get_virtual_device_configuration,
)
from gradtape._src.compat.config import get_memory_growth as get_memory_growth
from gradtape._src.compat.config import get_memory_info as get_memory_info
from gradtape._src.compat.config import get_memory_usage as get_memory_usage
from gradtape._src.compat.config import get_synchronous_execution as get_synchronous_execution
from gradtape._src.compat.config import get_visible_devices as get_visible_devices
from gradtape._src.compat.config import list_logical_devices as list_logical_devices
from gradtape._src.compat.config import list_physical_devices as list_physical_devices
from gradtape._src.compat.config import (
    set_logical_device_configuration as _set_virtual_device_configuration,
)
from gradtape._src.compat.config import set_memory_growth as set_memory_growth
from gradtape._src.compat.config import set_visible_devices as set_visible_devices
from gradtape._src.compat.config import (
    tensor_float_32_execution_enabled as tensor_float_32_execution_enabled,
)

VirtualDeviceConfiguration = _VirtualDeviceConfiguration
get_virtual_device_configuration = _get_virtual_device_configuration
set_virtual_device_configuration = _set_virtual_device_configuration
