"""Comparing graphs: `tf.__internal__.graph_util`."""

from gradtape._src.compat.internals.graph_equality import graph_defs_equal as graph_defs_equal
