"""Measures how far results are from the expected ones, and where. All computations are on the
device of the tensors."""

import torch

#: For reports of wrong results: how many indices are listed, and sizes of tiles.
FIRST, MODULI = 16, (8, 16, 64, 128)
#: The tolerated error if eager's is not known, in units of the RMS.
TOLERANCE = {torch.float64: 2e-3, torch.float32: 2e-3, torch.float16: 2e-2, torch.bfloat16: 6e-2}
#: The tolerated errors if eager's are known: multiples of eager's largest error and of the RMS of
#: its errors, and lower bounds of both tolerances.
LARGEST, ALL, LITTLE, LITTLE_OF_ALL = 4, 2, 2e-3, 2e-5
#: The lower bounds for operands that are rounded to TF32, which PyTorch does not do on the CPU.
LITTLE_TF32, LITTLE_TF32_OF_ALL = 2e-2, 2e-3


def exact(x: torch.Tensor) -> torch.Tensor:
    return x.detach().double()


def rms(want: torch.Tensor) -> float:
    finite = want[want.isfinite()]
    return float(finite.square().mean().sqrt().clamp_min(1e-30)) if finite.numel() else 1.0


def difference(got: torch.Tensor, want: torch.Tensor) -> torch.Tensor:
    """Returns the difference of each element. It is infinite where one is NaN or infinite and the
    other one differs."""
    same = (got == want) | (got.isnan() & want.isnan())
    return torch.where(same, 0.0, (got - want).abs()).nan_to_num(nan=float("inf"))


def distance(got: list, want: list) -> float:
    """Returns the largest difference in units of the RMS of the expected output."""
    worst = 0.0
    if len(got) != len(want):
        return float("inf")
    for g, w in zip(got, want):
        if g.shape != w.shape:
            return float("inf")
        if w.numel():
            w = exact(w)
            worst = max(worst, float(difference(exact(g), w).max()) / rms(w))
    return worst


def spread(got: list, want: list) -> float:
    """Returns the RMS of the differences in units of the RMS of the expected output. Its tolerance
    is smaller than that of a single element."""
    if len(got) != len(want) or any(g.shape != w.shape for g, w in zip(got, want)):
        return float("inf")
    pairs = [(exact(g), exact(w)) for g, w in zip(got, want) if w.numel()]
    return max((float(difference(g, w).square().mean().sqrt()) / rms(w) for g, w in pairs),
               default=0.0)


def differing(got: list, want: list) -> int:
    """Returns the number of elements that differ. A NaN is equal to a NaN."""
    return sum(int((~((g == w) | (g.isnan() & w.isnan()))).sum()) if g.shape == w.shape
               else max(g.numel(), w.numel()) for g, w in zip(got, want, strict=True))


def number(x: float):
    """Returns `x` for JSON: a string if it is infinite or NaN, which JSON does not have."""
    return x if abs(x) < float("inf") else str(x)


def mismatch(got: torch.Tensor, want: torch.Tensor, limit: float) -> dict:
    """Describes where a result is wrong by more than `limit` times the RMS. Counts of rows and
    columns modulo a size hint at a wrong tile, tail or lane. All dimensions but the last one
    together are the rows."""
    about = {"shape": list(got.shape), "dtype": str(got.dtype), "limit": limit}
    if got.shape != want.shape:
        return about | {"expected_shape": list(want.shape)}
    g, w = exact(got), exact(want)
    scale = rms(w)
    bad = difference(g, w) > limit * scale
    where = bad.nonzero()
    about |= {"elements": g.numel(), "wrong": len(where), "rms": scale,
              "nan": int((g.isnan() & ~w.isnan()).sum()), "zero": int(((g == 0) & bad).sum()),
              "first": [{"index": i, "got": number(float(g[tuple(i)])),
                         "expected": number(float(w[tuple(i)]))} for i in where[:FIRST].tolist()]}
    if not len(where):
        return about
    width = g.shape[-1] if g.dim() else 1
    flat = bad.reshape(-1, width).nonzero()
    for name, at in (("row", flat[:, 0]), ("column", flat[:, 1])):
        about[f"{name}s"] = [int(at.min()), int(at.max())]
        for modulus in MODULI:
            counts = torch.bincount(at % modulus, minlength=modulus).tolist()
            about[f"{name}_mod_{modulus}"] = counts
    # Look for the first wrong value among the expected ones: it may belong to another index.
    i = tuple(where[0].tolist())
    near = (w == g[i]).reshape(-1).nonzero()
    if g[i] != 0 and 0 < len(near) <= 8:
        about["first_is_expected_at"] = near.flatten().tolist()
    return about
