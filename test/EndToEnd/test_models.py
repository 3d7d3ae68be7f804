"""The project's models without any fallback: as exported and decomposed, static and dynamic, on the
sample inputs and on others inside the ranges."""

import artefact
import exporting
import harness
import models
import pytest
import torch

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
FULL = ["resnet50", "bert_base", "hf_bert_base", "llama", "llama_decode", "autoencoder"]

#: The forms of full-size models that run without --long: each model at least once, in its most
#: general form.
DEFAULT = {
    "resnet50-static-training",
    "bert_base-dynamic-training",
    "llama-dynamic-training",
    "llama_decode-static-training",
    "autoencoder-dynamic-decomposed",
}


#: The models that are tested in all forms without --long. Of the others, every second one is
#: tested in the forms that agree in being dynamic and decomposed, and the rest in the two others;
#: of bert_small and hf_bert_small, each has two. test_roundtrip.py exports most in other forms.
ALL_FORMS = {"mlp", "cond", "llama_small_decode"}


def half_of_forms(name):
    """Yields the forms of a small model; those that need --long have the mark."""
    rank = SMALL.index(name) % 2
    for form in forms(name):
        _, dynamic, decomposed = form.values
        slow = name not in ALL_FORMS and (dynamic ^ decomposed) != rank
        marks = [pytest.mark.long] if slow else []
        yield pytest.param(*form.values, id=form.id, marks=marks)


def forms(name):
    for dynamic in (False, True):
        if dynamic and models.get(name).dynamic is None:
            continue
        for decomposed in (False, True):
            shapes = "dynamic" if dynamic else "static"
            graph = "decomposed" if decomposed else "training"
            form = f"{name}-{shapes}-{graph}"
            slow = name in FULL and form not in DEFAULT
            marks = [pytest.mark.long] if slow else []
            yield pytest.param(name, dynamic, decomposed, id=form, marks=marks)


def check(name, dynamic, decomposed, modes, folder):
    """Returns the largest error, divided by the tolerance."""
    spec = models.get(name)
    module = spec.build()
    program = spec.program(module, dynamic, decomposed)
    inputs = (spec.wide if dynamic and spec.wide else spec.inputs)()
    static = dynamic or spec.dynamic is None
    return harness.check(
        module,
        *inputs,
        folder=folder,
        modes=modes,
        others=spec.others() if static else [],
        program=program,
    )


@pytest.mark.parametrize(
    "name, dynamic, decomposed", [form for name in SMALL for form in half_of_forms(name)]
)
def test_small(name, dynamic, decomposed, tmp_path):
    check(name, dynamic, decomposed, ["interpret", "native"], tmp_path)


@pytest.mark.parametrize(
    "name, dynamic, decomposed", [form for name in FULL for form in forms(name)]
)
def test_full(name, dynamic, decomposed, tmp_path, record_property):
    worst = check(name, dynamic, decomposed, ["native"], tmp_path)
    record_property("error", f"{worst:.3g} of the tolerance")
    for path in [*tmp_path.glob("*.pt2"), *tmp_path.glob("*.so")]:
        path.unlink()  # each file has hundreds of megabytes


@pytest.mark.parametrize("name", ["resnet_small", "bert_small", "llama_small"])
def test_threads(name, tmp_path):
    """The result does not depend on the threads that compute its parts."""
    spec = models.get(name)
    module, inputs = spec.build(), spec.inputs()
    exporting.save(spec.program(module), tmp_path / "m.pt2")
    expected = exporting.eager(module, *inputs)
    target = harness.compiled(tmp_path / "m.pt2", "native", 3)
    results = []
    for threads in (1, 2, 3):
        results.append(harness.run(target, inputs, tmp_path, expected, "--threads", threads))
        harness.compare(results[-1], expected)
    for other in results[1:]:
        assert all(torch.equal(a, b) for a, b in zip(results[0], other))


# --- Models that keep state -------------------------------------------------

STEPS = 6


def decode(name, decomposed, folder):
    """Decodes several tokens one after another with one instance: each token sees the cache that
    the previous tokens wrote."""
    spec = models.get(name)
    module = spec.build()
    model = folder / "m.pt2"
    exporting.save(spec.program(module, decomposed=decomposed), model)
    result = harness.tool("fx-compile", model, "--no-fallback", "-o", folder / "m.so")
    assert result.returncode == 0, result.stderr
    compiled = artefact.Model(folder / "m.so")

    def step(position):
        token = models.registry.randint(module.c.vocabulary, 1, 1, seed=position)
        args = token, torch.tensor([position])
        (got,) = compiled(*(x.numpy() for x in args))
        with torch.no_grad():
            harness.compare([torch.from_numpy(got)], module(*args))

    for position in range(STEPS):
        step(position)
        for key, buffer in module.named_buffers():
            if "cache" in key:
                got = torch.from_numpy(compiled.state(key))
                problem = harness.difference(got, buffer)
                assert problem is None, f"{key} after {position}: {problem}"
    assert module.blocks[0].attention.cache.k.abs().sum() > 0
    compiled.reset()
    for key, buffer in spec.build().named_buffers():
        if "cache" in key:
            assert torch.equal(torch.from_numpy(compiled.state(key)), buffer), key
    compiled.close()


@pytest.mark.parametrize("decomposed", [False, True], ids=["training", "decomposed"])
@pytest.mark.parametrize(
    "name",
    [
        "llama_small_decode",
        "llama_small_decode_index_put",
        "llama_small_decode_slice",
        pytest.param("llama_decode", marks=pytest.mark.long),
    ],
)
def test_cache(name, decomposed, tmp_path):
    decode(name, decomposed, tmp_path)
