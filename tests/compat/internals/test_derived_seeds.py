"""Seeds that are derived from others; the numbers are those of TensorFlow 2.21."""

from gradtape._src.compat.internals.derived_seeds import gen_new_seed


def test_seeds():
    assert gen_new_seed(1, "a") == 1873417531
    assert gen_new_seed(12345, "salt") == 4808522
    assert gen_new_seed(None, "a") is None
