"""Operators of a library that is not part of torch, from the command line: the tools load the
library, like torch.ops.load_library."""

import pathlib

import harness
import leaves
import pytest
import torch
from exporting import export, save

#: Operators that torch's package contains for its own tests.
OPERATORS = pathlib.Path(torch.__file__).parent / "lib" / "libaoti_custom_ops.so"
LIBRARY = ["--load-library", OPERATORS]


class Writes(torch.nn.Module):
    """Operators that write: to a value of the graph, a buffer, an input, a view."""

    def __init__(self):
        super().__init__()
        torch.ops.load_library(OPERATORS)
        self.register_buffer("kept", torch.ones(4))

    def forward(self, x, y):
        ops = torch.ops.aoti_custom_ops
        z = x * 2
        p, q = ops.fn_with_input_mutation(z, y, self.kept)
        ops.fn_out_variant_without_return(z[1:], y[1:])
        return p, q, z, self.kept + 0, ops.fn_square(y)


ARGS = (torch.linspace(-1, 1, 4), torch.linspace(0, 2, 4))


@pytest.mark.parametrize("decomposed", [False, True], ids=["training", "decomposed"])
def test_operators_that_write(decomposed, tmp_path):
    """A plain export does not record which arguments the operators write. Their schemas do, and
    these are known once the library is loaded."""
    model = tmp_path / "m.pt2"
    module = Writes()
    save(export(module, ARGS, decomposed=decomposed), model)
    expected = module(*(arg.clone() for arg in ARGS))
    flags = LIBRARY if not decomposed else []
    artefact = tmp_path / "m.so"
    result = harness.tool("fx-compile", model, "-o", artefact, *flags)
    assert result.returncode == 0, result.stderr
    for target, flags in [(model, ["--interpret"]), (model, []), (artefact, [])]:
        folder = tmp_path / f"out{len(flags)}{target.suffix}"
        got = harness.run(target, (ARGS, {}), folder, expected, *flags, *LIBRARY)
        harness.compare(got, expected)


def test_unknown_when_compiled(tmp_path, monkeypatch):
    """Without the library at compile time, such a call would read stale values, so it is an error
    at run time."""
    model, artefact = tmp_path / "m.pt2", tmp_path / "m.so"
    save(export(Writes(), ARGS), model)
    assert harness.tool("fx-compile", model, "-o", artefact).returncode == 0
    leaves.save_inputs(tmp_path / "in", ARGS, {})
    folders = ["--inputs", tmp_path / "in", "--outputs", tmp_path / "out"]
    result = harness.tool("fx-run", artefact, *folders, *LIBRARY)
    assert result.returncode == 1
    assert "fn_with_input_mutation.default: it writes to its arguments" in result.stderr
    for flags in ([], ["--interpret"]):
        result = harness.tool("fx-run", model, *folders, *flags)
        assert result.returncode == 1 and "unknown operator" in result.stderr
    # The environment variable loads libraries in any tool.
    monkeypatch.setenv("FX_OPERATOR_LIBRARIES", str(OPERATORS))
    expected = Writes()(*(arg.clone() for arg in ARGS))
    assert harness.tool("fx-compile", model, "-o", artefact).returncode == 0
    harness.compare(harness.run(artefact, (ARGS, {}), tmp_path / "run", expected), expected)
    monkeypatch.setenv("FX_OPERATOR_LIBRARIES", f"{tmp_path}/no.so")
    result = harness.tool("fx-run", model, *folders, "--interpret")
    assert result.returncode == 1
    assert "FX_OPERATOR_LIBRARIES: cannot load: " in result.stderr and "no.so" in result.stderr
    monkeypatch.delenv("FX_OPERATOR_LIBRARIES")
    result = harness.tool("fx-compile", model, "-o", artefact, "--load-library", model)
    assert result.returncode == 1
    assert result.stderr.startswith(f"error: {model}: cannot be loaded: ")
