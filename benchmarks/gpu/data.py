"""Numbers for the benchmark of GPUs, which are the same on every machine, to the last bit.

They come from integer arithmetic and repeat after a prime number of elements, so that no row or
column of a tensor is like another one: what reads at a wrong place gets wrong numbers. Each
argument has a seed of its own. Weights share one table, turned by their names and scaled by powers
of two: a file with hundreds of megabytes of them packs well.
"""

import functools
import math
import zlib

import torch
from torch import nn

#: Numbers after which a tensor repeats itself: a prime.
PERIOD = 65521
_MASK = (1 << 64) - 1


def _signed(number: int) -> int:
    number &= _MASK
    return number - (1 << 64) if number >> 63 else number


def _shift(z: torch.Tensor, bits: int) -> torch.Tensor:
    """A shift of 64 bits without a sign."""
    return (z >> bits) & ((1 << (64 - bits)) - 1)


def _hash(seed: int, count: int) -> torch.Tensor:
    """`count` numbers of 64 bits (splitmix64, which wraps as int64 does)."""
    z = torch.arange(1, count + 1) * _signed(0x9E3779B97F4A7C15)
    z = z + _signed(seed * 0xD1342543DE82EF95)
    z = (z ^ _shift(z, 30)) * _signed(0xBF58476D1CE4E5B9)
    z = (z ^ _shift(z, 27)) * _signed(0x94D049BB133111EB)
    return z ^ _shift(z, 31)


@functools.lru_cache(maxsize=16)
def table(seed: int) -> torch.Tensor:
    """PERIOD numbers of float32, nearly normal, with deviation 1.15: multiples of 1/2048."""
    z = _hash(seed, PERIOD)
    total = sum(_shift(z, bits) & 0xFFFF for bits in (0, 16, 32, 48))
    return ((total >> 4) - 8191).float() / 2048


def _repeat(numbers: torch.Tensor, shape) -> torch.Tensor:
    count = math.prod(shape)
    return numbers.repeat(-(-count // len(numbers)) or 1)[:count].reshape(shape)


def normal(seed: int, *shape: int, dtype=torch.float32, scale: float = 1.0) -> torch.Tensor:
    """An argument."""
    return _repeat((table(seed) * scale).to(dtype), shape)


def integers(seed: int, high: int, *shape: int) -> torch.Tensor:
    """An argument of int64, from 0 to below `high`."""
    return _repeat(_shift(_hash(seed, PERIOD), 20) % high, shape)


# ---------------------------------------------------------------------------
# Weights
# ---------------------------------------------------------------------------

#: The seed of all weights, and after how many of them they repeat themselves: a prime, too, but
#: a file holds the table for each scale, layout and dtype.
WEIGHTS, WEIGHT_PERIOD = 1, 16381


def _weight(name: str, shape, scale: float, seed: int) -> torch.Tensor:
    numbers = table(seed)[:WEIGHT_PERIOD].roll(zlib.crc32(name.encode()) % WEIGHT_PERIOD)
    return _repeat(numbers * scale, shape)


def _norm(part: nn.Module, key: str, folds: bool) -> tuple[float, float] | None:
    """The mean and scale of a norm's state. A norm that is folded has one number for all channels:
    what it makes of weights repeats itself as they do."""
    is_batch = isinstance(part, nn.modules.batchnorm._BatchNorm)
    if not is_batch and "Norm" not in type(part).__name__:
        return None
    if key in ("weight", "running_var"):
        return (1.25 if key == "running_var" else 0.875), (0.0 if is_batch and folds else 1 / 8)
    return 0.0, 1 / 8


def fill(module: nn.Module, folds: bool = True, seed: int = WEIGHTS) -> nn.Module:
    """Gives a module its weights, which follow from their names."""
    with torch.no_grad():
        for path, part in module.named_modules():
            states = {**part._parameters, **part._buffers}
            for key, state in states.items():
                hidden = key in part._non_persistent_buffers_set
                if state is None or hidden or not state.is_floating_point():
                    continue
                name = f"{path}.{key}"
                mean, scale = 0.0, 1 / 8
                if norm := _norm(part, key, folds):
                    mean, scale = norm
                elif isinstance(part, nn.Embedding):
                    scale = 1 / 4
                elif key not in part._parameters:
                    scale = 1.0
                elif state.dim() > 1:
                    fan_in = state.numel() // state.shape[0]
                    scale = 2.0 ** -round(math.log2(max(fan_in, 1)) / 2)
                state.copy_(_weight(name, state.shape, scale, seed) + mean)
    return module


class NoInit(torch.overrides.TorchFunctionMode):
    """While it is entered, modules do not draw their first weights, which takes seconds."""

    SKIPPED = (torch.Tensor.normal_, torch.Tensor.uniform_, nn.init.kaiming_normal_,
               nn.init.kaiming_uniform_, nn.init.normal_, nn.init.uniform_, nn.init.trunc_normal_)

    def __torch_function__(self, function, types, args=(), kwargs=None):
        if function in self.SKIPPED:
            return args[0] if args else kwargs["tensor"]
        return function(*args, **(kwargs or {}))


def checksum(tensors) -> str:
    """Of the bytes of tensors, which tells whether two machines have the same data."""
    total = 0
    for x in tensors:
        flat = x.detach().cpu().contiguous().reshape(-1)
        total = zlib.crc32(flat.view(torch.uint8).numpy() if flat.numel() else b"", total)
    return f"{total:08x}"
