"""What a value is, and what happens when an operation runs; names no operation."""

import warnings

# Infinities and NaN are values like others: TensorFlow computes them without a word.
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"gradtape\.")
