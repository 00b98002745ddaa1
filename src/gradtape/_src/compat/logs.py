"""`tf.get_logger` and `tf.compat.v1.logging`: the logger that TensorFlow programs configure."""

from __future__ import annotations

import logging
import sys
from collections import Counter
from typing import Any, NoReturn

from gradtape._src.base.export import export, export_value

DEBUG = logging.DEBUG
INFO = logging.INFO
WARN = logging.WARNING
ERROR = logging.ERROR
FATAL = logging.FATAL

_calls: Counter[tuple[str, int]] = Counter()  # the number of calls, by line of the program


@export("get_logger")
def get_logger() -> logging.Logger:
    """Returns the logger of gradtape's warnings, which programs may configure.

    Returns:
      Python's logger named "tensorflow". If it has no handler, the first call adds one, which
      writes to standard error.

    >>> tf.get_logger().name
    'tensorflow'
    """
    logger = logging.getLogger("tensorflow")
    if not logger.handlers and not logging.getLogger().handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter(logging.BASIC_FORMAT))
        logger.addHandler(handler)
    return logger


@export("compat.v1.logging.get_verbosity", direct=True)
def get_verbosity() -> int:
    """Returns the lowest level of messages that are logged.

    Returns:
      A level of Python's `logging`.
    """
    return get_logger().getEffectiveLevel()


@export("compat.v1.logging.set_verbosity", direct=True)
def set_verbosity(v: int) -> None:
    """Sets the lowest level of messages that are logged.

    Args:
      v: A level, such as `tf.compat.v1.logging.ERROR`.
    """
    get_logger().setLevel(v)


@export("compat.v1.logging.log", direct=True)
def log(level: int, msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs a message.

    Args:
      level: The level of the message.
      msg: The message.
      *args: The values for `%s` and other placeholders.
      **kwargs: Keyword arguments of `logging.Logger.log`.
    """
    get_logger().log(level, msg, *args, **_from_caller(kwargs))


@export("compat.v1.logging.debug", direct=True)
def debug(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs a message for debugging.

    Args:
      msg: The message.
      *args: The values for `%s` and other placeholders.
      **kwargs: Keyword arguments of `logging.Logger.log`.
    """
    get_logger().debug(msg, *args, **_from_caller(kwargs))


@export("compat.v1.logging.info", direct=True)
def info(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs a message about what a program does.

    Args:
      msg: The message.
      *args: The values for `%s` and other placeholders.
      **kwargs: Keyword arguments of `logging.Logger.log`.
    """
    get_logger().info(msg, *args, **_from_caller(kwargs))


@export("compat.v1.logging.warning", "compat.v1.logging.warn", direct=True)
def warning(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs a warning.

    Args:
      msg: The message.
      *args: The values for `%s` and other placeholders.
      **kwargs: Keyword arguments of `logging.Logger.log`.
    """
    get_logger().warning(msg, *args, **_from_caller(kwargs))


@export("compat.v1.logging.error", direct=True)
def error(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs an error.

    Args:
      msg: The message.
      *args: The values for `%s` and other placeholders.
      **kwargs: Keyword arguments of `logging.Logger.log`.
    """
    get_logger().error(msg, *args, **_from_caller(kwargs))


@export("compat.v1.logging.fatal", direct=True)
def fatal(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs an error after which a program cannot go on.

    Args:
      msg: The message.
      *args: The values for `%s` and other placeholders.
      **kwargs: Keyword arguments of `logging.Logger.log`.
    """
    get_logger().fatal(msg, *args, **_from_caller(kwargs))


@export("compat.v1.logging.TaskLevelStatusMessage", direct=True)
def task_level_status_message(msg: Any) -> None:
    """Logs an error, the status of a task.

    Args:
      msg: The message.
    """
    get_logger().error(msg, stacklevel=2)


@export("compat.v1.logging.vlog", direct=True)
def vlog(level: int, msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs a message at a level of Python's `logging`.

    Args:
      level: The level.
      msg: The message.
      *args: The values for `%s` and other placeholders.
      **kwargs: Keyword arguments of `logging.Logger.log`.
    """
    get_logger().log(level, msg, *args, **_from_caller(kwargs))


@export("compat.v1.logging.log_if", direct=True)
def log_if(level: int, msg: Any, condition: Any, *args: Any) -> None:
    """Logs a message if a condition holds.

    Args:
      level: The level of the message.
      msg: The message.
      condition: Whether to log it.
      *args: The values for `%s` and other placeholders.
    """
    if condition:
        get_logger().log(level, msg, *args, stacklevel=2)


@export("compat.v1.logging.log_every_n", direct=True)
def log_every_n(level: int, msg: Any, n: int, *args: Any) -> None:
    """Logs one of each `n` messages from the same line of a program.

    Args:
      level: The level of the message.
      msg: The message.
      n: The period: one of `n` calls logs.
      *args: The values for `%s` and other placeholders.
    """
    if not _count() % n:
        get_logger().log(level, msg, *args, stacklevel=2)


@export("compat.v1.logging.log_first_n", direct=True)
def log_first_n(level: int, msg: Any, n: int, *args: Any) -> None:
    """Logs the first `n` messages of a line of a program.

    Args:
      level: The level of the message.
      msg: The message.
      n: The number of calls that log.
      *args: The values for `%s` and other placeholders.
    """
    if _count() < n:
        get_logger().log(level, msg, *args, stacklevel=2)


@export("compat.v1.logging.flush", direct=True)
def flush() -> NoReturn:
    """Raises NotImplementedError, as TensorFlow does.

    Raises:
      NotImplementedError: Always; handlers of Python's `logging` flush themselves.
    """
    raise NotImplementedError("tf.compat.v1.logging.flush: flush the handlers of tf.get_logger()")


def _from_caller(kwargs: dict[str, Any]) -> dict[str, Any]:
    """Returns keyword arguments that make a log record name the caller's line."""
    return {**kwargs, "stacklevel": kwargs.get("stacklevel", 1) + 1}


def _count() -> int:
    """Counts the calls of this module's functions by each line of a program."""
    frame = sys._getframe(2)
    line = frame.f_code.co_filename, frame.f_lineno
    _calls[line] += 1
    return _calls[line] - 1


export_value(DEBUG, "compat.v1.logging.DEBUG")
export_value(INFO, "compat.v1.logging.INFO")
export_value(WARN, "compat.v1.logging.WARN")
export_value(ERROR, "compat.v1.logging.ERROR")
export_value(FATAL, "compat.v1.logging.FATAL")
