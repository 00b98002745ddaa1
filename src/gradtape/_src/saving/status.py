"""The results of `Checkpoint.restore`: assertions about the values that were restored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

from gradtape._src.saving.object_graph import View, has_values
from gradtape._src.saving.restoring import NamedRestoration, Restoration

_SHOWN = 10


class _Status:
    """The common base of the results of `restore`."""

    def assert_consumed(self) -> Self:
        """Asserts that every value of the checkpoint was restored, and every object has a value."""
        raise NotImplementedError

    def assert_existing_objects_matched(self) -> Self:
        """Asserts that the values of every object of the program were restored."""
        raise NotImplementedError

    def assert_nontrivial_match(self) -> Self:
        """Asserts that an object other than the root was found in the checkpoint."""
        raise NotImplementedError

    def expect_partial(self) -> Self:
        """Suppresses warnings about values of the checkpoint that are not used."""
        return self

    def run_restore_ops(self, session: Any = None) -> None:
        """Does nothing, since values are restored immediately."""

    def initialize_or_restore(self, session: Any = None) -> None:
        """Does nothing, since values are restored immediately."""


def _unmatched(parts: list[Any]) -> AssertionError:
    shown = parts[:_SHOWN]
    return AssertionError(
        f"Found {len(parts)} Python objects that were not bound to checkpointed values, likely due "
        f"to changes in the Python program. Showing {len(shown)} of {len(parts)} unmatched "
        f"objects: {shown}"
    )


class CheckpointLoadStatus(_Status):
    """The result of `restore`; some values may still wait for objects that are created later."""

    def __init__(self, restoration: Restoration, view: Callable[[], View]) -> None:
        self._restoration = restoration
        self._view = view

    def assert_consumed(self) -> Self:
        self.assert_existing_objects_matched()
        restoration = self._restoration
        for number in restoration.unresolved():
            lines = [
                f'{{\n  name: "{a.name}"\n  full_name: "{a.full_name}"\n'
                f'  checkpoint_key: "{a.key}"\n}}'
                for a in restoration.nodes[number].attributes
            ]
            raise AssertionError(
                f"Unresolved object in checkpoint {restoration.paths()[number]}: attributes "
                + "\nattributes ".join(lines)
            )
        return self

    def assert_existing_objects_matched(self) -> Self:
        if parts := self._restoration.unmatched(self._view()):
            raise _unmatched(parts)
        return self

    def assert_nontrivial_match(self) -> Self:
        if not any(self._restoration.objects.keys() - {0}):
            raise AssertionError(
                "Nothing except the root object matched a checkpointed value. Typically this "
                "means that the checkpoint does not match the Python program. The following "
                f"objects have no matching checkpointed value: {self._view().objects[1:]}"
            )
        return self

    def expect_partial(self) -> Self:
        self._restoration.quiet = True
        return self


class InitializationOnlyStatus(_Status):
    """The result of `restore(None)`: there is no checkpoint."""

    def _nothing(self) -> Self:
        raise AssertionError("No checkpoint specified (save_path=None); nothing is being restored.")

    assert_consumed = _nothing
    assert_existing_objects_matched = _nothing
    assert_nontrivial_match = _nothing


class NameBasedSaverStatus(_Status):
    """The result for a checkpoint without object graph, whose variables are matched by name.

    Args:
      restoration: The restoration.
      view: A function that returns the program's objects.
      optional: Objects for which such a checkpoint has no values, such as the counter of saves.
    """

    def __init__(
        self, restoration: NamedRestoration, view: Callable[[], View], optional: Sequence[Any]
    ) -> None:
        self._restoration, self._view = restoration, view
        self._optional = set(map(id, optional))

    def assert_consumed(self) -> Self:
        """Asserts that all objects were restored; the checkpoint may have more names."""
        return self.assert_existing_objects_matched()

    def assert_existing_objects_matched(self) -> Self:
        taken = self._restoration.restored
        parts = [p for p in self._view() if has_values(p) and id(p) not in taken | self._optional]
        if parts:
            raise _unmatched(parts)
        return self

    def assert_nontrivial_match(self) -> Self:
        if not self._restoration.restored:
            raise AssertionError("No variable of the program has a name of the checkpoint.")
        return self
