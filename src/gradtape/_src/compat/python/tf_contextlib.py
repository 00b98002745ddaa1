"""`tensorflow.python.util.tf_contextlib`: Python's own context managers."""

from contextlib import contextmanager as contextmanager
