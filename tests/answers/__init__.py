"""TensorFlow's answers to many small questions, and the functions that ask them.

Each module has `answers(tf)`, which takes the module that plays TensorFlow and gives a dictionary
of short texts. `record.py` stores those of TensorFlow beside it; the tests compare ours.
"""
