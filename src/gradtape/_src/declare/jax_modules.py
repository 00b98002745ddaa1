"""JAX's modules for declarations, imported when one of their functions is first used."""

from gradtape._src.compute.jax_modules import jax as jax
from gradtape._src.compute.jax_modules import jax_linalg as jax_linalg
from gradtape._src.compute.jax_modules import jax_special as jax_special
from gradtape._src.compute.jax_modules import jnp as jnp
from gradtape._src.compute.jax_modules import lax as lax
