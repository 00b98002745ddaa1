"""TensorFlow's way of differentiating, on NumPy."""
