"""Makes calls in a process of its own, and writes the answers to files.

    python tools/comparison/worker.py (theirs | ours) STORE

`STORE/jobs.json` holds the names. TensorFlow's process also plans the calls. The current call is in
`STORE/now.SIDE`, so that a call that ends the process is skipped the next time.
"""

from __future__ import annotations

import importlib
import json
import logging
import os
import signal
import sys
import tempfile
import warnings
from pathlib import Path
from types import FrameType
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

from comparison.calls import SELF, Call, planned
from comparison.values import Record, build, found, record

SECONDS = 4  # seconds of processor time for a call
CRASHED: Record = ["raised", ["the process ends"], ""]


class TookTooLong(BaseException):
    """Raised if a call does not end in time."""


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise TookTooLong


class Worker:
    """Calls functions of TensorFlow, or of gradtape."""

    def __init__(self, side: str, store: Path) -> None:
        self.tf = importlib.import_module("tensorflow" if side == "theirs" else "gradtape")
        self.store = store
        self.side = side
        (store / side).mkdir(exist_ok=True)
        self.crashed = set((store / f"crashed.{side}").read_text().split("\n"))
        self.now = (store / f"now.{side}").open("w", buffering=1)

    def run(self) -> None:
        """Does all jobs that have no answers yet."""
        names = json.loads((self.store / "jobs.json").read_text())
        for place, name in enumerate(names):
            file = self.store / self.side / f"{name}.json"
            asked = self.store / "theirs" / f"{name}.json"
            if file.exists() or (self.side == "ours" and not asked.exists()):
                continue
            print(f"{self.side} {place + 1}/{len(names)} {name}", flush=True)
            self.tf.random.set_seed(3)  # not for each call: it drops TensorFlow's kernels
            if self.side == "theirs":
                answers = self._plan_and_answer(name)
            else:
                answers = [[call, self.answer(call)] for call, _ in json.loads(asked.read_text())]
            text = json.dumps(answers)
            file.with_suffix(".part").write_text(text)
            file.with_suffix(".part").rename(file)

    def _plan_and_answer(self, name: str) -> list[Any]:
        calls = planned(self.tf, name, self._works)
        answers = [[call, self.answer(call)] for call in calls]
        if calls and answers[0][1][0] == "gave" and self.answer(calls[0])[1] != answers[0][1][1]:
            for _, answer in answers:
                answer.append("random")
        return answers

    def _works(self, call: Call) -> bool:
        return bool(self.answer(call, derivatives=False)[0] == "gave")

    def answer(self, call: Call, *, derivatives: bool = True) -> Record:
        """Returns `["gave", value, derivatives]` or `["raised", types, message]`."""
        key = json.dumps(call[1:])
        if key in self.crashed:
            return CRASHED
        self.now.seek(0)
        self.now.truncate()
        self.now.write(key)
        self.now.flush()
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            return self._made(call, derivatives=derivatives)
        except TookTooLong:
            return ["raised", ["no answer in time"], ""]
        except Exception as error:  # noqa: BLE001 - any exception is an answer
            return ["raised", [c.__name__ for c in type(error).__mro__], str(error)[:300]]
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)

    def _made(self, call: Call, *, derivatives: bool) -> Record:
        tf, sources, changed = self.tf, list[Any](), list[Any]()
        _, path, named, by = call
        arguments = {name: build(tf, spec, sources, changed) for name, spec in named}
        if SELF in arguments:
            target = getattr(arguments.pop(SELF), path.rpartition(".")[2])
        else:
            target = found(tf, path)

        def result() -> Any:
            return target(**arguments) if by == "keyword" else target(*arguments.values())

        if changed:
            made = result()
            return ["gave", record(tf, [made, *[v.read_value() for v in changed]]), []]
        if not derivatives or not sources:
            return ["gave", record(tf, result()), []]
        with tf.GradientTape() as outer, tf.GradientTape() as inner:
            outer.watch(sources)
            inner.watch(sources)
            made = result()
            total = _weighted_sum(tf, made)
        value = record(tf, made)
        if total is None:
            return ["gave", value, []]
        return ["gave", value, self._derivatives(total, sources, inner, outer)]

    def _derivatives(self, total: Any, sources: list[Any], inner: Any, outer: Any) -> Record:
        tf = self.tf
        try:
            with outer:
                first = inner.gradient(total, sources)
                further = _weighted_sum(tf, [g for g in first if g is not None])
            records = [_first(tf, g) for g in first]
        except Exception as error:  # noqa: BLE001 - likewise
            return [["raised", [c.__name__ for c in type(error).__mro__], str(error)[:200]]]
        if further is None:
            return [records]
        try:
            return [records, [_first(tf, g) for g in outer.gradient(further, sources)]]
        except Exception as error:  # noqa: BLE001 - likewise
            raised = [c.__name__ for c in type(error).__mro__]
            return [records, ["raised", raised, str(error)[:200]]]


def _first(tf: Any, gradient: Any) -> Record:
    return record(tf, gradient)


def _weighted_sum(tf: Any, made: Any) -> Any:
    """Returns a sum of a result's elements with different weights; None if none is real."""
    parts = []
    for leaf in tf.nest.flatten(made, expand_composites=True):
        if isinstance(leaf, tf.Tensor) and (leaf.dtype.is_floating or leaf.dtype.is_complex):
            weights = np.cos(np.arange(np.prod(leaf.shape, dtype=int))).reshape(leaf.shape)
            products = leaf * tf.cast(tf.constant(weights), leaf.dtype)
            if leaf.dtype.is_complex:
                products = tf.math.real(products) + 2 * tf.math.imag(products)
            parts.append(tf.cast(tf.reduce_sum(products), tf.float64))
    return tf.add_n(parts) if parts else None


def main() -> int:
    """Runs the worker of one side."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    np.seterr(all="ignore")
    signal.signal(signal.SIGPROF, _stop)
    side, store = sys.argv[1], Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        Worker(side, store).run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
