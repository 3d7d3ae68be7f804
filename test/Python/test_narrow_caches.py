"""Language models with caches of 16 bits: `cache_dtype` of export_for_generation."""

import json
import re

import fx_mlir
import pytest
import torch
from language_models import PROMPT, encoder_decoder, make

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize(
    "name, dtype, precision",
    [
        ("Llama", torch.float16, "bf16"),
        ("Gemma2", torch.float16, "f32"),
        pytest.param("Gemma3", torch.bfloat16, "f32", marks=pytest.mark.long),
        pytest.param("GPT2", torch.float16, "f32", marks=pytest.mark.long),
        pytest.param("Llama", torch.float16, "f32", marks=pytest.mark.long),
        pytest.param("Llama", torch.bfloat16, "bf16", marks=pytest.mark.long),
        pytest.param("Gemma2", torch.bfloat16, "bf16", marks=pytest.mark.long),
    ],
)
def test_narrow_caches(name, dtype, precision, tmp_path):
    """The logits are those of eager PyTorch with the same caches, for a prompt, steps, and steps in
    slots. A key or value can round to the neighbour."""
    from fx_mlir import _language_modules as modules

    model = make(name, **({} if name == "GPT2" else {"head_dim": 64}))
    options = {"max_length": 64, "slots": 2, "precision": precision}
    compiled = fx_mlir.export_for_generation(model, tmp_path, cache_dtype=dtype, **options)
    manifest = json.loads((tmp_path / "fx_generation.json").read_text())
    assert manifest["cache_dtype"] == str(dtype).removeprefix("torch.")
    exact = fx_mlir.export_for_generation(model, tmp_path / "exact", **options)
    with torch.no_grad():
        decoder = modules.Decoder(model, 64, dtype)
        slots = modules.Slots(decoder, 2)
    assert decoder.keys_0.dtype == slots.keys_slots_0.dtype == dtype
    eager = {
        "prefill": modules.Step(decoder), "decode": modules.Step(decoder),
        "decode_slots": modules.StepSlots(slots), "join": modules.Join(decoder, slots),
    }  # fmt: skip
    f32 = precision == "f32"

    def check(method, *args):
        """The result is closer to eager's with these caches than to that with exact ones."""
        with torch.no_grad():
            want = eager[method](*args)
        got, other = getattr(compiled, method)(*args), getattr(exact, method)(*args)
        if method == "join":
            return
        error = (got - want).norm()
        assert error < (0.5 * (other - want).norm() if f32 else 2e-2 * want.norm())

    check("prefill", torch.tensor([PROMPT]), torch.arange(7))
    for position in range(7, 12):
        check("decode", torch.tensor([[position]]), torch.tensor([position]))
    for slot in range(2):
        check("join", torch.tensor([slot]))
    for k in range(4):
        check("decode_slots", torch.tensor([[k], [9]]), torch.tensor([12 + k, 12 + k % 2]))


def test_narrow_snapshot(tmp_path):
    """Snapshots and slots with caches of 16 bits. Another dtype is refused."""
    model = make("Llama")
    narrow = [
        fx_mlir.export_for_generation(
            model, tmp_path / str(dtype), max_length=64, slots=2, cache_dtype=dtype
        )
        for dtype in (torch.float16, torch.bfloat16)
    ]
    half, other = (fx_mlir.TextGenerator(m, max_positions=64) for m in narrow)
    want = half.generate(PROMPT, max_new_tokens=20).tokens
    half.reset()
    half.generate(PROMPT, max_new_tokens=9)
    saved = half.snapshot()
    assert half.generate(max_new_tokens=11).tokens == want[9:]
    half.restore(saved)
    assert half.generate(max_new_tokens=11).tokens == want[9:]
    with pytest.raises(fx_mlir.Error, match="^snapshot: expected the state .* of another dtype"):
        other.restore(saved)
    pool = fx_mlir.GenerationPool(narrow[0], slots=2, max_positions=64)
    futures = [pool.submit(PROMPT, max_new_tokens=20) for _ in range(3)]
    pool.run()
    assert all(future.result().tokens == want for future in futures)


def test_narrow_encoder(tmp_path):
    """The caches of the decoder are narrow, and those of the source are not."""
    model, options, args, _ = encoder_decoder("T5")
    results = []
    for dtype in (None, torch.float16):
        compiled = fx_mlir.export_for_generation(
            model, tmp_path, max_length=32, cache_dtype=dtype, **options
        )
        compiled.encode(*args)
        for position in range(5):
            logits = compiled.decode(torch.tensor([[position]]), torch.tensor([position]))
        results.append(logits)
    error = (results[0] - results[1]).norm() / results[0].norm()
    assert 0 < error < 1e-3


def test_narrow_errors(tmp_path):
    for name, dtype, model_dtype, message in [
        ("Mamba", torch.float16, torch.float32, "cache_dtype: expected a model whose layers are attention"),
        ("Llama", torch.float16, torch.bfloat16, "cache_dtype: expected a model of float32, got one of torch.bfloat16"),
        ("Llama", torch.int8, torch.float32, "cache_dtype: expected torch.float16 or torch.bfloat16, got torch.int8"),
    ]:  # fmt: skip
        with pytest.raises(fx_mlir.Error, match=re.escape(message)):
            fx_mlir.export_for_generation(
                make(name).to(model_dtype), tmp_path, max_length=64, cache_dtype=dtype
            )
