"""Operators on special values: not-a-number, infinities, zeros with signs, subnormal numbers, the ends
of integer types, halves, large arguments; pointwise, reductions, scans, sorting, conversions.

usage: specials.py --seeds 0:2000

Signs of zeros count. Every operator runs on vectors and on the remainders of vectors. An element is
left out if PyTorch's own results for it differ: between its code for vectors, for single elements
and for strided tensors.
"""

import dataclasses
import functools
import itertools
import math

import torch
from calls import call, operators
from generated import COMPLEX, FLOATS, INTEGERS, Case, Choices, agrees_in_types, describe, eager, main, wrong

INF, NAN = math.inf, math.nan
PLAIN = [INF, -INF, NAN, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 2.0, -2.0, 3.0, -3.0, 7.0, -7.0]
PLAIN += [1 / 3, -0.1, 0.49999997, 3.5, 4.5, -3.5, 10.0, 0.25, 100.0, -100.0]
#: Lengths of tensors: vectors, with and without a remainder, and remainders alone.
LENGTHS = [1, 2, 3, 5, 7, 16, 33, 37, 64, 70]
DRAWS = 60

#: The pointwise operators that are left out, by the reason.
LEFT_OUT = {
    # Beyond the numbers for which they are made, PyTorch's recurrences lose all digits.
    "recurrences": ("special_chebyshev", "special_hermite", "special_laguerre", "special_legendre", "special_shifted"),
    # For integers near 2**63 the result depends on the order in which the recursion overflows.
    "overflow of signed integers": ("lcm", "gcd"),
    # test_operators.py compares them on ordinary operands. Near their poles, PyTorch's series have
    # only a few correct digits.
    "series": (
        "special_zeta", "igamma", "special_gammainc", "polygamma", "mvlgamma", "digamma", "special_airy",
        "special_bessel", "special_modified", "special_scaled", "special_spherical", "lgamma",
    ),
}  # fmt: skip


def specials(dtype: torch.dtype) -> list:
    if dtype is torch.bool:
        return [True, False]
    if dtype in INTEGERS:
        info = torch.iinfo(dtype)
        some = {0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 63, 64, info.max, info.max - 1, info.max // 2, info.min}
        some |= {info.min + 1} | {-k for k in (1, 2, 3, 5, 7, 8, 31, 64)}
        return sorted(k for k in some if info.min <= k <= info.max)
    if dtype in COMPLEX:
        parts = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, INF, -INF, NAN, -3.0]
        return [complex(a, b) for a in parts for b in parts]
    info = torch.finfo(dtype)
    sizes = [info.tiny, info.tiny / 4, info.smallest_normal * info.eps, info.max, info.max / 2, 1 + info.eps]
    sizes += [1 / info.eps, 1 / info.eps + 1, 0.5 / info.eps + 0.5, math.sqrt(info.max), 1e4, 88.0, 104.0]
    # Values that a dtype cannot hold become infinite.
    return PLAIN + [s for size in sizes for s in (size, -size)]


def tensor_of(rng, dtype: torch.dtype, shape, of: list) -> torch.Tensor:
    data = [rng.choice(of) for _ in range(math.prod(shape))]
    if dtype in FLOATS:
        return torch.tensor(data, dtype=torch.float64).to(dtype).reshape(shape)
    return torch.tensor(data, dtype=dtype).reshape(shape)


def strided(x: torch.Tensor) -> torch.Tensor:
    return torch.stack([x, x], -1)[..., 0] if x.dim() else x


def _marks(first: list, second: list | None, into: list) -> None:
    """Adds the elements on which two results differ."""
    if second is None or len(first) != len(second):
        return
    for k, (a, b) in enumerate(zip(first, second)):
        if a.dtype == b.dtype and a.shape == b.shape:
            differs = wrong(a, b, True)
            into[k] = differs if into[k] is None else into[k] | differs


def undecided(case: Case, expected: list, pointwise: bool) -> list:
    """Returns, for each output, a mask of the elements on which PyTorch's implementations of the
    operator differ, or None."""
    result = [None] * len(expected)
    other = dataclasses.replace(case, inputs=[strided(x) for x in case.inputs])
    _marks(expected, eager(other), result)
    if not pointwise or len(expected) != 1 or expected[0].dim() != 1:
        return result
    # Run element by element, as in the remainders of vectors.
    parts = []
    for k in range(expected[0].numel()):
        inputs = [x[k : k + 1] if x.dim() and x.numel() > 1 else x for x in case.inputs]
        parts.append(eager(dataclasses.replace(case, inputs=inputs)))
    if all(parts) and all(p[0].numel() == 1 for p in parts):
        _marks(expected, [torch.cat([p[0].reshape(1) for p in parts])], result)
    # Run on eight copies of the vector, so that its elements are not in a remainder.
    inputs = [x.repeat(8) if x.dim() and x.numel() > 1 else x for x in case.inputs]
    if long := eager(dataclasses.replace(case, inputs=inputs)):
        _marks(expected, [long[0][: expected[0].numel()]], result)
    return result


#: Operators that use an exponential, which has no subnormal results in compiled code.
EXPONENTIALS = "exp sigmoid softplus silu tanh erf gelu mish elu ndtr sinh cosh".split()
#: Operators that choose an operand. 0.0 and -0.0 are equal, and the CPU's instruction decides which
#: of them PyTorch returns.
CHOICES = """relu relu_ relu6 relu6_ maximum minimum max.other min.other fmax fmin hardtanh hardtanh_
    clamp clamp_ clamp_max clamp_max_ clamp_min clamp_min_ clip clip_ hardswish hardswish_
    log_sigmoid""".split()


@functools.cache
def _pointwise():
    """Returns the pairs of an operator and a dtype. Those of floats occur twice."""
    some = [o for o in operators(1, 3) if not o.name.startswith(sum(LEFT_OUT.values(), ()))]
    return list(itertools.product(some, [*FLOATS, *FLOATS, *INTEGERS, torch.bool, *COMPLEX]))


def pointwise(rng):
    operator, dtype = rng.take("pointwise", _pointwise())
    length = rng.choice(LENGTHS)
    some = [dtype] * 3 if rng.random() < 0.8 else [rng.choice([*FLOATS, *INTEGERS]) for _ in range(3)]

    def tensor(k, first):
        of = specials(some[k % 3])
        # Complex numbers are finite here. In sums and products of others, the compiler's choice of
        # instructions decides which parts are NaN, in PyTorch, too.
        if some[k % 3] in COMPLEX:
            of = [v for v in of if math.isfinite(v.real) and math.isfinite(v.imag)]
        if not first and rng.random() < 0.1:
            return tensor_of(rng, some[k % 3], (), of)
        return tensor_of(rng, some[k % 3], (length,), of)

    def number(k):
        if dtype in FLOATS:
            return rng.choice([*PLAIN, 0, -1, 2, 3])
        return rng.choice([0, 1, -1, 2, 7, -3, 8, 31, 63, 64, 0.5])

    made = call(operator, rng, tensor, number, lambda k: rng.randint(0, 3))
    if not made:
        return None
    # Ignore the signs of zeros in complex arithmetic: PyTorch's depend on its vector code.
    is_choice = operator.name in CHOICES or operator.name.split(".")[0] in CHOICES
    size = 1e-30 if any(name in operator.name for name in EXPONENTIALS) else 0
    # PyTorch computes x - alpha * y as x + (-alpha) * y, which for an alpha of 0 differs in signs.
    is_sum = operator.name.startswith(("sub", "rsub")) and made[2].endswith(", 0)")
    signs = not is_choice and not is_sum and not any(x.is_complex() for x in made[1])
    return *made, True, signs, size


def _dim(rng):
    return rng.choice([0, 1, -1])


REDUCTIONS = {
    "sum": lambda x, d: x.sum(d),
    "sum_all": lambda x, d: x.sum(),
    "prod": lambda x, d: x.prod(d),
    "mean": lambda x, d: x.mean(d),
    "max": lambda x, d: torch.max(x, d),
    "min": lambda x, d: torch.min(x, d),
    "max_all": lambda x, d: x.max(),
    "min_all": lambda x, d: x.min(),
    "amax": lambda x, d: x.amax(d),
    "amin": lambda x, d: x.amin(d, keepdim=True),
    "aminmax": lambda x, d: tuple(torch.aminmax(x, dim=d)),
    "argmax": lambda x, d: x.argmax(d),
    "argmin": lambda x, d: x.argmin(d),
    "argmax_all": lambda x, d: x.argmax(),
    "any": lambda x, d: x.any(d),
    "all": lambda x, d: x.all(d),
    "all_all": lambda x, d: x.all(),
    "count_nonzero": lambda x, d: torch.count_nonzero(x, d),
    "cumsum": lambda x, d: x.cumsum(d),
    "cumprod": lambda x, d: x.cumprod(d),
    "cummax": lambda x, d: tuple(x.cummax(d)),
    "cummin": lambda x, d: tuple(x.cummin(d)),
    "logcumsumexp": lambda x, d: x.logcumsumexp(d),
    "sort": lambda x, d: torch.sort(x, dim=d, stable=True),
    "sort_descending": lambda x, d: torch.sort(x, dim=d, descending=True, stable=True),
    "argsort": lambda x, d: torch.argsort(x, dim=d, stable=True),
    # Any of several equal elements may be chosen, so compare the values only.
    "topk": lambda x, d: x.topk(max(1, x.shape[d] // 2), d)[0],
    "topk_smallest": lambda x, d: x.topk(max(1, x.shape[d] // 2), d, largest=False)[0],
    "kthvalue": lambda x, d: x.kthvalue((x.shape[d] + 1) // 2, d)[0],
    "median": lambda x, d: x.median(d)[0],
    "median_all": lambda x, d: x.median(),
    "nanmedian": lambda x, d: x.nanmedian(d)[0],
    "mode": lambda x, d: x.mode(d)[0],
    "nansum": lambda x, d: x.nansum(d),
    "nanmean": lambda x, d: x.nanmean(d),
    "logsumexp": lambda x, d: x.logsumexp(d),
    "softmax": lambda x, d: x.softmax(d),
    "log_softmax": lambda x, d: x.log_softmax(d),
    "std": lambda x, d: x.std(d),
    "var": lambda x, d: x.var(d, correction=0),
    "var_mean": lambda x, d: torch.var_mean(x, d),
    "norm0": lambda x, d: torch.linalg.vector_norm(x, 0, d),
    "norm1": lambda x, d: torch.linalg.vector_norm(x, 1, d),
    "norm2": lambda x, d: torch.linalg.vector_norm(x, 2, d),
    "norm3": lambda x, d: torch.linalg.vector_norm(x, 3, d),
    "norm_inf": lambda x, d: torch.linalg.vector_norm(x, INF, d),
    "norm_minus_inf": lambda x, d: torch.linalg.vector_norm(x, -INF, d),
    "renorm": lambda x, d: x.renorm(2, d, 1.0),
    "quantile": lambda x, d: x.quantile(0.3, d),
    "nanquantile": lambda x, d: x.nanquantile(0.7, d),
    "diff": lambda x, d: x.diff(dim=d),
    "isin": lambda x, d: torch.isin(x, x.flatten()[:3]),
    "searchsorted": lambda x, d: torch.searchsorted(x.flatten().sort()[0], x),
    "searchsorted_right": lambda x, d: torch.searchsorted(x.flatten().sort()[0], x, right=True),
    "max_pool": lambda x, d: torch.max_pool1d(x.unsqueeze(0), 2, 1),
    "max_pool_indices": lambda x, d: torch.nn.functional.max_pool1d(x.unsqueeze(0), 3, 2, 1, return_indices=True),
    "adaptive_max_pool": lambda x, d: torch.nn.functional.adaptive_max_pool1d(x.unsqueeze(0), 2),
    "avg_pool": lambda x, d: torch.avg_pool1d(x.unsqueeze(0), 2),
    "nonzero": lambda x, d: (x != 0).sum(),
    "scatter_amax": lambda x, d: x.scatter_reduce(d, (x.isnan() | (x > 0)).long() % x.shape[d], x, "amax"),
    "scatter_amin": lambda x, d: x.scatter_reduce(d, (x > 0).long() % x.shape[d], x, "amin", include_self=False),
    "layer_norm": lambda x, d: torch.layer_norm(x, [x.shape[-1]]),
    "nan_to_num": lambda x, d: x.nan_to_num(),
    "trapezoid": lambda x, d: torch.trapezoid(x, dim=d),
    "where_nan": lambda x, d: torch.where(x.isnan(), 0.0, x),
    "msort": lambda x, d: x.msort(),
    "flip_sign": lambda x, d: (-x).abs().copysign(x),
    "allclose": lambda x, d: torch.isclose(x, x.flip(d), equal_nan=True),
    "cdist": lambda x, d: torch.cdist(x, x, 1.0),
    "cdist_inf": lambda x, d: torch.cdist(x, x, INF),
    "matmul": lambda x, d: x @ x.transpose(-1, -2),
    "dist": lambda x, d: torch.dist(x, x.flip(d), INF),
    "cosine": lambda x, d: torch.cosine_similarity(x, x.flip(0), d),
    "normalize": lambda x, d: torch.nn.functional.normalize(x, dim=d),
}  # fmt: skip
#: Operators that add or multiply. Near the limits of a dtype, the order decides whether they
#: overflow, and differences of large numbers have no certain digits. So they take small numbers
#: beside the special ones.
ORDERED = """sum sum_all prod mean cumsum cumprod logcumsumexp nansum nanmean logsumexp softmax log_softmax std
    var var_mean norm1 norm2 norm3 renorm quantile nanquantile avg_pool layer_norm trapezoid cdist matmul cosine
    normalize diff""".split()
#: Operators that take finite numbers only: whether they subtract infinities from each other depends
#: on the formula that PyTorch chooses.
FINITE = "trapezoid var_mean cdist cdist_inf dist quantile nanquantile".split()
#: Operators that take no NaN: PyTorch searches and counts in sorted rows, and does not sort rows
#: with NaN as documented.
NUMBERS_ALONE = "searchsorted searchsorted_right mode".split()
#: Operators for which the signs of zeros do not count. Whether a sum of zeros is -0.0 depends on
#: its initial value.
NO_SIGNS = {*ORDERED, "norm0", "norm_inf", "norm_minus_inf", "dist", "cdist_inf"}
#: 0.0 and -0.0 are equal, so that either may be chosen or come first.
NO_SIGNS |= set(
    """msort max min max_all min_all amax amin aminmax topk topk_smallest kthvalue median median_all nanmedian
    mode max_pool max_pool_indices adaptive_max_pool scatter_amax scatter_amin cummax cummin""".split()
)


def reductions(rng):
    pairs = itertools.product(REDUCTIONS, [*FLOATS, *FLOATS, *INTEGERS, torch.bool])
    name, dtype = rng.take("reductions", list(pairs))
    shape = rng.choice([(1,), (3, 5), (2, 37), (5, 16), (2, 70), (37, 3), (4, 1)])
    if len(shape) == 1:
        shape = (rng.choice(LENGTHS), 1)
    of = specials(dtype)
    if dtype in FLOATS:
        if name in ORDERED:
            of = [v for v in of if not math.isfinite(v) or 0.1 <= abs(v) < 5 or v == 0]
        kind = rng.random()
        if kind < 0.4 or name in NUMBERS_ALONE:  # a single NaN would hide all other elements
            of = [v for v in of if v == v]
        if kind < 0.2 or name in FINITE:
            of = [v for v in of if math.isfinite(v)]
        elif kind > 0.7:
            of = [v for v in of if v in (0.0, 1.0) or v != v or math.isinf(v)]
    elif dtype in INTEGERS and name in ORDERED:
        of = [v for v in of if abs(v) < 4]
    d, f = _dim(rng), REDUCTIONS[name]
    x = tensor_of(rng, dtype, shape, of)
    text = f"{name}({describe(x)}, dim={d})"
    return (lambda x: f(x, d)), [x], text, False, name not in NO_SIGNS, 5.0 if name in ORDERED else 0


def conversions(rng):
    """Draws a conversion between dtypes. Numbers that the integer type cannot hold are left out,
    because C++ does not define their conversion."""
    source, target = rng.choice([*FLOATS, *INTEGERS, torch.bool]), rng.choice([*FLOATS, *INTEGERS, torch.bool])
    of = specials(source)
    if target in INTEGERS and source in FLOATS:
        info = torch.iinfo(target)
        # The largest integer of a type may round up to a float beyond it.
        of = [v for v in of if math.isfinite(v) and info.min <= v <= info.max * 0.996]
    x = tensor_of(rng, source, (rng.choice(LENGTHS),), of)
    text = f"to({describe(x)}, {target})"
    return (lambda x: x.to(target)), [x], text, True, True, 0


def draw(rng):
    return rng.choice([pointwise] * 12 + [reductions] * 7 + [conversions])(rng)


def make(seed: int) -> Case | None:
    rng = Choices("specials", seed)
    for _ in range(DRAWS):
        if not (made := draw(rng)):
            continue
        function, tensors, text, is_pointwise, signs, size = made
        case = Case(seed, text, function, tensors, signs=signs, size=size)
        expected = eager(case)
        if expected and agrees_in_types(case, expected):
            case.undecided = undecided(case, expected, is_pointwise)
            return case
    return None


if __name__ == "__main__":
    main(make, __doc__.splitlines()[0])
