"""Loads every module that declares a raw operation.

Written by `python tools/generate_facades.py` from the `@raw_op` marks in the sources; do not edit.
"""

import gradtape._src.ops.array.creation
import gradtape._src.ops.array.gather
import gradtape._src.ops.array.joining
import gradtape._src.ops.array.padding
import gradtape._src.ops.array.partitions
import gradtape._src.ops.array.roll_reverse
import gradtape._src.ops.array.scatter
import gradtape._src.ops.array.shaping
import gradtape._src.ops.array.slicing
import gradtape._src.ops.array.sorting
import gradtape._src.ops.array.tensor_shapes
import gradtape._src.ops.array.unique
import gradtape._src.ops.elementwise.arithmetic
import gradtape._src.ops.elementwise.bessel
import gradtape._src.ops.elementwise.casting
import gradtape._src.ops.elementwise.comparison
import gradtape._src.ops.elementwise.complex_numbers
import gradtape._src.ops.elementwise.elementary
import gradtape._src.ops.elementwise.selection
import gradtape._src.ops.elementwise.special
import gradtape._src.ops.image.adjust
import gradtape._src.ops.image.boxes
import gradtape._src.ops.image.color
import gradtape._src.ops.image.projection
import gradtape._src.ops.image.resize
import gradtape._src.ops.linalg.banded
import gradtape._src.ops.linalg.decompositions
import gradtape._src.ops.linalg.diagonals
import gradtape._src.ops.linalg.matmul
import gradtape._src.ops.linalg.matrix_functions
import gradtape._src.ops.linalg.solve
import gradtape._src.ops.nn.activations
import gradtape._src.ops.nn.convolution_api
import gradtape._src.ops.nn.embedding
import gradtape._src.ops.nn.losses
import gradtape._src.ops.nn.morphology
import gradtape._src.ops.nn.normalization
import gradtape._src.ops.nn.pooling
import gradtape._src.ops.nn.quantization
import gradtape._src.ops.nn.volume_patches
import gradtape._src.ops.random.sobol
import gradtape._src.ops.reduce.counting
import gradtape._src.ops.reduce.cumulative
import gradtape._src.ops.reduce.reductions
import gradtape._src.ops.reduce.segment
import gradtape._src.ops.signal.fft
import gradtape._src.ops.sparse.functions
import gradtape._src.raw.adapters
import gradtape._src.text.strings
