"""Hand-over to IREE, which compiles and runs the linalg output. Needs the packages
iree-base-compiler and iree-base-runtime."""

import numpy as np
import pytest
import torch
from exporting import eager, export
from handover import CASES, LINALG_PASSES, TORCH_PASSES, TOSA_PASSES, lower

compiler = pytest.importorskip("iree.compiler")
runtime = pytest.importorskip("iree.runtime")


def check(name, passes, input_type, folder):
    build, inputs, shapes = CASES[name]
    module = build().eval()
    text = lower(export(module, inputs(5), dynamic=shapes), passes, folder)
    binary = compiler.compile_str(
        text,
        input_type=input_type,
        target_backends=["llvm-cpu"],
        extra_args=["--iree-llvmcpu-target-cpu=generic"],
    )
    context = runtime.SystemContext(config=runtime.Config("local-sync"))
    context.add_vm_module(runtime.VmModule.copy_buffer(context.instance, binary))
    for n in (5, 3) if shapes else (5,):
        args = inputs(n)
        expected = torch.utils._pytree.tree_leaves(eager(module, args))
        got = context.modules.module["main"](*[x.numpy() for x in args])
        got = got if isinstance(got, (tuple, list)) else [got]
        assert len(got) == len(expected)
        for result, want in zip(got, expected):
            np.testing.assert_allclose(
                np.asarray(result.to_host()), want.numpy(), rtol=1e-4, atol=1e-5
            )


@pytest.mark.parametrize("name", CASES)
def test_iree_runs_our_linalg(name, tmp_path):
    check(name, LINALG_PASSES, "auto", tmp_path)


@pytest.mark.parametrize("name", ["mlp", "convolutions", "attention"])
def test_iree_runs_our_torch_dialect(name, tmp_path):
    check(name, TORCH_PASSES, "torch", tmp_path)


def test_iree_runs_our_tosa(tmp_path):
    check("dense", TOSA_PASSES, "tosa", tmp_path)
