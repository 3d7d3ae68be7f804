"""Hand-over to torch-mlir, which reads the torch dialect output, verifies it and lowers it to
linalg. Needs the package torch-mlir."""

import pytest
from exporting import export
from handover import CASES, TORCH_PASSES, lower

ir = pytest.importorskip("torch_mlir.ir")

#: torch-mlir's own pipeline, from the form of its importer's programs to linalg.
PIPELINE = (
    "builtin.module(torchdynamo-export-to-torch-backend-pipeline,"
    "torch-backend-to-linalg-on-tensors-backend-pipeline)"
)


@pytest.mark.parametrize("name", ["mlp", "dense", "convolutions", "attention"])
def test_torch_mlir_lowers_our_torch_dialect(name, tmp_path):
    from torch_mlir.dialects import torch as dialect
    from torch_mlir.passmanager import PassManager

    build, inputs, shapes = CASES[name]
    text = lower(export(build().eval(), inputs(5), dynamic=shapes), TORCH_PASSES, tmp_path)
    with ir.Context() as context:
        dialect.register_dialect(context)
        module = ir.Module.parse(text)
        assert module.operation.verify()
        PassManager.parse(PIPELINE).run(module.operation)
        lowered = str(module)
    assert "linalg." in lowered and "torch." not in lowered
