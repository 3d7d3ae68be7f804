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


@pytest.mark.parametrize(
    "mode", [m for m in ["interpret", "native"] if m in harness.TESTED]
)
@pytest.mark.parametrize(
    "name, dynamic, decomposed", [form for name in SMALL for form in forms(name)]
)
def test_small(name, dynamic, decomposed, mode, tmp_path):
    check(name, dynamic, decomposed, [mode], tmp_path)
