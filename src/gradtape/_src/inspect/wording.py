"""The sentences of explanations: the cause, and the way to mend it."""

from __future__ import annotations

from collections.abc import Sequence

from gradtape._src.inspect.explanation import Cause, TensorFacts
from gradtape._src.inspect.source_lines import Place, calls, rebinds, statement_at
from gradtape._src.inspect.watchers import ARGUMENT

_REASONS = {
    Cause.CONNECTED: "A path leads from {source} to {target}, and the tape recorded all of it.",
    Cause.NEVER_WATCHED: (
        "The tape does not watch the tensor {source}: tapes watch trainable variables "
        "automatically, but tensors only after a call of tape.watch."
    ),
    Cause.WATCHED_LATE: (
        "{source} was used here before tape.watch({source}); a tape records only operations that "
        "run after that call."
    ),
    Cause.NOT_TRAINABLE: "{source} was made with trainable=False, so the tape did not watch it.",
    Cause.NOT_WATCHED_BY_CHOICE: (
        "The tape was made with watch_accessed_variables=False, and tape.watch({source}) was not "
        "called."
    ),
    Cause.NOT_READ: (
        "The program did not read {source} while the tape recorded, so that nothing on the tape "
        "depends on {source}."
    ),
    Cause.VARIABLE_REPLACED: (
        "This line computed a tensor from a variable and gave it the variable's name: {source} is "
        "now a plain tensor, which tapes do not watch."
    ),
    Cause.MADE_AFTER: "{source} was made after {target} had been computed, so {target} can't "
    "depend on it.",
    Cause.NUMPY: "A value that NumPy or Python computes is a constant for the tape, which can't "
    "see how it was computed.",
    Cause.CONTROL_FLOW: (
        "{source} was converted to a Python truth value or integer here. The choice of a branch "
        "or an index has no derivative, so that no gradient leads from {target} to {source}."
    ),
    Cause.NOT_DIFFERENTIABLE_OPERATION: "{operation} is a step function or not a function of real "
    "numbers: TensorFlow registers it as not differentiable.",
    Cause.NO_GRADIENT_REGISTERED: (
        "{operation} has no registered gradient: computing one raises LookupError."
    ),
    Cause.STOP_GRADIENT: "tf.stop_gradient makes a value count as a constant.",
    Cause.STOP_RECORDING: "This ran inside `with tape.stop_recording()`.",
    Cause.OUTSIDE_TAPE: "This ran while the tape did not record: before its `with` block or after "
    "it.",
    Cause.TAPE_RESET: "tape.reset() discarded everything that the tape had recorded and watched.",
    Cause.CUSTOM_GRADIENT: "The custom gradient function returned None for this argument.",
    Cause.TAPE_NEVER_ENTERED: (
        "Nothing was recorded: the computation must be inside a block `with tape:`."
    ),
    Cause.TAPE_USED: (
        "Unless it is persistent, a tape releases its records when it computes a gradient, so "
        "that no records are left."
    ),
    Cause.NO_PATH: "No operation that led to {target} used {source} or a value computed from it.",
}

_MENDING = {
    Cause.NEVER_WATCHED: "call tape.watch({source}) at the beginning of the `with` block, or make "
    "it a tf.Variable.",
    Cause.WATCHED_LATE: "call tape.watch({source}) before {source} is used.",
    Cause.NOT_TRAINABLE: "call tape.watch({source}) inside the block, or remove trainable=False.",
    Cause.NOT_WATCHED_BY_CHOICE: (
        "call tape.watch({source}) inside the block, or remove watch_accessed_variables=False."
    ),
    Cause.NOT_READ: "compute the target from {source} itself inside the block (not from a copy "
    "taken before).",
    Cause.MADE_AFTER: "ask for the gradient with respect to the value that the target was "
    "computed from.",
    Cause.CONTROL_FLOW: (
        "for a smooth choice, compute both branches and blend them, for example with tf.sigmoid; "
        "tf.where passes gradients to the selected values, never to the condition."
    ),
    Cause.NOT_DIFFERENTIABLE_OPERATION: "replace it by a smooth function (softmax for argmax, "
    "sigmoid for a comparison), or give it a gradient with tf.custom_gradient or "
    "tf.grad_pass_through.",
    Cause.NO_GRADIENT_REGISTERED: "write the function with other operations, or give it a "
    "gradient: @tf.RegisterGradient({operation!r}).",
    Cause.STOP_GRADIENT: "remove stop_gradient if you need a gradient here.",
    Cause.STOP_RECORDING: "move the line out of the stop_recording block.",
    Cause.OUTSIDE_TAPE: "move the line into the `with tf.GradientTape()` block.",
    Cause.TAPE_RESET: "compute what the gradient needs after the reset.",
    Cause.CUSTOM_GRADIENT: "return a gradient for every argument (tf.zeros_like(x) if it is zero).",
    Cause.TAPE_NEVER_ENTERED: "put the computation into a block `with tf.GradientTape() as tape:`.",
    Cause.TAPE_USED: (
        "make the tape with persistent=True, call explain before gradient, or call "
        "tf.debugging.enable_explanations(), which keeps a journal."
    ),
    Cause.NO_PATH: "check which value the target is computed from; for zeros instead of None, pass "
    'unconnected_gradients="zero".',
    Cause.UNKNOWN: "run the block again inside `with tf.debugging.explanations():`, and explain "
    "names the line.",
}

_IN_TF = {
    "mean": "tf.reduce_mean", "sum": "tf.reduce_sum", "max": "tf.reduce_max",
    "min": "tf.reduce_min", "prod": "tf.reduce_prod", "std": "tf.math.reduce_std",
    "var": "tf.math.reduce_variance", "dot": "tf.tensordot", "concatenate": "tf.concat",
    "array": "tf.convert_to_tensor", "asarray": "tf.convert_to_tensor", "log": "tf.math.log",
    "power": "tf.pow", "average": "tf.reduce_mean", "clip": "tf.clip_by_value",
    "arctan2": "tf.atan2", "linalg.norm": "tf.norm",
}  # fmt: skip


def reason(
    cause: Cause,
    target: str,
    source: str,
    operation: str,
    tensor: TensorFacts | None,
    where: Place | None,
    state: str,
) -> str:
    """Returns a sentence that describes the cause."""
    if cause is Cause.STATE:
        if state:
            return (
                f"The value was assigned to the variable {state}. A variable keeps a value but no "
                f"history: gradients of values computed from it lead back to {state} and no "
                "further."
            )
        return (
            "The data came back as a new tensor, as it does out of a tf.data.Dataset, a queue or "
            "a copy: such a tensor has a value but no history."
        )
    if cause is Cause.NOT_DIFFERENTIABLE_DTYPE:
        dtype = "This dtype" if tensor is None else tensor.dtype
        what = f"{operation} returned a tensor of this dtype" if operation else f"{source} has it"
        return f"{dtype} has no gradient, and {what}: only floating and complex dtypes have one."
    return _REASONS.get(cause, "").format(target=target, source=source, operation=operation)


def mending(
    cause: Cause, source: str, where: Place | None, state: str, *, is_variable: bool = False
) -> str:
    """Returns advice on how to remove a cause."""
    if cause is Cause.VARIABLE_REPLACED:
        name = None if where is None else rebinds(where)
        return (
            f"change the variable in place, {name or source}.assign(...), assign_add or "
            f"assign_sub, and keep it a tf.Variable; or call tape.watch({source})."
        )
    if cause is Cause.STATE:
        if state:
            return "compute with the tensor itself and assign it afterwards."
        return "inside the tape, watch the tensor that came back, and compute from it."
    if cause is Cause.NOT_DIFFERENTIABLE_DTYPE:
        if where is None:
            return f"make {source} a float: tf.Variable(2.0), or tf.constant(2, tf.float32)."
        return "keep the values in a float dtype, from the source to the target."
    return _MENDING.get(cause, "").format(source=source, operation="")


def way_out(where: Place | None, method: str) -> str:
    """Describes the call that passed a value to NumPy or Python."""
    statement = None if where is None else statement_at(where)
    called = [] if statement is None else calls(statement, "np", "numpy")
    if method == "__array__":
        return f"np.{called[0]}" if called else "conversion to a NumPy array"
    named = {"numpy": "Tensor.numpy()", ARGUMENT: "an argument that must be known"}
    return named.get(method, f"{method.strip('_')}(tensor)")


def numpy_mending(where: Place | None) -> str:
    """Suggests TensorFlow functions in place of a line's NumPy or Python functions."""
    statement = None if where is None else statement_at(where)
    found = [] if statement is None else calls(statement, "np", "numpy")
    for name in found:
        return f"use {_IN_TF.get(name, f'tf.{name}')} instead of np.{name}."
    if where is not None and ("float(" in where.source or "int(" in where.source):
        return "remove float(...): tensors support arithmetic directly."
    if where is not None and ".numpy()" in where.source:
        return "remove .numpy(), and use TensorFlow's functions up to the target."
    return "use TensorFlow's functions instead of NumPy's, all the way to the target."


def dependencies(target: str, roots: Sequence[str]) -> str:
    """Names the watched sources on which the target depends."""
    names = [n for n in roots if n]
    if not names:
        return (
            f"{target} depends on nothing that the tape watched: it is data, or a constant, such "
            "as the derivative of a linear function."
        )
    shown = ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
    return f"{target} depends on {shown}."
