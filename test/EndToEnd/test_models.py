"""The project's models, without any fallback: as exported and decomposed,
static and dynamic, on the sample inputs and on others inside the ranges."""

import harness
import models
import pytest

SMALL = [
    "mlp",
    "cond",
    "resnet_small",
    "bert_small",
    "hf_bert_small",
    "autoencoder_small",
    "llama_small",
    "llama_small_decode",
    "llama_small_decode_index_put",
    "llama_small_decode_slice",
]
FULL = ["resnet50", "bert_base", "autoencoder", "llama", "llama_decode", "hf_bert_base"]


def forms(name):
    for dynamic in (False, True):
        if dynamic and models.get(name).dynamic is None:
            continue
        for decomposed in (False, True):
            shapes = "dynamic" if dynamic else "static"
            graph = "decomposed" if decomposed else "training"
            yield pytest.param(name, dynamic, decomposed, id=f"{name}-{shapes}-{graph}")


def check(name, dynamic, decomposed, modes, folder):
    spec = models.get(name)
    module = spec.build()
    program = spec.program(module, dynamic, decomposed)
    inputs = (spec.wide if dynamic and spec.wide else spec.inputs)()
    static = dynamic or spec.dynamic is None
    harness.check(
        module,
        *inputs,
        folder=folder,
        modes=modes,
        others=spec.others() if static else [],
        program=program,
    )


@pytest.mark.parametrize("mode", ["interpret", "native"])
@pytest.mark.parametrize(
    "name, dynamic, decomposed", [form for name in SMALL for form in forms(name)]
)
def test_small(name, dynamic, decomposed, mode, tmp_path):
    check(name, dynamic, decomposed, [mode], tmp_path)


@pytest.mark.parametrize(
    "name, dynamic, decomposed",
    [
        pytest.param(
            *form.values,
            id=form.id,
            # Without --long: each model as users export it.
            marks=[pytest.mark.long] if "decomposed" in form.id or k > 2 else [],
        )
        for name in FULL
        for k, form in enumerate(forms(name))
        # The dynamic form stands for the static one where there is one.
        if k > 0 or models.get(name).dynamic is None or name == "resnet50"
    ],
)
def test_full(name, dynamic, decomposed, tmp_path):
    check(name, dynamic, decomposed, ["native"], tmp_path)
    for path in tmp_path.glob("*.pt2"):
        path.unlink()
