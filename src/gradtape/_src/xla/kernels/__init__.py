"""XLA kernels of operations; each module needs JAX."""
