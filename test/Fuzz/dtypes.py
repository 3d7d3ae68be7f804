"""Pointwise operators of two and three operands with operands of different dtypes, from seeds.

usage: dtypes.py --seeds 0:5000

The operands are tensors of each dtype, with and without dimensions, and Python's numbers. In-place
forms are included. Calls that eager PyTorch refuses are left out. The numbers are small, so that
no conversion is undefined.
"""

import functools
import itertools

import torch
from calls import call, operators
from generated import COMPLEX, INTEGERS, SHORT, Case, Choices, agrees_in_types, eager, main

#: Shapes that broadcast against each other. 37 elements are some vectors and a remainder.
SHAPES = [(37,), (2, 37), (2, 1), (1,), (), ()]
NUMBERS = [0, 1, 2, 3, -1, -2, 7, 0.5, -1.5, 2.0, 3.25, -0.75, True, False, 1 + 2j, -0.5j]
#: The dtypes to draw from. The common ones occur several times.
DTYPES = [d for d in SHORT if d not in COMPLEX] * 3 + COMPLEX
#: The maximal number of draws until PyTorch accepts a call.
DRAWS = 60


def values(rng, dtype: torch.dtype, shape: tuple, zeros: bool) -> torch.Tensor:
    count = 1
    for size in shape:
        count *= size
    if dtype is torch.bool:
        data = [rng.random() < 0.5 or not zeros for _ in range(count)]
    elif dtype in INTEGERS:
        least = 0 if dtype is torch.uint8 else -9
        data = [rng.randint(least, 9) or int(not zeros) for _ in range(count)]
    elif dtype in COMPLEX:
        data = [complex(rng.randint(-12, 12), rng.randint(-12, 12)) / 4 for _ in range(count)]
    else:
        data = [rng.randint(-40, 40) / 8 or float(not zeros) for _ in range(count)]
    return torch.tensor(data, dtype=dtype).reshape(shape)


@functools.cache
def _pairs() -> list:
    return list(itertools.product(operators(2, 3), SHORT))


def draw(rng) -> tuple:
    operator, dtype = rng.take("pointwise", _pairs())
    shapes = [rng.choice(SHAPES) for _ in range(3)]
    first = (2, 37) if operator.writes else shapes[0]
    some = [dtype, *rng.sample(DTYPES, 2)]
    if rng.random() < 0.3:
        some[rng.randrange(3)] = some[rng.randrange(3)]
    if rng.random() < 0.15:
        some[0] = torch.bool

    def tensor(k, is_first):
        shape = first if is_first else shapes[k % 3]
        return values(rng, some[k % 3], shape, is_first or rng.random() < 0.2)

    return call(operator, rng, tensor, lambda k: rng.choice(NUMBERS), lambda k: rng.randint(0, 4))


def make(seed: int) -> Case | None:
    rng = Choices("dtypes", seed)
    for _ in range(DRAWS):
        if not (made := draw(rng)):
            continue
        function, tensors, text = made
        # Ignore the signs of zeros: NUMBERS has no -0.0, and the signs are unspecified in complex
        # arithmetic (see specials.py). The terms of polynomials' recurrences cancel.
        size = 10.0 if "polynomial" in text else 0.0
        case = Case(seed, text, function, tensors, signs=False, size=size)
        expected = eager(case)
        if expected and agrees_in_types(case, expected):
            return case
    return None


if __name__ == "__main__":
    main(make, __doc__.splitlines()[0])
