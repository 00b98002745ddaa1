"""Values, and the way operations run; this room names no operation."""

from gradtape._src.base.process_settings import hide_warnings_of_kernels

hide_warnings_of_kernels()
