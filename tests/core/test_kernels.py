"""Kernels and gradient rules are exchanged in all paths of an operation, and put back."""

from __future__ import annotations

import gradtape as tf
from gradtape._src.core.kernels import ExchangedKernels, ExchangedRules
from gradtape._src.ops.array.joining import concat_p
from gradtape._src.ops.elementwise.arithmetic import add_p
from gradtape._src.ops.elementwise.exponential import exp_p
from gradtape._src.ops.elementwise.special import xlogy_p
from gradtape._src.ops.nn.pooling import with_zero_derivative_p


def test_kernels_are_exchanged_and_put_back():
    called = []

    def around(primitive, own):
        def kernel(*values, **params):
            called.append(primitive.name)
            return own(*values, **params)

        return kernel

    x = tf.constant([1.0, 2.0])
    exchanged = ExchangedKernels([add_p.primitive, exp_p.primitive], around)
    found = [x + x, 1.0 + x, tf.add([1.0, 2.0], x), tf.exp(x)]
    exchanged.put_back()
    assert called == ["AddV2", "AddV2", "AddV2", "Exp"]
    called.clear()
    again = [x + x, 1.0 + x, tf.add([1.0, 2.0], x), tf.exp(x)]
    assert called == []
    assert [a.numpy().tolist() for a in found] == [a.numpy().tolist() for a in again]


def test_what_was_exchanged_again_is_left():
    x = tf.constant(1.0)
    exp = [exp_p.primitive]
    first = ExchangedKernels(exp, lambda primitive, own: lambda value: value * 10)
    second = ExchangedKernels(exp, lambda primitive, own: lambda value: value * 100)
    first.put_back()
    assert float(tf.exp(x)) == 100.0
    second.put_back()
    assert float(tf.exp(x)) == 10.0
    ExchangedKernels(exp, lambda primitive, own: primitive.kernel)
    assert float(tf.exp(x)) != 10.0


def test_each_number_of_inputs_has_the_replaced_kernel():
    concat = [concat_p.primitive]
    x = tf.constant([1.0])
    tf.concat([x, x], 0)  # the path of two inputs is there, that of three is not
    exchanged = ExchangedKernels(concat, lambda primitive, own: lambda *xs, **params: len(xs))
    found = [concat[0].bind(*[x] * n, axis=-1)._value for n in (2, 3, 5)]
    exchanged.put_back()
    assert found == [2, 3, 5]
    assert [tf.concat([x] * n, 0).shape[0] for n in (2, 3, 5)] == [2, 3, 5]


def test_raw_values_reach_the_replaced_kernel():
    concat = [concat_p.primitive]
    x = tf.constant([1.0]).numpy()
    exchanged = ExchangedKernels(concat, lambda primitive, own: lambda *xs, **params: len(xs))
    found = [concat[0].bind(*[x] * n, axis=-1) for n in (2, 3, 5)]
    exchanged.put_back()
    assert found == [2, 3, 5]


def gradients():
    x, y = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
    found = []
    for watched in ([x], [y], [x, y]):
        with tf.GradientTape() as tape:
            tape.watch(watched)
            out = [tf.math.xlogy(x, y), with_zero_derivative_p(x, y)]
        found += [g.numpy().tolist() for g in tape.gradient(out, watched)]
    return found


def test_rules_are_exchanged_for_all_plans_and_put_back():
    called = []

    def around(plan, own):
        def rule(g, ids, saved, static):
            called.append(plan.primitive.name)
            return own(g, ids, saved, static)

        return rule

    primitives = [xlogy_p.primitive, with_zero_derivative_p.primitive]
    primitives[1]._plans.clear()  # the plans of this operation are made when they are needed
    exchanged = ExchangedRules(primitives, around)
    found = gradients()
    exchanged.put_back()
    assert sorted(called) == ["PassBeside"] * 3 + ["Xlogy"] * 3
    assert gradients() == found
    assert len(called) == 6
