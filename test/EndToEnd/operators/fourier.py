"""Fourier transforms."""

import torch
from torch import fft

from operators.complex_numbers import z
from operators.table import case, f, i

F = "fourier"
D = torch.float64

for name, op in {"fft": fft.fft, "ifft": fft.ifft, "hfft": fft.hfft, "irfft": fft.irfft}.items():
    case(F, f"{name}.complex", op, z("n", 6))
for name, op in {"fft": fft.fft, "rfft": fft.rfft, "ihfft": fft.ihfft, "irfft": fft.irfft}.items():
    case(F, f"{name}.real", op, f("n", 7))
    case(F, f"{name}.ortho", lambda x, op=op: op(x, norm="ortho"), f("n", 6))
    case(F, f"{name}.forward", lambda x, op=op: op(x, norm="forward"), i(3, 6), dynamic=False)
    case(F, f"{name}.pad", lambda x, op=op: op(x, n=9, dim=0), f(6, 3), dynamic=False)
    case(F, f"{name}.crop", lambda x, op=op: op(x, n=3), f("n", 6))
# Lengths with a single factor, a large prime factor and several factors, and a length that is not
# done in one step.
for length in (1, 2, 53, 60, 210, 1024):
    case(F, f"fft.{length}", fft.fft, z(2, length), dynamic=False)
    case(F, f"irfft.{length}", lambda x, n=length: fft.irfft(x, n=n), z(2, length), dynamic=False)
case(F, "fft.double", fft.fft, f(2, 100, dtype=D), dynamic=False)
for name, ops in {
    "fft": (fft.fft2, fft.fftn),
    "ifft": (fft.ifft2, fft.ifftn),
    "hfft": (fft.hfft2, fft.hfftn),
    "irfft": (fft.irfft2, fft.irfftn),
}.items():
    case(F, f"{name}2", ops[0], z("n", 4, 5))
    case(F, f"{name}2.sizes", lambda x, op=ops[0]: op(x, s=(3, 8), dim=(0, 2)), z(4, 2, 5), dynamic=False)
    case(F, f"{name}n", ops[1], z(3, 4, 5), dynamic=False)
    case(F, f"{name}n.sizes", lambda x, op=ops[1]: op(x, s=(3, 6)), z("n", 4, 5))
for name, ops in {"rfft": (fft.rfft2, fft.rfftn), "ihfft": (fft.ihfft2, fft.ihfftn)}.items():
    case(F, f"{name}2", ops[0], f("n", 4, 5))
    case(F, f"{name}n.sizes", lambda x, op=ops[1]: op(x, s=(3, 6), dim=(2, 0)), f(4, 2, 5), dynamic=False)
case(F, "back", lambda x: fft.irfft(fft.rfft(x) * 2), f("n", 16))
case(F, "fft.prime", fft.fft, f(2, 1009), dynamic=False, fallback="a large prime length")

for name, options in {
    "plain": {"hop_length": 3, "center": False},
    "center": {"window": torch.hann_window(8)},
    "short": {"window": torch.hann_window(6), "win_length": 6, "normalized": True},
    "both": {"onesided": False},
}.items():
    case(
        F,
        f"stft.{name}",
        lambda x, o=options: torch.stft(x, 8, return_complex=True, **o),
        f("n", 30),
    )
case(
    F,
    "stft.real",
    lambda x: torch.view_as_real(torch.stft(x, 8, return_complex=True)),
    f(30),
    dynamic=False,
)
for name, options in {
    "plain": {},
    "window": {"window": torch.hann_window(8), "normalized": True},
    "longer": {"length": 40, "hop_length": 3},
    "edges": {"center": False},
}.items():
    case(F, f"istft.{name}", lambda x, o=options: torch.istft(x, 8, **o), z("n", 5, 9))
