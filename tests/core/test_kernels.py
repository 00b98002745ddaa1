"""Kernels are exchanged in all paths of an operation, and put back."""

from __future__ import annotations

import gradtape as tf
from gradtape._src.core.kernels import ExchangedKernels
from gradtape._src.declare.general import REGISTRY


def test_kernels_are_exchanged_and_put_back():
    called = []

    def around(primitive):
        def kernel(*values, **params):
            called.append(primitive.name)
            return primitive.kernel(*values, **params)

        return kernel

    x = tf.constant([1.0, 2.0])
    exchanged = ExchangedKernels([REGISTRY["AddV2"], REGISTRY["Exp"]], around)
    found = [x + x, 1.0 + x, tf.add([1.0, 2.0], x), tf.exp(x)]
    exchanged.put_back()
    assert called == ["AddV2", "AddV2", "AddV2", "Exp"]
    called.clear()
    again = [x + x, 1.0 + x, tf.add([1.0, 2.0], x), tf.exp(x)]
    assert called == []
    assert [a.numpy().tolist() for a in found] == [a.numpy().tolist() for a in again]


def test_what_was_exchanged_again_is_left():
    x = tf.constant(1.0)
    exp = [REGISTRY["Exp"]]
    first = ExchangedKernels(exp, lambda primitive: lambda value: value * 10)
    second = ExchangedKernels(exp, lambda primitive: lambda value: value * 100)
    first.put_back()
    assert float(tf.exp(x)) == 100.0
    second.put_back()
    assert float(tf.exp(x)) == 10.0
    ExchangedKernels(exp, lambda primitive: primitive.kernel)


def test_each_number_of_inputs_has_the_replaced_kernel():
    concat = [REGISTRY["ConcatV2"]]
    x = tf.constant([1.0])
    tf.concat([x, x], 0)  # the path of two inputs is there, that of three is not
    exchanged = ExchangedKernels(concat, lambda primitive: lambda *xs, **params: len(xs))
    found = [concat[0].bind(*[x] * n, axis=-1)._value for n in (2, 3, 5)]
    exchanged.put_back()
    assert found == [2, 3, 5]
    assert [tf.concat([x] * n, 0).shape[0] for n in (2, 3, 5)] == [2, 3, 5]


def test_raw_values_reach_the_replaced_kernel():
    concat = [REGISTRY["ConcatV2"]]
    x = tf.constant([1.0]).numpy()
    exchanged = ExchangedKernels(concat, lambda primitive: lambda *xs, **params: len(xs))
    found = [concat[0].bind(*[x] * n, axis=-1) for n in (2, 3, 5)]
    exchanged.put_back()
    assert found == [2, 3, 5]
