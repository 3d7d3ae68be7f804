"""Outputs that kernels store past the caches, on two threads."""

import exporting
import harness
import torch
from torch.nn import functional as F


class Large(torch.nn.Module):
    """Outputs of more than 8 MiB: whole vectors, rows with a rest, rows that are kept, a view that
    does not begin at a line, an output that the next kernel reads, and matmuls, with columns that
    fill lines and columns that do not."""

    def __init__(self):
        super().__init__()
        self.even, self.odd = torch.nn.Linear(1024, 1024), torch.nn.Linear(1024, 1037)

    def forward(self, x, odd, half):
        y = torch.relu(x) * 2
        return (
            y,
            torch.softmax(x, -1),
            torch.softmax(odd, -1),
            torch.softmax(half, -1),
            F.layer_norm(y + x, (1024,)),
            torch.cat([odd[:1] + 1, odd.sigmoid()]),
            x > 0.5,
            torch.log_softmax(y, -1).sum(-1),
            torch.relu(self.even(x)),
            self.odd(x),
            self.even(half.float()).bfloat16(),
        )


def test_large_outputs(tmp_path):
    module = Large()
    inputs = (torch.randn(2100, 1024), torch.randn(2100, 1001), torch.randn(4200, 1024).bfloat16())
    exporting.save(exporting.export(module, inputs), tmp_path / "m.pt2")
    assembly = tmp_path / "m.s"
    result = harness.tool("fx-compile", tmp_path / "m.pt2", "--mcpu=x86-64-v3", "--emit=asm", "-o", assembly)
    assert result.returncode == 0, result.stderr
    assert "vmovntps" in assembly.read_text()
    alone = tmp_path / "even.pt2"
    exporting.save(exporting.export(module.even, inputs[:1]), alone)
    result = harness.tool("fx-compile", alone, "--mcpu=x86-64-v3", "--emit=asm", "-o", assembly)
    assert result.returncode == 0 and assembly.read_text().count("vmovntps") >= 8
    expected = exporting.eager(module, inputs)
    flags = ["--no-fallback", "--threads=2"]
    harness.compare(harness.run(tmp_path / "m.pt2", (inputs, {}), tmp_path, expected, *flags), expected)
