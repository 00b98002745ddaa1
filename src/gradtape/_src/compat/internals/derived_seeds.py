"""`tensorflow.python.ops.distributions.util`: seeds that are derived from others."""

from __future__ import annotations

import hashlib


def gen_new_seed(seed: int | None, salt: str) -> int | None:
    """Returns a seed that is determined by another one and a text.

    Args:
      seed: A seed, or None.
      salt: Distinguishes the seeds that are derived from the same one.

    Returns:
      An integer of 31 bits, or None if `seed` is None.
    """
    if seed is None:
        return None
    digest = hashlib.md5(f"{seed}{salt}".encode(), usedforsecurity=False).hexdigest()
    return int(digest[:8], 16) & 0x7FFFFFFF
