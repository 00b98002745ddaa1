"""Lists of TensorFlow's names: those that it has, and those that gradtape leaves out."""
