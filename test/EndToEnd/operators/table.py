"""Cases and the descriptions of their inputs."""

import dataclasses
import zlib
from collections.abc import Callable

import torch

#: The symbolic sizes in the export, and in further runs of a dynamic export.
SIZES = {"n": 5, "m": 3}
OTHER_SIZES = [{"n": 2, "m": 7}, {"n": 17, "m": 4}]


@dataclasses.dataclass
class Input:
    dims: tuple[int | str, ...]
    make: Callable[[list[int], torch.Generator], torch.Tensor]

    def tensor(self, sizes: dict[str, int], seed: int) -> torch.Tensor:
        shape = [sizes[d] if isinstance(d, str) else d for d in self.dims]
        return self.make(shape, torch.Generator().manual_seed(seed))

    def dynamic(self, symbols: dict) -> dict:
        return {k: symbols[d] for k, d in enumerate(self.dims) if isinstance(d, str)}


@dataclasses.dataclass(eq=False)
class Case:
    name: str
    function: Callable
    inputs: tuple[Input, ...]
    dynamic: bool = True
    fallback: str = ""
    #: False: PyTorch's own decomposition fails, or gives other values than eager mode.
    decomposes: bool = True

    def tensors(self, sizes: dict[str, int]) -> list[torch.Tensor]:
        seed = zlib.crc32(self.name.encode())
        return [x.tensor(sizes, seed + k) for k, x in enumerate(self.inputs)]


FAMILIES: dict[str, list[Case]] = {}


def case(family: str, name: str, function: Callable, *inputs: Input, **options) -> None:
    rows = FAMILIES.setdefault(family, [])
    assert name not in {row.name for row in rows}, f"{family}: {name} stands twice"
    rows.append(Case(name, function, inputs, **options))


def f(*dims, dtype=torch.float32) -> Input:
    """Standard normal values."""
    return Input(dims, lambda s, g: torch.randn(s, generator=g).to(dtype))


def pos(*dims, dtype=torch.float32) -> Input:
    """Values in [0.1, 3]."""
    return Input(dims, lambda s, g: (torch.rand(s, generator=g) * 2.9 + 0.1).to(dtype))


def unit(*dims, dtype=torch.float32) -> Input:
    """Values in (-1, 1)."""
    return Input(dims, lambda s, g: (torch.rand(s, generator=g) * 1.98 - 0.99).to(dtype))


def i(*dims, low=-9, high=10, dtype=torch.int64) -> Input:
    """Integers in [low, high)."""
    return Input(dims, lambda s, g: torch.randint(low, high, s, generator=g).to(dtype))


def b(*dims) -> Input:
    return Input(dims, lambda s, g: torch.rand(s, generator=g) < 0.5)


def fixed(value) -> Input:
    value = torch.as_tensor(value)
    return Input(tuple(value.shape), lambda s, g: value.clone())


INF, NAN = float("inf"), float("nan")

#: Zeros of both signs, infinities, NaN, the extremes of float32, subnormals, and values near which
#: functions change their formula.
SPECIAL = torch.tensor(
    [0.0, -0.0, INF, -INF, NAN, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5]
    + [3.4e38, -3.4e38, 1e-38, 1e-42, -1e-42, 88.0, -88.0, 104.0, -104.0]
    + [1e-4, -1e-4, 20.0, -20.0, 100.0, -3.0, 3.0, 6.0, 1e9, -1e9, 0.9999999]
)
