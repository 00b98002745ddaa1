"""Loads every module that declares rules."""

import gradtape._src.graphdef_export.array_rules
import gradtape._src.graphdef_export.call_rules
import gradtape._src.graphdef_export.composed.convolutions
import gradtape._src.graphdef_export.composed.counts
import gradtape._src.graphdef_export.composed.embeddings
import gradtape._src.graphdef_export.composed.images
import gradtape._src.graphdef_export.composed.labels
import gradtape._src.graphdef_export.composed.matrices
import gradtape._src.graphdef_export.composed.sampled_classes
import gradtape._src.graphdef_export.composed.sparse
import gradtape._src.graphdef_export.composite_rules
import gradtape._src.graphdef_export.control_rules
import gradtape._src.graphdef_export.elementwise_rules
import gradtape._src.graphdef_export.image_rules
import gradtape._src.graphdef_export.linalg_rules
import gradtape._src.graphdef_export.programs
import gradtape._src.graphdef_export.reduction_rules
import gradtape._src.graphdef_export.state_rules
import gradtape._src.graphdef_export.string_rules
import gradtape._src.graphdef_export.tables
import gradtape._src.graphdef_export.window_rules  # noqa: F401
