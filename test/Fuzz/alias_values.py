"""Tensors as Python source, the memory that they occupy, and checks of their values."""

import dataclasses
import random

import torch

FLOATS = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
INTS = [torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8]
COMPLEX = [torch.complex64, torch.complex128]
DTYPES = [*FLOATS, *INTS, torch.bool, *COMPLEX]
LAYOUTS = ["dense", "dense", "dense", "transposed", "offset", "gaps", "channels_last"]


def draw_dtype(rng: random.Random) -> torch.dtype:
    """Draws a dtype, the common ones more often."""
    return rng.choice([torch.float32] * 8 + [torch.int64, torch.complex64] + DTYPES)


def draw_shape(rng: random.Random, most: int = 64) -> tuple[int, ...]:
    """Draws sizes of at most `most` elements. Few have no elements or no dimensions."""
    rank = rng.choice([0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4])
    if rank == 4:
        return rng.choice([(1, 2, 3, 4), (2, 2, 2, 3), (2, 3, 2, 2), (1, 3, 4, 4), (2, 1, 3, 4)])
    while True:
        sizes = tuple(rng.choice([1, 2, 2, 3, 3, 4, 4, 5, 6, 8]) for _ in range(rank))
        count = 1
        for size in sizes:
            count *= size
        if count <= most:
            break
    if rank and rng.random() < 0.02:
        at = rng.randrange(rank)
        sizes = (*sizes[:at], 0, *sizes[at + 1 :])
    return sizes


def tensor_text(shape, dtype: torch.dtype, salt: int) -> str:
    """Returns the source of a dense tensor of small integers."""
    count = 1
    for size in shape:
        count *= size
    text = f"torch.arange({count}).mul({2 * (salt % 5) + 3}).add({salt % 7}).remainder(11)"
    if dtype is torch.bool:
        text += ".remainder(3).eq(0)"
    else:
        if dtype is not torch.uint8:
            text += ".sub(5)"
        text += f".to({dtype})"
        if dtype.is_complex:
            text += ".mul(1 - 2j)"
    return text if len(shape) == 1 else f"{text}.reshape({tuple(shape)})"


@dataclasses.dataclass(frozen=True)
class Spec:
    """The properties of an input or a state, from which its source is made."""

    shape: tuple[int, ...]
    dtype: torch.dtype
    layout: str
    salt: int

    @staticmethod
    def draw(rng: random.Random, layouts=LAYOUTS) -> "Spec":
        shape, layout = draw_shape(rng), rng.choice(layouts)
        if not shape or (layout == "channels_last" and len(shape) != 4):
            layout = "dense"
        return Spec(shape, draw_dtype(rng), layout, rng.randrange(35))

    def text(self, first: int | None = None) -> str:
        """Returns the source. `first` replaces the first size."""
        shape = self.shape if first is None else (first, *self.shape[1:])
        if self.layout == "transposed":
            order = tuple(reversed(range(len(shape))))
            inner = tensor_text(tuple(reversed(shape)), self.dtype, self.salt)
            return f"{inner}.permute({order})"
        if self.layout == "offset":
            return tensor_text((shape[0] + 1, *shape[1:]), self.dtype, self.salt) + "[1:]"
        if self.layout == "gaps":
            inner = tensor_text((*shape[:-1], 2 * shape[-1]), self.dtype, self.salt)
            return f"{inner}[..., ::2]"
        text = tensor_text(shape, self.dtype, self.salt)
        if self.layout == "channels_last":
            text += ".contiguous(memory_format=torch.channels_last)"
        return text


def offsets(t: torch.Tensor) -> list[int]:
    """Returns the address of each element, in order."""
    found = [t.data_ptr()] if t.numel() else []
    for size, stride in zip(t.shape, t.stride()):
        step = stride * t.element_size()
        found = [at + k * step for at in found for k in range(size)]
    return found


def memory(t: torch.Tensor) -> set[int]:
    """Returns the addresses of the bytes that a tensor's elements occupy."""
    width = t.element_size()
    return {at + k for at in offsets(t) for k in range(width)}


def overlaps_itself(t: torch.Tensor) -> bool:
    found = offsets(t)
    return len(set(found)) < len(found)


def is_same_view(a: torch.Tensor, b: torch.Tensor) -> bool:
    return (a.data_ptr(), a.shape, a.stride(), a.dtype) == (b.data_ptr(), b.shape, b.stride(), b.dtype)


def is_kept(t: torch.Tensor) -> bool:
    """Returns True if the values are finite, and neither so large nor so small that dtypes
    overflow or underflow differently."""
    if not (t.dtype.is_floating_point or t.dtype.is_complex) or not t.numel():
        return True
    size = t.detach().resolve_conj().resolve_neg().to(torch.complex128 if t.is_complex() else torch.float64).abs()
    return bool((size.isfinite() & (size <= 1e4) & ((size == 0) | (size >= 1e-4))).all())


def is_exact(t: torch.Tensor) -> bool:
    """Returns True if every dtype holds the values exactly, so that other ways to compute them
    give the same."""
    if not (t.dtype.is_floating_point or t.dtype.is_complex) or not t.numel():
        return True
    wide = t.detach().resolve_conj().resolve_neg().to(torch.complex128 if t.is_complex() else torch.float64)
    parts = torch.view_as_real(wide) if wide.is_complex() else wide
    return bool(((parts * 4 == (parts * 4).round()) & (parts.abs() <= 60)).all())


def fits(t: torch.Tensor, dtype: torch.dtype) -> bool:
    """Returns True if the conversion of floats to the dtype is defined."""
    if not t.dtype.is_floating_point or not t.numel() or dtype not in INTS:
        return True
    limits = torch.iinfo(dtype)
    low, high = t.min().item(), t.max().item()
    return limits.min <= low and high <= limits.max
