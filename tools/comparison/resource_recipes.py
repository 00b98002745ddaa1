"""Working arguments of the raw operations that change variables, which are given by handle."""

from __future__ import annotations

from comparison.values import Spec, array, dtype_of, plain

GRADIENT = array(seed=3)
POSITIVE = array(fill="positive")
ROWS = array("int32", (2,), "counting")
DELTA = array(seed=4)
SCALARS = {
    "alpha": 0.5,
    "beta": 0.25,
    "beta1": 0.5,
    "beta2": 0.75,
    "beta1_power": 0.5,
    "beta2_power": 0.75,
    "epsilon": 0.125,
    "l1": 0.125,
    "l2": 0.25,
    "l2_shrinkage": 0.5,
    "logbase": 2.0,
    "lr": 0.5,
    "lr_power": -0.5,
    "momentum": 0.75,
    "rho": 0.5,
    "sign_decay": 0.5,
}
UPDATES = {  # the slots of each rule, all of them variables, and its numbers
    "AdaMax": ("m v", "beta1_power lr beta1 beta2 epsilon"),
    "Adadelta": ("accum accum_update", "lr rho epsilon"),
    "Adagrad": ("accum", "lr"),
    "AdagradDA": ("gradient_accumulator gradient_squared_accumulator", "lr l1 l2"),
    "AdagradV2": ("accum", "lr epsilon"),
    "Adam": ("m v", "beta1_power beta2_power lr beta1 beta2 epsilon"),
    "AdamWithAmsgrad": ("m v vhat", "beta1_power beta2_power lr beta1 beta2 epsilon"),
    "AddSign": ("m", "lr alpha sign_decay beta"),
    "CenteredRMSProp": ("mg ms mom", "lr rho momentum epsilon"),
    "Ftrl": ("accum linear", "lr l1 l2 lr_power"),
    "FtrlV2": ("accum linear", "lr l1 l2 l2_shrinkage lr_power"),
    "GradientDescent": ("", "alpha"),
    "KerasMomentum": ("accum", "lr momentum"),
    "Momentum": ("accum", "lr momentum"),
    "PowerSign": ("m", "lr logbase sign_decay beta"),
    "ProximalAdagrad": ("accum", "lr l1 l2"),
    "ProximalGradientDescent": ("", "alpha l1 l2"),
    "RMSProp": ("ms mom", "lr rho momentum epsilon"),
}
DENSE_ALONE = {"AdaMax", "Adam", "AdamWithAmsgrad", "AddSign", "GradientDescent", "PowerSign"}


def handle(
    dtype: str = "float32", shape: tuple[int, ...] = (2, 3), fill: str = "normal", seed: int = 0
) -> Spec:
    """Describes the handle of a variable."""
    return array(dtype, shape, fill, "handle", seed)


def _update(rule: str, *, sparse: bool = False) -> list[dict[str, Spec]]:
    slots, numbers = UPDATES[rule]
    made = {"var": handle()}
    made |= {s: handle(fill="positive", seed=9 + i) for i, s in enumerate(slots.split())}
    made |= {n: array(shape=(), fill=f"number {SCALARS[n]}") for n in numbers.split()}
    made["delta" if rule.endswith("GradientDescent") and not sparse else "grad"] = GRADIENT
    if rule == "AdagradDA":
        made["global_step"] = plain(3)
    if sparse:
        made["indices"] = ROWS
    return [made]


RESOURCE_RECIPES: dict[str, list[dict[str, Spec]]] = {
    "ReadVariableOp": [{"resource": handle(), "dtype": dtype_of("float32")}],
    "VariableShape": [{"input": handle()}],
    "VarIsInitializedOp": [{"resource": handle()}],
    **{
        f"Assign{what}VariableOp": [{"resource": handle(), "value": DELTA}]
        for what in ("", "Add", "Sub")
    },
    "ResourceGather": [{"resource": handle(), "indices": ROWS, "dtype": dtype_of("float32")}],
    "ResourceGatherNd": [
        {
            "resource": handle(),
            "indices": array("int32", (2, 2), "index"),
            "dtype": dtype_of("float32"),
        }
    ],
    **{
        f"ResourceScatter{what}": [
            {"resource": handle(), "indices": ROWS, "updates": array(fill="positive", seed=4)}
        ]
        for what in ("Add", "Div", "Max", "Min", "Mul", "Sub", "Update")
    },
    **{
        f"ResourceScatterNd{what}": [
            {"ref": handle(), "indices": array("int32", (2, 1), "counting"), "updates": DELTA}
        ]
        for what in ("Add", "Max", "Min", "Sub", "Update")
    },
    "ResourceStridedSliceAssign": [
        {
            "ref": handle(),
            "begin": plain([0, 1]),
            "end": plain([2, 3]),
            "strides": plain([1, 1]),
            "value": array(shape=(2, 2), seed=4),
        }
    ],
    **{f"ResourceApply{rule}": _update(rule) for rule in UPDATES},
    **{
        f"ResourceSparseApply{rule}": _update(rule, sparse=True)
        for rule in UPDATES
        if rule not in DENSE_ALONE
    },
}
