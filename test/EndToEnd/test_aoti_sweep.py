"""The rows of operators/ and the models as packages in PyTorch's loader, against eager."""

import batch
import exporting
import harness
import models
import packages
import pytest
import test_models
import test_zoo
from operators import FAMILIES

CONFIGS = [
    batch.Config(dynamic=dynamic, decomposed=decomposed, mode="aoti")
    for dynamic in (False, True)
    for decomposed in (False, True)
]

#: What runs without --long: rows that write their inputs, and a model that keeps a state.
QUICK_FAMILIES = {"inplace": CONFIGS[2]}
QUICK_MODELS = {"mlp-dynamic-training", "llama_small_decode-static-training"}


def selected(family: str, config: batch.Config):
    return [
        case
        for case in FAMILIES[family]
        if (case.dynamic or not config.dynamic) and (case.decomposes or not config.decomposed)
    ]


def parameters():
    for family in FAMILIES:
        for config in CONFIGS:
            marks = [] if QUICK_FAMILIES.get(family) == config else [pytest.mark.long]
            for case in selected(family, config):
                # One worker runs all tests with the same text before the slash.
                name = f"{family}-{config.graph}/{case.name}"
                yield pytest.param(family, config, case.name, id=name, marks=marks)


@pytest.mark.parametrize("family, config, name", list(parameters()))
def test_operator(family, config, name, tmp_path_factory):
    cases = tuple(selected(family, config))
    problem = batch.results(cases, config, tmp_path_factory.getbasetemp())[name]
    assert problem is None, problem


#: By reason, the operators of the rows that the proxy executor cannot call. They have native code.
REFUSED = {
    "a number in the place of a tensor": "add.Tensor copy.default div.Tensor div.Tensor_mode "
    "floor_divide.default mul.Tensor sub.Tensor",
    "an argument that is infinite or NaN": "cdist.default dist.default embedding_renorm.default "
    "linalg_norm.default linalg_vector_norm.default masked_fill.Scalar",
    "a complex number as an argument": "add.Tensor fill.Scalar full.default full_like.default "
    "index_fill.int_Scalar masked_fill.Scalar rsub.Scalar scatter.value_reduce sub.Scalar "
    "sub.Tensor",
}

#: The families whose rows run on ATen without --long.
QUICK_ON_ATEN = {"counting"}


def families():
    for family in FAMILIES:
        marks = [] if family in QUICK_ON_ATEN else [pytest.mark.long]
        yield pytest.param(family, id=family, marks=marks)


@pytest.mark.parametrize("family", list(families()))
def test_operators_on_aten(family, tmp_path):
    """ATen runs all operators, as if none had native code, so that the calls of the proxy executor
    have arguments of every kind."""
    batch.refused.clear()
    config = batch.Config(dynamic=True, decomposed=False, mode="aten")
    problems = batch.run(selected(family, config), config, tmp_path)
    assert not {name: text for name, text in problems.items() if text}
    known = {(f"aten.{name}", why) for why, names in REFUSED.items() for name in names.split()}
    assert batch.refused <= known


def check(program, module, runs, folder):
    """Compares runs of new instances, since a run may change the state of an instance."""
    exporting.save(program, folder / "m.pt2")
    path = packages.package(folder / "m.pt2")
    for inputs in runs:
        expected = exporting.eager(module, *inputs)
        harness.compare(packages.call(packages.load(path), *inputs), expected)
    for file in (path, folder / "m.pt2"):
        file.unlink()  # some have hundreds of megabytes


def model_forms():
    for name in test_models.SMALL + test_models.FULL:
        for form in test_models.forms(name):
            marks = [] if form.id in QUICK_MODELS else [pytest.mark.long]
            yield pytest.param(*form.values, id=form.id, marks=marks)


@pytest.mark.parametrize("name, dynamic, decomposed", list(model_forms()))
def test_model(name, dynamic, decomposed, tmp_path):
    spec = models.get(name)
    module = spec.build()
    program = spec.program(module, dynamic, decomposed)
    runs = [(spec.wide if dynamic and spec.wide else spec.inputs)()]
    if dynamic or spec.dynamic is None:
        runs += spec.others()
    check(program, module, runs, tmp_path)


def zoo_forms():
    for form in test_zoo.forms():
        yield pytest.param(*form.values, id=form.id, marks=[pytest.mark.long])


@pytest.mark.parametrize("entry, dynamic, decomposed", list(zoo_forms()))
def test_zoo_model(entry, dynamic, decomposed, tmp_path):
    module = entry.build()
    program = test_zoo.export(entry, module, dynamic, decomposed)
    runs = [entry.sample(module), *(entry.others(module) if dynamic else [])]
    check(program, module, runs, tmp_path)
