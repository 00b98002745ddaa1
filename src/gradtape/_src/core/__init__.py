"""Values, and how operations run; this room does not depend on specific operations."""

from gradtape._src.base.process_settings import hide_warnings_of_kernels

hide_warnings_of_kernels()
