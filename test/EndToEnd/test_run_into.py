"""Random graphs write the same bytes to the caller's memory, whatever its strides and its
alignment, as to new outputs."""

import artefact
import exporting
import harness
import numpy as np
import pytest
from random_graphs import Many, RandomGraph
from torch.utils import _pytree as pytree


def memory(like, rng):
    """Returns an array like `like` and the buffer that it is a view of."""
    steps = rng.integers(1, 3, like.ndim) * rng.choice([-1, 1, 1, 1], like.ndim)
    if rng.random() < 0.5:
        steps[:] = 1
    order = rng.permutation(like.ndim) if rng.random() < 0.3 else range(like.ndim)
    shape = [like.shape[d] * abs(int(steps[d])) for d in order]
    count = int(np.prod(shape))
    flat = np.frombuffer(rng.bytes((count + 65) * like.itemsize), np.uint8).copy()
    # numpy aligns to 16 bytes. Half of the arrays are aligned to 64, as torch's are.
    skip = -flat.ctypes.data % 64 if rng.random() < 0.5 else like.itemsize * int(rng.integers(64))
    data = flat[skip : skip + count * like.itemsize].view(like.dtype).reshape(shape)
    data = data.transpose(np.argsort(order)) if like.ndim else data
    view = data[tuple(slice(None, None, int(s)) for s in steps)]
    assert view.shape == like.shape
    return view, flat


@pytest.mark.parametrize("program", range(2))
def test_run_into(program, tmp_path):
    seeds = range(program * 25, program * 25 + 25)
    inputs = ([RandomGraph.sample(seed) for seed in seeds],)
    exporting.save(exporting.export(Many(seeds), inputs), tmp_path / "m.pt2")
    model = artefact.Model(harness.compiled(tmp_path / "m.pt2", "native", runs=20))
    arrays = [x.numpy() for x in pytree.tree_leaves(inputs)]
    want = model(*arrays)
    rng = np.random.default_rng(program)
    for _ in range(20):
        made = [memory(w, rng) for w in want]
        before = [flat.copy() for _, flat in made]
        dropped = rng.random(len(want)) < 0.1
        model.run_into([None if d else view for (view, _), d in zip(made, dropped)], *arrays)
        for (view, flat), w, old, is_dropped in zip(made, want, before, dropped):
            if not is_dropped:
                assert view.tobytes() == w.tobytes()
                view.view(np.uint8 if w.itemsize == 1 else f"u{w.itemsize}")[...] = 0
                # Nothing beside the view was written.
                untouched = np.frombuffer(old.tobytes(), np.uint8).copy()
                offset = view.ctypes.data - flat.ctypes.data
                other = np.ndarray(w.shape, f"u{w.itemsize}", untouched, offset, view.strides)
                other[...] = 0
                old = untouched
            assert flat.tobytes() == old.tobytes()
    model.close()
