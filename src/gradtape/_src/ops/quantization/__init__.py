"""Tensors of quantized dtypes, and rounding to quantized levels."""
