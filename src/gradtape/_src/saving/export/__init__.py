"""Export of saved models in TensorFlow's format: functions, signatures and the main graph."""
