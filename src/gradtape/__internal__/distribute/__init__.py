"""Functions of strategies for libraries: `tf.__internal__.distribute`."""

from gradtape.__internal__.distribute import interim as interim
from gradtape._src.distribute.strategy import (
    strategy_supports_no_merge_call as strategy_supports_no_merge_call,
)
