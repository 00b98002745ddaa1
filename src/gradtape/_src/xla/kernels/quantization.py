"""What XLA computes for fake quantization and projective transforms; this module needs JAX."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax.numpy as jnp

from gradtape._src.ops.image.projection import inverted, project
from gradtape._src.ops.nn.quantization import quantized, regions

KERNELS: dict[str, Callable[..., Any]] = {
    "FakeQuantRegions": partial(regions, jnp),
    "FakeQuantWithMinMaxArgs": partial(quantized, jnp),
    "FakeQuantWithMinMaxVars": partial(quantized, jnp),
    "FakeQuantWithMinMaxVarsPerChannel": partial(quantized, jnp),
    "ImageProjectiveTransformV3": partial(project, jnp),
    "InvertProjectiveTransform": partial(inverted, jnp),
}
