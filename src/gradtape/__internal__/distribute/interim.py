"""Calls for all replicas together: `tf.__internal__.distribute.interim`."""

from gradtape._src.distribute.strategy import maybe_merge_call as maybe_merge_call
