"""Raw operations that no public function of TensorFlow 2 stands for."""
