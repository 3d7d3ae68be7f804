"""Makes the data of the benchmark of GPUs, which is bitwise the same on every machine.

Numbers come from integer arithmetic. They repeat after a prime number of elements, so that rows and
columns of a tensor differ: a read at a wrong index gives a wrong number. Each argument has its own
seed. All weights come from one table, which is rotated depending on the name of a weight and scaled
by powers of two, so that files with hundreds of megabytes of weights compress well.
"""

import functools
import math
import zlib

import torch
from torch import nn

#: The period of the elements of a tensor, a prime.
PERIOD = 65521
_MASK = (1 << 64) - 1


def _signed(number: int) -> int:
    number &= _MASK
    return number - (1 << 64) if number >> 63 else number


def _shift(z: torch.Tensor, bits: int) -> torch.Tensor:
    """Returns the logical shift of 64-bit integers to the right."""
    return (z >> bits) & ((1 << (64 - bits)) - 1)


def _hash(seed: int, count: int) -> torch.Tensor:
    """Returns `count` 64-bit numbers of splitmix64, whose arithmetic wraps like int64's."""
    z = torch.arange(1, count + 1) * _signed(0x9E3779B97F4A7C15)
    z = z + _signed(seed * 0xD1342543DE82EF95)
    z = (z ^ _shift(z, 30)) * _signed(0xBF58476D1CE4E5B9)
    z = (z ^ _shift(z, 27)) * _signed(0x94D049BB133111EB)
    return z ^ _shift(z, 31)


@functools.lru_cache(maxsize=16)
def table(seed: int) -> torch.Tensor:
    """Returns PERIOD float32 numbers with a nearly normal distribution, a standard deviation of
    1.15, and multiples of 1/2048 as values."""
    z = _hash(seed, PERIOD)
    total = sum(_shift(z, bits) & 0xFFFF for bits in (0, 16, 32, 48))
    return ((total >> 4) - 8191).float() / 2048


def _repeat(numbers: torch.Tensor, shape) -> torch.Tensor:
    count = math.prod(shape)
    return numbers.repeat(-(-count // len(numbers)) or 1)[:count].reshape(shape)


def normal(seed: int, *shape: int, dtype=torch.float32, scale: float = 1.0) -> torch.Tensor:
    """Returns an argument with nearly normal numbers."""
    return _repeat((table(seed) * scale).to(dtype), shape)


def integers(seed: int, high: int, *shape: int) -> torch.Tensor:
    """Returns an argument of int64 numbers from 0 to `high` - 1."""
    return _repeat(_shift(_hash(seed, PERIOD), 20) % high, shape)


# ---------------------------------------------------------------------------
# Weights
# ---------------------------------------------------------------------------

#: The seed of all weights and their period, a prime. The period is shorter than PERIOD, because a
#: file contains the table once for each scale, layout and dtype.
WEIGHTS, WEIGHT_PERIOD = 1, 16381


def _weight(name: str, shape, scale: float, seed: int) -> torch.Tensor:
    numbers = table(seed)[:WEIGHT_PERIOD].roll(zlib.crc32(name.encode()) % WEIGHT_PERIOD)
    return _repeat(numbers * scale, shape)


def _norm(part: nn.Module, key: str, folds: bool) -> tuple[float, float] | None:
    """Returns the mean and scale of a state of a norm, or None for other modules. A batch norm that
    is folded has the same scale for all channels, so that folded weights stay periodic."""
    is_batch = isinstance(part, nn.modules.batchnorm._BatchNorm)
    if not is_batch and "Norm" not in type(part).__name__:
        return None
    if key in ("weight", "running_var"):
        return (1.25 if key == "running_var" else 0.875), (0.0 if is_batch and folds else 1 / 8)
    return 0.0, 1 / 8


def fill(module: nn.Module, folds: bool = True, seed: int = WEIGHTS) -> nn.Module:
    """Sets the weights of a module. They depend on their names."""
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
    """Skips the random initialization of modules, which takes seconds, while the mode is active."""

    SKIPPED = (torch.Tensor.normal_, torch.Tensor.uniform_, nn.init.kaiming_normal_,
               nn.init.kaiming_uniform_, nn.init.normal_, nn.init.uniform_, nn.init.trunc_normal_)

    def __torch_function__(self, function, types, args=(), kwargs=None):
        if function in self.SKIPPED:
            return args[0] if args else kwargs["tensor"]
        return function(*args, **(kwargs or {}))


def checksum(tensors) -> str:
    """Returns a checksum of the bytes of tensors, to check that two machines have the same data."""
    total = 0
    for x in tensors:
        flat = x.detach().cpu().contiguous().reshape(-1)
        total = zlib.crc32(flat.view(torch.uint8).numpy() if flat.numel() else b"", total)
    return f"{total:08x}"
