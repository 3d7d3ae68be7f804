"""Models of transformers and others through IREE, by linalg and by the torch dialect, agree with
eager mode."""

import exporting
import handover
import numpy as np
import pytest
import torch
import zoo

iree = pytest.importorskip("iree.compiler")
runtime = pytest.importorskip("iree.runtime")

MODELS = [entry.name for entry in zoo.entries.values() if entry.quick]
#: Models that IREE 3.13 does not compile.
REFUSED = {
    ("lstm", "torch"): "no operation torch.aten.lstm.input",
    ("segformer", "torch"): "torch.aten.upsample_bilinear2d.vec leaves a torch.constant.int",
    ("dlrm", "linalg"): "fills memory out of range for tensor.insert in a loop",
}
FORMS = {"linalg": (handover.LINALG_PASSES, "auto"), "torch": (handover.TORCH_PASSES, "torch")}


@pytest.fixture(scope="module")
def exported():
    """Caches the last model, since its two forms are tested one after the other."""
    last = {}

    def get(name):
        if name not in last:
            last.clear()
            module = zoo.get(name).build()
            last[name] = module, zoo.get(name).program(module)
        return last[name]

    return get


def cases():
    """Each model in one form, in turn, and with --long in both. A form that is expected to fail is
    always tested."""
    for k, name in enumerate(MODELS):
        for j, form in enumerate(FORMS):
            marks = [pytest.mark.xdist_group(f"iree-{name}")]
            if k % len(FORMS) != j and not any(name == refused for refused, _ in REFUSED):
                marks.append(pytest.mark.long)
            if reason := REFUSED.get((name, form)):
                marks.append(pytest.mark.xfail(reason=reason, strict=True))
            yield pytest.param(name, form, marks=marks, id=f"{name}-{form}")


@pytest.mark.parametrize("name, form", list(cases()))
def test_model(name, form, exported, tmp_path):
    module, program = exported(name)
    passes, input_type = FORMS[form]
    binary = iree.compile_str(
        handover.lower(program, passes, tmp_path),
        input_type=input_type,
        target_backends=["llvm-cpu"],
        extra_args=["--iree-llvmcpu-target-cpu=generic", "--iree-opt-level=O0"],
    )
    context = runtime.SystemContext(config=runtime.Config("local-sync"))
    context.add_vm_module(runtime.VmModule.copy_buffer(context.instance, binary))
    args, kwargs = zoo.get(name).sample(module)
    leaves = torch.utils._pytree.tree_leaves((args, kwargs))
    got = context.modules.module["main"](*[leaf.numpy() for leaf in leaves])
    got = got if isinstance(got, (tuple, list)) else [got]
    expected = torch.utils._pytree.tree_leaves(exporting.eager(module, args, kwargs))
    assert len(got) == len(expected)
    for result, want in zip(got, expected):
        np.testing.assert_allclose(np.asarray(result.to_host()), want.numpy(), rtol=1e-3, atol=1e-4)
