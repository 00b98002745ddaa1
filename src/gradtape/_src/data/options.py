"""The options of a dataset.

Only `experimental_distribute.auto_shard_policy` has an effect, namely on datasets that several
workers share. The other options are accepted for compatibility and never change the elements.
"""

from __future__ import annotations

import enum
from typing import Any

from gradtape._src.base.export import export


@export("data.experimental.AutoShardPolicy")
class AutoShardPolicy(enum.IntEnum):
    """The ways to divide the elements of a dataset among workers.

    Attributes:
      OFF: Each worker reads all elements.
      AUTO: Like FILE for a dataset of files, otherwise as DATA.
      FILE: Each worker reads a part of the files.
      DATA: Each worker reads all elements and keeps a part of them.
      HINT: Like DATA.
    """

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


@export("data.experimental.ExternalStatePolicy")
class ExternalStatePolicy(enum.Enum):
    """The ways to treat state outside of the pipeline when the pipeline is saved."""

    WARN = 0
    IGNORE = 1
    FAIL = 2


class _Options:
    """A group of options, each None until it is set."""

    def __init__(self, **defaults: Any) -> None:
        for name, value in defaults.items():
            super().__setattr__(name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self.__dict__:
            raise AttributeError(f"Cannot set the property {name} on {type(self).__name__}.")
        super().__setattr__(name, value)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]  # it changes


@export("data.experimental.AutotuneOptions")
class AutotuneOptions(_Options):
    """Options for the choice of the number of threads."""

    def __init__(self) -> None:
        super().__init__(enabled=None, cpu_budget=None, ram_budget=None, autotune_algorithm=None)


@export("data.experimental.DistributeOptions")
class DistributeOptions(_Options):
    """Options for the division of elements among workers."""

    def __init__(self) -> None:
        super().__init__(auto_shard_policy=AutoShardPolicy.AUTO, num_devices=None)


@export("data.experimental.OptimizationOptions")
class OptimizationOptions(_Options):
    """Options for the optimization of the pipeline."""

    def __init__(self) -> None:
        names = (
            "apply_default_optimizations filter_fusion filter_parallelization inject_prefetch "
            "map_and_batch_fusion map_and_filter_fusion map_fusion map_parallelization "
            "noop_elimination parallel_batch seq_interleave_prefetch shuffle_and_repeat_fusion"
        )
        super().__init__(**dict.fromkeys(names.split()))


@export("data.ThreadingOptions", "data.experimental.ThreadingOptions")
class ThreadingOptions(_Options):
    """The numbers of threads."""

    def __init__(self) -> None:
        super().__init__(max_intra_op_parallelism=None, private_threadpool_size=None)


@export("data.Options")
class Options(_Options):
    """All options of a dataset.

    >>> options = Options()
    >>> options.deterministic = False
    """

    def __init__(self) -> None:
        threading = ThreadingOptions()
        super().__init__(
            autotune=AutotuneOptions(),
            dataset_name=None,
            deterministic=None,
            experimental_deterministic=None,
            experimental_distribute=DistributeOptions(),
            experimental_external_state_policy=None,
            experimental_optimization=OptimizationOptions(),
            experimental_service=None,
            experimental_slack=None,
            experimental_symbolic_checkpoint=None,
            experimental_threading=threading,
            experimental_warm_start=None,
            framework_type=None,
            threading=threading,
        )

    def merge(self, options: Options) -> Options:
        """Returns a copy of `options` in which unset options are taken from this object.

        Args:
          options: Options that take precedence over these.

        Returns:
          New options.
        """
        merged = Options()
        for name, value in vars(self).items():
            other = getattr(options, name)
            unset = other is None or other == getattr(Options(), name)
            setattr(merged, name, value if unset else other)
        return merged
