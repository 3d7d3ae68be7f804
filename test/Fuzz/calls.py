"""Lists the pointwise operators of torch's schemas, and draws calls of them."""

import dataclasses
import functools
import random
from collections.abc import Callable

import torch

#: Pointwise operators without the tag `pointwise`.
ALSO = set(
    """where isclose floor_divide floor_divide_ gcd_ lcm_ heaviside_ copysign_ masked_fill masked_fill_
    __and__ __or__ __iand__ __ior__ __irshift__ subtract subtract_ multiply multiply_ divide divide_
    true_divide true_divide_ rsub arctan2 arctan2_ eq_ ne_ lt_ le_ gt_ ge_ not_equal greater
    greater_equal less less_equal _prelu_kernel clamp_max_ clamp_min_ mse_loss smooth_l1_loss huber_loss
    l1_loss prelu hardswish hardswish_ log_sigmoid isreal fill fill_ copy special_expit
    special_exp2 special_expm1 special_gammainc special_gammaincc special_log1p special_logit
    special_round special_sinc special_xlogy absolute arccos arccosh arcsin arcsinh arctan arctanh negative
    fix real imag bitwise_not __lshift__ elu_backward hardtanh_backward softplus_backward
    leaky_relu_backward hardsigmoid_backward hardswish_backward mish_backward log_sigmoid_backward
    softshrink_backward hardshrink_backward dist""".split()
)
#: Operators that are left out, such as random ones and those that return a Python number.
NOT = {"rrelu", "native_dropout_backward", "equal", "clone"}
#: In-place operators whose functional form has another name (pow_.Tensor: pow.Tensor_Tensor).
#: Functionalization does not find it, so that ATen runs the whole graph.
NOT |= {"__iand__", "__ior__", "__ixor__", "__ilshift__", "__irshift__", "ldexp_"}
NOT |= {"pow_.Tensor", "floor_divide_.Tensor", "float_power_.Tensor", "float_power_.Scalar"}
#: Operators that write truth values or powers. If they write to complex tensors,
#: functionalization makes a graph that does not verify.
TRUTHS = set(
    """eq_ ne_ lt_ le_ gt_ ge_ not_equal_ greater_ greater_equal_ less_ less_equal_ logical_and_
    logical_or_ logical_xor_ logical_not_ pow_""".split()
)


@dataclasses.dataclass(frozen=True)
class Operator:
    overload: torch._ops.OpOverload

    @property
    def name(self) -> str:
        return str(self.overload).removeprefix("aten.").removesuffix(".default")

    @property
    def arguments(self):
        return self.overload._schema.arguments

    @property
    def writes(self) -> bool:
        return self.overload._schema.is_mutable

    def kinds(self) -> list[str]:
        return [_kind(a) for a in self.arguments]

    @property
    def operands(self) -> int:
        """The number of positional parameters that take a tensor or a number."""
        of = ("Tensor", "number", "Optional[Tensor]", "Optional[number]")
        return sum(k in of for k, a in zip(self.kinds(), self.arguments) if not a.kwarg_only)


def _kind(argument) -> str:
    kind = str(argument.type)
    # The printed type does not distinguish Scalar from float.
    return "number" if str(argument.real_type) == "number" else kind


@functools.lru_cache(maxsize=None)
def operators(least: int, most: int) -> list[Operator]:
    """Returns the operators with `least` to `most` operands, sorted by name."""
    result = {}
    for schema in torch._C._jit_get_all_schemas():
        space, _, name = schema.name.partition("::")
        if space != "aten" or name in NOT or any(a.is_out for a in schema.arguments):
            continue
        if name.endswith("out") or (packet := getattr(torch.ops.aten, name, None)) is None:
            continue
        overload = getattr(packet, schema.overload_name or "default", None)
        if overload is None or not (torch.Tag.pointwise in overload.tags or name in ALSO):
            continue
        operator = Operator(overload)
        if operator.name in NOT:
            continue
        kinds = operator.kinds()
        if kinds.count("Tensor") and least <= operator.operands <= most:
            result[operator.name] = operator
    return [result[name] for name in sorted(result)]


def call(operator: Operator, rng: random.Random, tensor: Callable, number: Callable, integer: Callable):
    """Returns the operator as a function of tensors, the tensors, and the call as text, or None
    if the call cannot be made. `tensor(k, first)`, `number(k)` and `integer(k)` make the k-th
    argument."""
    from generated import describe

    tensors, places, positional, keywords, text = [], [], [], {}, []

    def put(argument, value):
        name = argument.name
        if isinstance(value, torch.Tensor):
            places.append(name if argument.kwarg_only else len(positional))
            tensors.append(value)
        shown = describe(value) if isinstance(value, torch.Tensor) else repr(value)
        if argument.kwarg_only:
            keywords[name] = value
            text.append(f"{name}={shown}")
        else:
            positional.append(value)
            text.append(shown)

    for k, argument in enumerate(operator.arguments):
        kind = _kind(argument)
        if argument.has_default_value() and rng.random() < 0.6 and not kind == "Optional[Tensor]":
            if argument.kwarg_only:
                continue
            put(argument, argument.default_value)
            continue
        if kind.startswith("Optional[") and kind != "Optional[str]":
            if rng.random() < 0.3:
                put(argument, None)
                continue
            kind = kind[len("Optional[") : -1]
        if kind == "Tensor":
            put(argument, tensor(k, not tensors))
        elif kind == "number":
            put(argument, number(k))
        elif kind == "int":
            put(argument, 1 if argument.name == "reduction" else integer(k))
        elif kind == "float":
            # In the bounds [eps, 1 - eps] the first must be the lower one.
            put(argument, 0.25 if argument.name == "eps" else float(abs(integer(k))) * 0.25)
        elif kind == "bool":
            put(argument, rng.random() < 0.5)
        elif argument.name == "rounding_mode":
            put(argument, rng.choice([None, "trunc", "floor"]))
        elif argument.name == "approximate":
            put(argument, rng.choice(["none", "tanh"]))
        elif not argument.has_default_value():
            return None
    overload, writes = operator.overload, operator.writes
    # Functionalization chooses the dtype of the computation by this tag of the in-place form.
    if writes and torch.Tag.pointwise not in overload.tags and len({x.dtype for x in tensors}) > 1:
        return None
    if any(x.is_complex() for x in tensors) and operator.name.split(".")[0] in TRUTHS:
        return None

    def function(*tensors):
        args, kwargs = list(positional), dict(keywords)
        for k, (place, x) in enumerate(zip(places, tensors)):
            if writes and k == 0:
                x = x.clone()
            if isinstance(place, str):
                kwargs[place] = x
            else:
                args[place] = x
        return overload(*args, **kwargs)

    return function, tensors, f"{operator.name}({', '.join(text)})"
