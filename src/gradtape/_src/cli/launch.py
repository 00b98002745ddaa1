"""`gradtape launch`: starts a program's workers, and restarts all if one is lost."""

from __future__ import annotations

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from rich.text import Text

from gradtape._src.cli.pipes import Printer
from gradtape._src.cli.program import CommandError

INTERRUPTED = 130
_POLL = 0.02
_printing = threading.Lock()  # so that lines of several workers stay whole
_UNTIL_KILLED = 5.0
"""Seconds that a worker has to end after SIGTERM."""


@dataclass(frozen=True)
class Launch:
    """A program to run in several processes of this machine.

    Attributes:
        file: The program.
        args: Its arguments.
        workers: The number of processes.
        restarts: The maximum number of restarts of all workers after the loss of one.
        grace: The seconds after a loss in which the other workers may end by themselves.
        quiet: Whether to print only what the workers print.
    """

    file: str
    args: Sequence[str] = ()
    workers: int = 2
    restarts: int = 0
    grace: float = 10.0
    quiet: bool = False


def launch(wanted: Launch) -> int:
    """Runs a program in several worker processes until all have ended.

    Args:
        wanted: The program and the number of workers.

    Returns:
        The exit status: 0 if every worker's is 0 in the end; otherwise that of the worker that was
        lost first, with 128 added to the number of the signal that ended it.

    Raises:
        CommandError: The program's file does not exist, or a number is out of range.
    """
    if not Path(wanted.file).is_file():
        raise CommandError(f"there is no file {wanted.file}")
    if wanted.workers < 1:
        raise CommandError(f"--workers must be at least 1, got {wanted.workers}")
    if wanted.restarts < 0:
        raise CommandError(f"--restarts must be at least 0, got {wanted.restarts}")
    if not wanted.grace >= 0:
        raise CommandError(f"--grace must be at least 0, got {wanted.grace}")
    console = Printer(stderr=True, highlight=False, quiet=wanted.quiet)

    restart = 0
    while True:
        group = _Group(wanted, restart)
        try:
            lost = group.wait()
        except KeyboardInterrupt:
            console.print("interrupted")
            return INTERRUPTED
        finally:
            group.end()
        if lost is None:
            return 0
        text = f"worker {lost} {_fate(group.status(lost))}"
        if restart == wanted.restarts:
            console.print(Text(text, "bold red"))
            return _exit_status(group.status(lost))
        restart += 1
        again = f"restart {restart} of {wanted.restarts}"
        console.print(Text(f"{text}; starting all workers again ({again})", "dim"))


def _fate(status: int) -> str:
    if status < 0:
        return f"was ended by {signal.Signals(-status).name}"
    return f"ended with status {status}"


def _exit_status(status: int) -> int:
    return 128 - status if status < 0 else status


class _Group:
    """The worker processes between two restarts."""

    def __init__(self, wanted: Launch, restart: int) -> None:
        self._grace = wanted.grace
        self._processes: list[subprocess.Popen[str]] = []
        self._readers: list[threading.Thread] = []
        addresses = _free_addresses(wanted.workers)
        common = {
            **os.environ,
            "GRADTAPE_CLUSTER_SECRET": secrets.token_hex(),
            "GRADTAPE_RESTARTS": str(restart),
            "PYTHONUNBUFFERED": "1",
        }
        command = [sys.executable, "-m", "gradtape", "run", "-q", wanted.file, *wanted.args]
        try:
            for index in range(wanted.workers):
                task = {"type": "worker", "index": index}
                cluster = json.dumps({"cluster": {"worker": addresses}, "task": task})
                self._start(index, command, {**common, "TF_CONFIG": cluster})
        except BaseException:
            self.end()
            raise

    def _start(self, index: int, command: Sequence[str], environment: dict[str, str]) -> None:
        process = subprocess.Popen(  # noqa: S603 - running the program is the purpose
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            env=environment,
        )
        self._processes.append(process)
        for source, target in ((process.stdout, sys.stdout), (process.stderr, sys.stderr)):
            assert source is not None
            reader = threading.Thread(target=_pass_on, args=(source, target, f"[{index}] "))
            reader.start()
            self._readers.append(reader)

    def status(self, index: int) -> int:
        """Returns the exit status of a worker that has ended."""
        status = self._processes[index].returncode
        assert status is not None
        return status

    def wait(self) -> int | None:
        """Waits until all workers have ended.

        Returns:
            The first worker with an exit status other than 0, or None. The other workers have had
            time to end, too.
        """
        lost = None
        until = float("inf")
        while time.monotonic() < until:
            statuses = [process.poll() for process in self._processes]
            if lost is None:
                lost = next((i for i, status in enumerate(statuses) if status), None)
                if lost is not None:
                    until = time.monotonic() + self._grace
            if None not in statuses:
                break
            time.sleep(_POLL)
        return lost

    def end(self) -> None:
        """Ends the running workers, and waits until all of their output is printed."""
        running = [process for process in self._processes if process.poll() is None]
        for process in running:
            process.terminate()
        until = time.monotonic() + _UNTIL_KILLED
        for process in running:
            try:
                process.wait(max(0.0, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        for reader in self._readers:
            reader.join()


def _pass_on(source: IO[str], target: IO[str], prefix: str) -> None:
    """Prints the lines of a worker, each after the worker's number."""
    with source:
        for line in source:
            with _printing:
                target.write(prefix + line.rstrip("\n") + "\n")
                target.flush()


def _free_addresses(count: int) -> list[str]:
    """Returns addresses of this machine with unused ports."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [f"127.0.0.1:{each.getsockname()[1]}" for each in sockets]
