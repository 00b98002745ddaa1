"""What a value is, and what happens when an operation runs; names no operation."""

from gradtape._src.base.process_settings import hide_warnings_of_kernels

hide_warnings_of_kernels()
