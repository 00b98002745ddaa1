"""What libraries import of TensorFlow's insides, by the modules that have it there."""
