"""Gauges of libraries: `tf.__internal__.monitoring`."""

from gradtape._src.compat.internals.monitoring import BoolGauge as BoolGauge
