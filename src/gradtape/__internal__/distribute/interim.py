"""`tf.__internal__.distribute.interim`."""

from gradtape._compile.distribute import maybe_merge_call as maybe_merge_call
