"""What XLA computes for the operations; each module needs JAX."""
