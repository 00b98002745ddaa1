"""What TensorFlow answers to many small questions, and how the questions are put.

Each module has `answers(tf)`, which takes the module that plays TensorFlow and gives a dictionary
of short texts. `record.py` stores those of TensorFlow beside it; the tests compare ours.
"""
