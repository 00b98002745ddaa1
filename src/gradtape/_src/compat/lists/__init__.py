"""Lists of TensorFlow's names, and of the names that gradtape leaves out."""
