"""PyTorch's own export examples (torch._export.db) agree with eager mode, on the example's inputs,
and on other inputs if the sizes are dynamic."""

import export_examples
import exporting
import harness
import pytest


@pytest.mark.parametrize("mode", ["interpret", "compiled"])
@pytest.mark.parametrize("name", sorted(export_examples.EXAMPLES))
def test_example(name, mode, tmp_path):
    case = export_examples.EXAMPLES[name]
    other = export_examples.second_inputs(name)
    harness.check(
        case.model,
        tuple(case.example_args),
        dict(case.example_kwargs),
        folder=tmp_path,
        modes=[mode],
        program=export_examples.program(name),
        others=[other] if other else [],
    )


@pytest.mark.parametrize("decomposed", [False, True], ids=["training", "decomposed"])
@pytest.mark.parametrize("name", sorted(export_examples.EXAMPLES))
def test_rules(name, decomposed, tmp_path):
    """Programs that torch exports obey the checked rules (docs/ExportRules.md)."""
    program = export_examples.program(name)
    if decomposed:
        program = program.run_decompositions()
    exporting.save(program, tmp_path / "m.pt2")
    text = harness.tool("fx-translate", "--pt2-to-mlir", tmp_path / "m.pt2")
    assert text.returncode == 0, text.stderr
    (tmp_path / "m.mlir").write_text(text.stdout)
    result = harness.tool("fx-opt", "--fx-verify-export", tmp_path / "m.mlir", "-o", tmp_path / "out")
    assert result.returncode == 0, result.stderr


def test_table():
    """docs/ExportExamples.md is up to date."""
    assert export_examples.TABLE.read_text() == export_examples.table()
