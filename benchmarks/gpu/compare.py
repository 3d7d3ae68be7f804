"""How far results are from what is right, and where. All of it is done where the tensors are."""

import torch

#: What is written down of a wrong result: indices, and sizes that tiles have.
FIRST, MODULI = 16, (8, 16, 64, 128)
#: The largest error that counts as right where eager's is not known, in units of the RMS.
TOLERANCE = {torch.float64: 2e-3, torch.float32: 2e-3, torch.float16: 2e-2, torch.bfloat16: 6e-2}
#: Eager's errors that ours may have: so many times the largest one and the RMS of all, or a little.
LARGEST, ALL, LITTLE, LITTLE_OF_ALL = 4, 2, 2e-3, 2e-5


def exact(x: torch.Tensor) -> torch.Tensor:
    return x.detach().double()


def rms(want: torch.Tensor) -> float:
    finite = want[want.isfinite()]
    return float(finite.square().mean().sqrt().clamp_min(1e-30)) if finite.numel() else 1.0


def difference(got: torch.Tensor, want: torch.Tensor) -> torch.Tensor:
    """Of each element; infinite where one is NaN or infinite and the other is not the same."""
    same = (got == want) | (got.isnan() & want.isnan())
    return torch.where(same, 0.0, (got - want).abs()).nan_to_num(nan=float("inf"))


def distance(got: list, want: list) -> float:
    """The largest difference in units of the RMS of what is wanted."""
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
    """The RMS of the differences, in units of the RMS of what is wanted: of all numbers together
    less is allowed than of one."""
    if len(got) != len(want) or any(g.shape != w.shape for g, w in zip(got, want)):
        return float("inf")
    pairs = [(exact(g), exact(w)) for g, w in zip(got, want) if w.numel()]
    return max((float(difference(g, w).square().mean().sqrt()) / rms(w) for g, w in pairs),
               default=0.0)


def differing(got: list, want: list) -> int:
    """How many numbers differ, NaN being NaN."""
    return sum(int((~((g == w) | (g.isnan() & w.isnan()))).sum()) if g.shape == w.shape
               else max(g.numel(), w.numel()) for g, w in zip(got, want, strict=True))


def number(x: float):
    """JSON has no NaN."""
    return x if abs(x) < float("inf") else str(x)


def mismatch(got: torch.Tensor, want: torch.Tensor, limit: float) -> dict:
    """Where a result is wrong by more than `limit` of the RMS. Counts by row and column modulo a
    size tell a wrong tile, a tail or a lane; all but the last dimension are rows."""
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
    # What is right elsewhere: the value that was expected in another place.
    i = tuple(where[0].tolist())
    near = (w == g[i]).reshape(-1).nonzero()
    if g[i] != 0 and 0 < len(near) <= 8:
        about["first_is_expected_at"] = near.flatten().tolist()
    return about
