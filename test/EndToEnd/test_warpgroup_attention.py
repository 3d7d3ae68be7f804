"""softmax(Q K^T) V of bf16 and f16 by wgmma on sm_90a, run by the emulator and compared with eager
PyTorch.

Covers sizes that fill tiles and that do not, masks of every kind, rows that see no key, scores that
are large or infinite, heads that share keys, the kernel that the host selects for other devices and
operands, and kernels with a fault in a piece, a mask, a wait, a phase or an operand, which the
emulator must notice.
"""

import json
import re

import emulate
import exporting
import harness
import pytest
import torch
from gpu_cases import Function
from test_attention import (
    GROUPS, INF, QUERIES, Projected, added, allowed, attend, by_hand, capped, causal, grouped, heads,
    launches, qkv, repeated, several, shared)
from test_tensorcore import BF16, F16, build, check_mistakes

BATCH = torch.export.Dim("batch", max=64)


def scaled_up(queries, keys, size, factor):
    """Scores of which one is much larger than the others of its row."""
    q, k, v = qkv(queries, keys, size)
    return q * factor, k, v


def infinite(q, k, v, mask):
    """Scores that a mask makes infinite are numbers before."""
    scores = (q @ k.mT).float() * 0.125
    return torch.softmax(scores.masked_fill(mask, -INF), -1).to(q.dtype) @ v


def unseen(queries, keys):
    """Returns a mask of what is not seen. Some rows see no key of the last 64, or of all others."""
    mask = torch.zeros(queries, keys, dtype=torch.bool)
    mask[::3, -70:] = True
    mask[1::3, :-40] = True
    return mask


#: The tiles, and modules with their inputs. Each function is one kernel.
CASES = {
    "sizes": ("1:2:64", lambda: several(
        (attend, *qkv(130, 200, 64)),
        (attend, *qkv(128, 128, 64, dtype=F16)),
        (attend, *qkv(20, 70, 96, dtype=F16, values=48)),
        (attend, *qkv(70, 100, 256)))),
    "pieces": ("1:3:96", lambda: several(
        (attend, *qkv(200, 300, 64)),
        (causal, *qkv(200, 200, 40)))),
    "wide": ("1:2:128", lambda: several(
        (causal, *qkv(150, 270, 128)),
        (attend, *qkv(40, 300, 128, dtype=F16)))),
    "causal": ("1:2:64", lambda: several(
        (causal, *qkv(150, 150, 64)),
        (causal, *qkv(130, 300, 64, dtype=F16)),
        # The last rows see all keys.
        (causal, *qkv(270, 70, 64)))),
    "masks": ("1:2:64", lambda: several(
        (attend, *qkv(70, 150, 64), allowed(70, 150)),
        (attend, *qkv(70, 128, 64, batch=2), added(2, 1, 70, 128)),
        (attend, *qkv(33, 90, 64, batch=2), allowed(2, 90)[:, None, None]),
        (infinite, *qkv(70, 200, 64), unseen(70, 200)))),
    "heads": ("1:2:64", lambda: several(
        (lambda q, k, v: grouped(q, k, v, None, True), heads(2, 6, 70, 32),
         *qkv(70, 70, 32, batch=2)[1:]),
        (shared, heads(1, 6, 20, 32), *qkv(1, 70, 32, groups=1)[1:]),
        (repeated, heads(1, 4, 40, 64), *qkv(70, 70, 64)[1:]),
        (attend, heads(70, 64), heads(80, 64, seed=1), heads(80, 64, seed=2)))),
    "large": ("1:2:64", lambda: several(
        (attend, *scaled_up(70, 150, 64, 100)),
        (causal, *scaled_up(140, 140, 64, 1000)))),
    # Other kernels compute the biases by distance, a mask and slices.
    "by-hand": ("1:2:64", lambda: several(
        (by_hand, *qkv(70, 90, 64, batch=2), added(2, 1, 70, 90)),
        (capped, *qkv(40, 90, 64, dtype=F16)),
        (Projected(), heads(2, 70, 9 * 32), heads(2, 70, 3 * 32)))),
}


@pytest.mark.parametrize("name", CASES)
def test_attention(name, tmp_path):
    tiles, case = CASES[name]
    module, args, model = build(case, tmp_path, target="cuda",
                                flags=[f"--gpu-tiles=attention={tiles}"])
    want = exporting.eager(module, args)
    first = model.run(args, want, log=tmp_path / "log")
    harness.compare(first, want)
    launched = [k for k in launches(tmp_path / "log") if k.endswith("_sm_90a")]
    assert len(launched) == len(module.functions)
    # The results depend neither on the order of threads nor on when copies complete.
    for a, b in zip(first, model.run(args, want, seed=1)):
        torch.testing.assert_close(a, b, rtol=0, atol=0, equal_nan=True)
