"""Raw operations that have no public function in TensorFlow 2."""
