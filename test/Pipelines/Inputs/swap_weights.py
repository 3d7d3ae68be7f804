"""Swaps the weights of a model with a folded batch norm, packed matrices and a mutated buffer.

swap_weights.py export FOLDER | check FOLDER
"""

import pathlib
import sys
import threading

import numpy as np
import torch
from artefact import Model, ModelError

COMMAND, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 8, 3)
        self.norm = torch.nn.BatchNorm2d(8)
        self.fc = torch.nn.Linear(8, 5)
        self.scale = torch.nn.Parameter(torch.randn(5))
        self.register_buffer("calls", torch.zeros(5))

    def forward(self, x):
        x = self.norm(self.conv(x)).mean((2, 3))
        self.calls += 1
        return self.fc(x) * self.scale + self.calls


def make(seed):
    torch.manual_seed(seed)
    net = Net().eval()
    for buffer in (net.norm.running_mean, net.norm.running_var):
        buffer.uniform_(0.5, 2)
    return net


X = torch.randn(2, 3, 9, 9, generator=torch.Generator().manual_seed(1))


def run(net):
    with torch.no_grad():
        return net(X).numpy()


def weights(net):
    return {name: value.numpy().copy() for name, value in net.state_dict().items()
            if not name.endswith("num_batches_tracked") and name != "calls"}


def close(got, want):
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)


def error(model, values):
    try:
        model.set_states(values)
    except ModelError as e:
        return str(e)
    raise AssertionError("no error")


def check_swappable():
    first, second = make(0), make(7)
    model = Model(FOLDER / "swap.so")
    settable = {s.name.decode() for s in model.states() if s.is_settable}
    assert settable >= set(weights(first)) | {"calls"}, settable
    x = X.numpy()
    close(model(x)[0], run(first))
    # What fails changes nothing.
    good = weights(second)
    bad = dict(good, **{"fc.weight": good["fc.weight"].astype(np.float64)})
    assert error(model, bad) == "state 'fc.weight': expected dtype float32, got float64"
    bad = dict(good, **{"fc.weight": good["fc.weight"].T.copy()})
    assert error(model, bad) == "state 'fc.weight': dimension 0: expected 5, got 8"
    assert error(model, dict(good, other=x)) == "the model has no state 'other'"
    assert error(model, {"scale": good["scale"][None]}) == "state 'scale': expected rank 1, got 2"
    close(model(x)[0], run(first))
    # All at once; strided values; then one alone.
    strided = dict(good, **{"fc.weight": np.asfortranarray(good["fc.weight"])})
    model.set_states(strided)
    second.calls.fill_(2)
    close(model(x)[0], run(second))
    assert np.array_equal(model.state("fc.weight"), good["fc.weight"])
    second.norm.running_var.mul_(3)
    model.set_states({"norm.running_var": second.norm.running_var.numpy()})
    close(model(x)[0], run(second))
    # A mutable state: set, used, reset.
    model.set_states({"calls": np.full(5, 100, np.float32)})
    second.calls.fill_(100)
    close(model(x)[0], run(second))
    assert np.array_equal(model.state("calls"), np.full(5, 101))
    model.reset()
    assert np.array_equal(model.state("calls"), np.zeros(5))
    # Instances are independent.
    other = Model(FOLDER / "swap.so")
    close(other(x)[0], run(make(0)))
    other.close()
    model.close()


def check_concurrent():
    """Runs see the weights of one set or of the other, never a mixture."""
    sets = [weights(make(seed)) for seed in (0, 7)]
    # `calls` counts on, so only the differences between columns tell.
    spread = lambda y: y - y[:, :1]
    want = [spread(run(make(seed))) for seed in (0, 7)]
    model = Model(FOLDER / "swap.so")
    wrong, done = [], threading.Event()

    def work():
        while not done.is_set():
            got = spread(model(X.numpy())[0])
            if not any(np.allclose(got, w, rtol=1e-3, atol=1e-3) for w in want):
                wrong.append(got)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for t in threads:
        t.start()
    for k in range(100):
        model.set_states(sets[(k + 1) % 2])
    done.set()
    for t in threads:
        t.join()
    assert not wrong, (len(wrong), wrong[0], want)
    model.close()


def check_shared():
    """Tensors are used where they are, and deleted once, when nothing refers to them."""
    first, second = make(0), make(7)
    model, x, deleted = Model(FOLDER / "swap.so"), X.numpy(), []
    good = weights(second)
    try:
        model.share_states(dict(good, scale=good["scale"][None]), deleted.append)
        raise AssertionError("no error")
    except ModelError as e:
        assert str(e) == "state 'scale': expected rank 1, got 2", e
    assert not deleted
    close(model(x)[0], run(first))
    # A strided tensor, an unaligned one and a mutable state are copied.
    good["conv.weight"] = np.asfortranarray(good["conv.weight"])
    raw = np.zeros(4 * 5 + 1, np.uint8)
    raw[1:] = good["fc.bias"].view(np.uint8)
    good["fc.bias"] = raw[1:].view(np.float32)
    good["calls"] = np.full(5, 3, np.float32)
    model.share_states(good, deleted.append)
    assert sorted(deleted) == ["calls", "conv.weight", "fc.bias"], deleted
    assert model.address("scale") == good["scale"].ctypes.data
    second.calls.fill_(3)
    close(model(x)[0], run(second))
    deleted.clear()
    model.share_states({"scale": good["scale"]}, deleted.append)
    assert deleted == ["scale"]
    close(model(x)[0], run(second))
    model.set_states({"fc.weight": good["fc.weight"]})
    assert deleted == ["scale", "fc.weight"]
    deleted.clear()
    model.close()
    assert set(deleted) == set(good) - {"calls", "conv.weight", "fc.bias", "fc.weight"}, deleted
    assert len(deleted) == len(set(deleted))


def check_plain():
    first, second = make(0), make(7)
    model = Model(FOLDER / "plain.so")
    x = X.numpy()
    close(model(x)[0], run(first))
    settable = {s.name.decode(): bool(s.is_settable) for s in model.states()}
    assert settable["scale"] and not settable["fc.weight"] and not settable["norm.weight"], settable
    message = error(model, weights(second))
    assert "was folded or packed" in message and "--swappable-weights" in message, message
    model.set_states({"scale": second.scale.detach().numpy()})
    first.scale.data.copy_(second.scale.data)
    close(model(x)[0], run(first))
    model.close()
    small, large = [(FOLDER / f"{name}.so").stat().st_size for name in ("plain", "swap")]
    assert small < large, (small, large)


if COMMAND == "export":
    torch.export.save(torch.export.export(make(0), (X,)), FOLDER / "m.pt2")
else:
    check_swappable()
    check_shared()
    check_concurrent()
    check_plain()
