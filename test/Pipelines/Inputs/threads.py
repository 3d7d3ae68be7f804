"""threads.py export FOLDER | check FOLDER: a model with temporaries of dynamic size."""

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
        self.norm = torch.nn.LayerNorm(64)
        self.up, self.down = torch.nn.Linear(64, 256), torch.nn.Linear(256, 64)

    def forward(self, x):
        scores = torch.softmax(x @ x.transpose(1, 2) / 8, -1)
        return x + self.down(torch.nn.functional.gelu(self.up(self.norm(scores @ x))))


torch.manual_seed(0)
net = Net().eval()
batch, length = torch.export.Dim("batch", max=16), torch.export.Dim("length", max=512)


def export():
    program = torch.export.export(net, (torch.randn(2, 5, 64),), dynamic_shapes=({0: batch, 1: length},))
    torch.export.save(program, FOLDER / "m.pt2")


def check():
    shapes = [(1, 3), (2, 40), (4, 64), (1, 200), (16, 2), (3, 17)]
    inputs = [torch.randn(b, n, 64) for b, n in shapes]
    with torch.no_grad():
        want = [net(x).numpy() for x in inputs]
    model = Model(FOLDER / "m.so")
    failures = []

    def work(first, threads):
        try:
            for k in range(60):
                i = (first + k) % len(shapes)
                got = model(inputs[i].numpy(), threads=threads)[0]
                np.testing.assert_allclose(got, want[i], rtol=1e-4, atol=1e-4)
                if k % 7 == 0:  # a call that fails beside those that do not
                    try:
                        model(np.zeros((17, 2, 64), np.float32), threads=threads)
                        failures.append("no error")
                    except ModelError as e:
                        assert "in [" in str(e) and "got 17" in str(e), e
        except BaseException as e:
            failures.append(f"{type(e).__name__}: {e}")

    for threads in (1, 2, 0):
        workers = [threading.Thread(target=work, args=(i, threads)) for i in range(6)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        if failures:
            raise SystemExit(failures[0])
    model.close()


{"export": export, "check": check}[COMMAND]()
