"""Every operation on empty inputs, beside what TensorFlow makes of them.

`cases` makes the inputs, `outcomes` runs them, `record.py` writes down TensorFlow's answers, and
`tests/ops/test_empty_axes.py` compares.
"""
