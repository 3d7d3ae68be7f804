"""Operators on one element at a time: unary, binary, comparisons, casts."""

import torch
import torch.nn.functional as F

from operators.table import INF, NAN, SPECIAL, b, case, f, fixed, i, pos, unit

SMOOTH = {
    "exp": torch.exp,
    "exp2": torch.exp2,
    "expm1": torch.expm1,
    "sin": torch.sin,
    "cos": torch.cos,
    "tanh": torch.tanh,
    "sinh": torch.sinh,
    "cosh": torch.cosh,
    "atan": torch.atan,
    "asinh": torch.asinh,
    "sigmoid": torch.sigmoid,
    "gelu": F.gelu,
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "silu": F.silu,
    "mish": F.mish,
    "softplus": F.softplus,
    "elu": F.elu,
    "selu": F.selu,
    "celu": lambda x: F.celu(x, 1.3),
    "logsigmoid": F.logsigmoid,
    "erf": torch.erf,
    "erfc": torch.erfc,
    "square": torch.square,
    "pow2": lambda x: x**2,
    "pow3": lambda x: x**3,
    "scalar_pow": lambda x: 2**x,
}
STEPS = {
    "abs": torch.abs,
    "neg": torch.neg,
    "relu": torch.relu,
    "relu6": F.relu6,
    "leaky_relu": lambda x: F.leaky_relu(x, 0.1),
    "hardtanh": lambda x: F.hardtanh(x, -0.5, 0.7),
    "hardswish": F.hardswish,
    "hardsigmoid": F.hardsigmoid,
    "ceil": torch.ceil,
    "floor": torch.floor,
    "round": torch.round,
    "trunc": torch.trunc,
    "frac": torch.frac,
    "sign": torch.sign,
    "sgn": torch.sgn,
    "isnan": torch.isnan,
    "isinf": torch.isinf,
    "isfinite": torch.isfinite,
    "logical_not": torch.logical_not,
    "clamp": lambda x: x.clamp(-0.5, 0.5),
    "clamp_min": lambda x: x.clamp_min(0.1),
    "clamp_max": lambda x: x.clamp_max(0.1),
    "threshold": lambda x: F.threshold(x, 0.2, -1.0),
    "nan_to_num": lambda x: torch.nan_to_num(x, 1.0, 2.0, 3.0),
    "add_scalar": lambda x: x + 1.5,
    "sub_scalar": lambda x: x - 1,
    "rsub": lambda x: 1 - x,
    "mul_scalar": lambda x: x * 2,
    "div_scalar": lambda x: x / 3,
    "floor_div_scalar": lambda x: x // 2,
    "remainder_scalar": lambda x: x % 3,
    "fmod_scalar": lambda x: torch.fmod(x, 2.0),
}
POSITIVE = {
    "log": torch.log,
    "log2": torch.log2,
    "log10": torch.log10,
    "log1p": torch.log1p,
    "sqrt": torch.sqrt,
    "rsqrt": torch.rsqrt,
    "reciprocal": torch.reciprocal,
    "pow_half": lambda x: x**0.5,
    "pow_float": lambda x: x**1.7,
    "pow_minus": lambda x: x**-1,
}
BOUNDED = {
    "asin": torch.asin,
    "acos": torch.acos,
    "atanh": torch.atanh,
    "tan": torch.tan,
}
#: Eager's vectorized float32 gelu overflows before its result does, and returns NaN for infinities.
#: Its float64 code does not.
FINITE = {"gelu"}
GROUPS = ((SMOOTH, f), (STEPS, f), (POSITIVE, pos), (BOUNDED, unit))

for table, values in GROUPS:
    for name, op in table.items():
        strided = lambda x, op=op: op(x.t()[::2])  # noqa: E731
        special = SPECIAL[SPECIAL.abs() < 1e30] if name in FINITE else SPECIAL
        case("unary", name, op, values("n", 4))
        case("unary_0d", name, op, values(), dynamic=False)
        case("unary_empty", name, op, values(0, 3), dynamic=False)
        case("unary_strided", name, strided, values("n", 4))
        case("unary_special", name, op, fixed(special), dynamic=False)
        case("unary_bf16", name, op, values(3, 4, dtype=torch.bfloat16), dynamic=False)

case("unary_special", "gelu.f64", F.gelu, fixed(SPECIAL.double()), dynamic=False)
for name in ("acosh", "asinh", "atanh", "erf", "erfc"):
    op = getattr(torch, name)
    case("unary_f64", name, op, pos("n", 4, dtype=torch.float64))

for name in ("abs", "neg", "relu", "sign", "square", "clamp", "add_scalar", "rsub"):
    op = STEPS.get(name) or SMOOTH[name]
    case("unary_int", name, op, i("n", 4))
for name in ("exp", "sin", "sigmoid", "tanh"):
    case("unary_int", name, SMOOTH[name], i("n", 4))
case("unary_int", "bitwise_not", torch.bitwise_not, i("n", 4))
case("unary_int", "bool_not", torch.logical_not, i("n", 4, low=0, high=2))
case("unary_int", "floor_div", lambda x: x // 3, i("n", 4))
case("unary_int", "remainder", lambda x: x % 3, i("n", 4))
case("unary_int", "remainder_minus", lambda x: x % -4, i("n", 4))
case("unary_int", "true_div", lambda x: x / 2, i("n", 4))
case("unary_int", "sqrt", torch.sqrt, i("n", 4, low=0))

BINARY = {
    "add": torch.add,
    "add_alpha": lambda x, y: torch.add(x, y, alpha=0.5),
    "sub": torch.sub,
    "sub_alpha": lambda x, y: torch.sub(x, y, alpha=2),
    "mul": torch.mul,
    "div": torch.div,
    "div_floor": lambda x, y: torch.div(x, y, rounding_mode="floor"),
    "div_trunc": lambda x, y: torch.div(x, y, rounding_mode="trunc"),
    "maximum": torch.maximum,
    "minimum": torch.minimum,
    "remainder": torch.remainder,
    "fmod": torch.fmod,
    "atan2": torch.atan2,
}
COMPARE = {
    "eq": torch.eq,
    "ne": torch.ne,
    "lt": torch.lt,
    "le": torch.le,
    "gt": torch.gt,
    "ge": torch.ge,
}
_lhs = SPECIAL.repeat_interleave(5)
_rhs = torch.tensor([0.0, -0.0, INF, NAN, 2.5]).repeat(len(SPECIAL))

for name, op in (BINARY | COMPARE).items():
    case("binary", name, op, f("n", 4), pos("n", 4))
    case("binary", f"{name}.broadcast", op, f("n", 1, 4), pos("m", 1))
    case("binary", f"{name}.0d", op, f("n", 4), pos())
    case("binary_0d", name, op, f(), pos(), dynamic=False)
    case("binary_empty", name, op, f(0, 3), pos(3), dynamic=False)
    case("binary_strided", name, lambda x, y, op=op: op(x.t(), y), f("n", 4), pos(4, "n"))
    if name not in ("remainder", "fmod", "div_floor", "div_trunc"):
        case("binary_special", name, op, fixed(_lhs), fixed(_rhs), dynamic=False)
    if name not in ("add_alpha", "div_floor", "div_trunc", "atan2"):
        case("binary_int", name, op, i("n", 4), i("n", 4, low=1))
case("binary_special", "pow", torch.pow, fixed(_lhs), fixed(_rhs), dynamic=False)
case("binary", "pow", torch.pow, pos("n", 4), f("n", 4))
case("binary_int", "div_floor", lambda x, y: x // y, i("n", 4), i("n", 4, low=1))
case("binary_int", "promote", torch.add, i("n", 4), f("n", 4))
case("binary_int", "promote_bool", torch.mul, b("n", 4), f("n", 4))
case("binary_int", "promote_0d", torch.mul, i("n", 4), f())
case("binary_int", "bitwise_and", torch.bitwise_and, i("n", 4), i("n", 4))
case("binary_int", "bitwise_or", torch.bitwise_or, i("n", 4), i("n", 4))
case("binary_int", "bitwise_xor", torch.bitwise_xor, i("n", 4), i("n", 4))
case("binary_int", "and_bool", lambda x, y: x & y, b("n", 4), b("n", 4))
case("binary_int", "or_bool", lambda x, y: x | y, b("n", 4), b("n", 4))
case("binary_int", "logical_and", torch.logical_and, b("n", 4), b("n", 4))
case("binary_int", "logical_or", torch.logical_or, b("n", 4), b("n", 4))
case("binary_int", "logical_xor", torch.logical_xor, b("n", 4), b("n", 4))
for name, op in COMPARE.items():
    case("compare", f"{name}.scalar", lambda x, op=op: op(x, 0.25), f("n", 4))
    case("compare", f"{name}.int", lambda x, op=op: op(x, 2), i("n", 4))
case("compare", "where", torch.where, b("n", 4), f("n", 4), f("n", 4))
case("compare", "where.broadcast", torch.where, b("n", 1), f(4), f())
case("compare", "where.scalar", lambda c, x: torch.where(c, x, 0.5), b("n", 4), f("n", 4))
case("compare", "where.scalars", lambda c: torch.where(c, 0.5, -1.0), b("n", 4))
case("compare", "where.promote", torch.where, b("n", 4), i("n", 4), f("n", 4))
case("compare", "masked_fill", lambda x, m: x.masked_fill(m, -INF), f("n", 4), b("n", 4))
case("compare", "masked_fill.0d", lambda x, m, v: x.masked_fill(m, v), f("n", 4), b(4), f())
case("compare", "min.other", torch.min, f("n", 4), f("n", 4))
case("compare", "clamp.tensor", torch.clamp, f("n", 4), unit(4), pos(4))
case("compare", "lerp", lambda x, y: torch.lerp(x, y, 0.3), f("n", 4), f("n", 4))
case("compare", "addcmul", lambda x, y, z: torch.addcmul(x, y, z, value=0.5), f("n", 4), f("n", 4), f(4))
case("compare", "addcdiv", lambda x, y, z: torch.addcdiv(x, y, z, value=0.5), f("n", 4), f("n", 4), pos(4))
case("compare", "glu", lambda x: F.glu(x, -1), f("n", 8))
case("compare", "prelu", F.prelu, f("n", 4), f(4))
case("compare", "dropout", lambda x: F.dropout(x, 0.5, training=False), f("n", 4))
case("compare", "type_as", lambda x, y: x.type_as(y), f("n", 4), i(2))

TYPES = {
    "f64": torch.float64,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "i64": torch.int64,
    "i32": torch.int32,
    "i8": torch.int8,
    "u8": torch.uint8,
    "bool": torch.bool,
}
for name, dtype in TYPES.items():
    values = pos if dtype is torch.uint8 else f
    case("casts", f"f32_to_{name}", lambda x, t=dtype: x.to(t), values("n", 4))
    case("casts", f"{name}_to_f32", lambda x: x.to(torch.float32), values("n", 4, dtype=dtype))
    case("casts", f"i64_to_{name}", lambda x, t=dtype: x.to(t), i("n", 4, low=0))
    case("casts", f"{name}_add", lambda x, y: x + y, values("n", 4, dtype=dtype), values("n", 4, dtype=dtype))
    case("casts", f"{name}_mul_scalar", lambda x: x * 2, values("n", 4, dtype=dtype))
case("casts", "float", lambda x: x.float(), f("n", 4, dtype=torch.float64))
case("casts", "same", lambda x: x.to(torch.float32) + 1, f("n", 4))
