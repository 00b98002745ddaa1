"""The kernels of XLA for the operations; each module needs JAX."""
