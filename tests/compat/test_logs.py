"""The logger of TensorFlow's programs."""

import logging

import pytest

import gradtape as tf

log = tf.compat.v1.logging


def test_the_logger_is_pythons_by_its_name():
    assert tf.get_logger() is logging.getLogger("tensorflow")


def test_verbosity_is_the_level_of_the_logger():
    before = log.get_verbosity()
    try:
        log.set_verbosity(log.ERROR)
        assert log.get_verbosity() == tf.get_logger().level == log.ERROR == 40
    finally:
        log.set_verbosity(before)


@pytest.mark.parametrize(
    ("name", "level"),
    [("debug", 10), ("info", 20), ("warning", 30), ("warn", 30), ("error", 40), ("fatal", 50)],
)
def test_each_level_has_a_function_that_names_the_callers_line(caplog, name, level):
    with caplog.at_level(logging.DEBUG, logger="tensorflow"):
        getattr(log, name)("%s and %d", "text", 3)
    (record,) = caplog.records
    assert (record.levelno, record.getMessage(), record.filename) == (
        level,
        "text and 3",
        "test_logs.py",
    )


def test_some_messages_of_a_line(caplog):
    with caplog.at_level(logging.DEBUG, logger="tensorflow"):
        for i in range(5):
            log.log_every_n(log.INFO, "every %d", 2, i)
            log.log_first_n(log.INFO, "first %d", 2, i)
            log.log_if(log.INFO, "if %d", i == 4, i)
        log.vlog(log.INFO, "level")
        log.log(log.INFO, "logged")
        log.TaskLevelStatusMessage("status")
    assert [record.getMessage() for record in caplog.records] == [
        "every 0", "first 0", "first 1", "every 2", "every 4", "if 4", "level", "logged", "status",
    ]  # fmt: skip
    with pytest.raises(NotImplementedError):
        log.flush()
