"""GGUF: values bit for bit as those of the package gguf, and language models of transformers."""

import fx_mlir
import numpy as np
import pytest
import torch

gguf = pytest.importorskip("gguf")
import weight_files
from weight_files import QUANTIZED, random_blocks, write_gguf

Type = gguf.GGMLQuantizationType


def dequantize(data, kind):
    with np.errstate(all="ignore"):
        return gguf.quants.dequantize(data, kind)


@pytest.mark.parametrize("name", QUANTIZED)
def test_blocks(name, tmp_path):
    """Random bytes are blocks with every scale: zeros, subnormals, infinities and NaN, too."""
    kind = QUANTIZED[name]
    blocks = random_blocks(kind, 400, 512)
    write_gguf(tmp_path / "w.gguf", {"x": (blocks, kind)})
    file = fx_mlir.WeightFile(tmp_path / "w.gguf")
    assert file.formats == {"x": name} and file.shapes == {"x": (400, 512)}
    want = dequantize(blocks, kind)
    assert np.isnan(want).any() and np.isfinite(want).mean() > 0.9
    assert np.array_equal(file["x"].numpy().view(np.uint32), want.view(np.uint32))


def test_formats(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((6, 64)).astype(np.float32)
    arrays = {
        "f32": x,
        "f16": x.astype(np.float16),
        "f64": x.astype(np.float64),
        "i8": np.arange(-3, 3, dtype=np.int8),
        "i32": np.arange(6, dtype=np.int32)[:, None],
        "bf16": (x, Type.BF16),
        "q8": (x, Type.Q8_0),
        "q4": (x, Type.Q4_0),
    }
    write_gguf(tmp_path / "w.gguf", arrays, head_count=7, description="text \u2713")
    file = fx_mlir.WeightFile(tmp_path / "w.gguf")
    assert file.metadata["general.architecture"] == "llama"
    assert file.metadata["llama.attention.head_count"] == 7
    assert file.metadata["general.description"] == "text \u2713"
    for name in "f32", "f16", "f64", "i8", "i32":
        got = file[name].numpy()
        assert got.dtype == arrays[name].dtype and np.array_equal(got, arrays[name]), name
    for name in "bf16", "q8", "q4":
        kind = arrays[name][1]
        want = dequantize(gguf.quants.quantize(x, kind), kind)
        assert np.array_equal(file[name].float().numpy(), want), name


def test_damaged(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((4, 256)).astype(np.float32)
    q6 = random_blocks(Type.Q6_K, 4, 256)
    arrays = {"a": x, "b": (x, Type.Q4_0), "c": (q6, Type.Q6_K)}
    write_gguf(tmp_path / "w.gguf", arrays, head_count=4, vocab_size=3, token_list=["a", "bc"])
    count = {True: 0, False: 0}
    for changed in weight_files.mutations((tmp_path / "w.gguf").read_bytes(), 800, 0):
        (tmp_path / "m").write_bytes(changed)
        try:
            file = fx_mlir.WeightFile(tmp_path / "m")
        except fx_mlir.Error as e:
            assert "\n" not in e.message and e.message.startswith(str(tmp_path)), e.message
            count[False] += 1
        else:
            assert all(file[name].numel() >= 0 for name in file)
            count[True] += 1
    assert min(count.values()) > 10, count


def linear(rows, columns):
    return torch.nn.Sequential(torch.nn.Linear(columns, rows, bias=False)).eval()


@pytest.mark.parametrize("name", QUANTIZED)
def test_dequantized_weights(name, tmp_path):
    kind = QUANTIZED[name]
    torch.manual_seed(0)
    model, x = linear(48, 512), torch.randn(3, 512)
    values = np.random.default_rng(1).standard_normal((48, 512)).astype(np.float32)
    if name.endswith("K"):  # the package does not quantize to these
        blocks = random_blocks(kind, 48, 512)
        blocks.reshape(48, 2, -1)[:, :, -2:] = blocks.reshape(48, 2, -1)[:, :, :2] = 0
        scales = slice(-2, None) if name == "Q6_K" else slice(0, 2)
        blocks.reshape(48, 2, -1)[:, :, scales] = np.float16([0.01]).view(np.uint8)
    else:
        blocks = gguf.quants.quantize(values, kind)
    write_gguf(tmp_path / "w.gguf", {"0.weight": (blocks, kind)})
    compiled = fx_mlir.compile(torch.export.export(model, (x,)), swappable_weights=True)
    compiled.load_weights(tmp_path / "w.gguf", names={})
    model[0].weight.data = torch.from_numpy(dequantize(blocks, kind))
    torch.testing.assert_close(compiled(x), model(x).detach(), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name, bits", [("Q8_0", 8), ("Q4_0", 4)])
@pytest.mark.parametrize("mode", ["weight-only", "dynamic"])
def test_blocks_become_integers(name, bits, mode, tmp_path):
    """Integers in groups of 32 have the values of the blocks."""
    kind = QUANTIZED[name]
    torch.manual_seed(0)
    model, x = linear(64, 128), torch.randn(5, 128)
    program = torch.export.export(model, (x,))
    options = {"weight_bits": bits, "group_size": 32, "mode": mode, "min_gain": 0}
    quantized = fx_mlir.quantize(program, **options)
    compiled = fx_mlir.compile(quantized, swappable_weights=True, no_fallback=True)
    values = np.random.default_rng(1).standard_normal((64, 128)).astype(np.float32)
    blocks = gguf.quants.quantize(values, kind)
    write_gguf(tmp_path / "w.gguf", {"0.weight": (blocks, kind)})
    compiled.load_weights(tmp_path / "w.gguf", names={})
    model[0].weight.data = torch.from_numpy(dequantize(blocks, kind))
    got, want = compiled(x), model(x).detach()
    if mode == "weight-only":
        torch.testing.assert_close(got, want, rtol=1e-5, atol=1e-5)
    else:  # the activations have 8 bits
        assert (got - want).norm() < 0.02 * want.norm()
    # Other formats are refused.
    write_gguf(tmp_path / "f.gguf", {"0.weight": values})
    with pytest.raises(fx_mlir.Error) as caught:
        compiled.load_weights(tmp_path / "f.gguf", names={})
    message = caught.value.message
    assert "'0.weight_q': expected blocks of Q4_0 or Q8_0 for int8[64, 128]" in message, message
    assert torch.equal(compiled(x), got)


SIZES = {
    "vocab_size": 96,
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 64,
}
GEMMA = {**SIZES, "head_dim": 16}
MODELS = {
    "Llama": ("llama", "LlamaConfig", SIZES),
    "Llama-tied": ("llama", "LlamaConfig", {**SIZES, "tie_word_embeddings": True}),
    "Qwen2": ("qwen2", "Qwen2Config", SIZES),
    "Qwen3": ("qwen3", "Qwen3Config", {**SIZES, "head_dim": 16}),
    "Gemma": ("gemma", "GemmaConfig", GEMMA),
    "Gemma2": ("gemma2", "Gemma2Config", {**GEMMA, "sliding_window": 32}),
    "Phi3": ("phi3", "Phi3Config", {**SIZES, "pad_token_id": 0}),
}
#: Those that run without --long: permuted rows, norms with an offset, fused matrices.
DEFAULT = {"Llama", "Gemma2", "Phi3"}
ARCHITECTURES = {
    "llama": gguf.MODEL_ARCH.LLAMA,
    "qwen2": gguf.MODEL_ARCH.QWEN2,
    "qwen3": gguf.MODEL_ARCH.QWEN3,
    "gemma": gguf.MODEL_ARCH.GEMMA,
    "gemma2": gguf.MODEL_ARCH.GEMMA2,
    "phi3": gguf.MODEL_ARCH.PHI3,
}


def permute(weight, heads):
    """As llama.cpp's convert_hf_to_gguf.py changes queries and keys."""
    rows = weight.shape[0]
    return (
        weight.reshape(heads, 2, rows // heads // 2, *weight.shape[1:])
        .swapaxes(1, 2)
        .reshape(weight.shape)
    )


def convert(model, architecture, path, kind=None):
    """Writes a model as llama.cpp's converter does, with the names of the package gguf."""
    config = model.config
    names = gguf.get_tensor_name_map(ARCHITECTURES[architecture], config.num_hidden_layers)
    arrays = {}
    for name, value in model.state_dict().items():
        array = value.float().numpy()
        if name == "lm_head.weight" and config.tie_word_embeddings:
            continue
        if architecture == "llama" and name.endswith("q_proj.weight"):
            array = permute(array, config.num_attention_heads)
        if architecture == "llama" and name.endswith("k_proj.weight"):
            array = permute(array, config.num_key_value_heads)
        if architecture.startswith("gemma") and name.endswith("norm.weight"):
            array = array + 1
        is_quantized = kind is not None and array.ndim == 2
        target = names.get_name(name, try_suffixes=(".weight", ".bias"))
        arrays[target] = (array, kind) if is_quantized else array
    write_gguf(
        path,
        arrays,
        architecture,
        head_count=config.num_attention_heads,
        head_count_kv=config.num_key_value_heads,
    )


@pytest.mark.parametrize(
    "name",
    [pytest.param(m, marks=[] if m in DEFAULT else pytest.mark.long) for m in MODELS],
)
@pytest.mark.filterwarnings("ignore")
def test_transformers(name, tmp_path):
    transformers = pytest.importorskip("transformers")
    architecture, config_name, sizes = MODELS[name]
    ids = torch.arange(9)[None]

    def build(seed):
        torch.manual_seed(seed)
        config = getattr(transformers, config_name)(**sizes)
        model = transformers.AutoModelForCausalLM.from_config(config).eval()
        with torch.no_grad():
            for value in model.parameters():
                value.normal_(std=0.1)
        return model

    class Logits(torch.nn.Module):
        def __init__(self, model):
            super().__init__()
            self.model = model

        def forward(self, ids):
            return self.model(input_ids=ids, use_cache=False).logits

    with torch.no_grad():
        program = torch.export.export(Logits(build(0)), (ids,), strict=False)
        compiled = fx_mlir.compile(program, no_fallback=True, swappable_weights=True)
        other = build(1)
        convert(other, architecture, tmp_path / "w.gguf")
        compiled.load_weights(tmp_path / "w.gguf")
        want = other(input_ids=ids).logits
        torch.testing.assert_close(compiled(ids), want, rtol=1e-3, atol=1e-3)


@pytest.mark.filterwarnings("ignore")
def test_generation(tmp_path):
    """A model for generation with integers of 4 bits takes the blocks of Q4_0."""
    pytest.importorskip("transformers.exporters")
    from transformers import LlamaConfig, LlamaForCausalLM

    def build(seed):
        torch.manual_seed(seed)
        return LlamaForCausalLM(LlamaConfig(**SIZES)).eval()

    lm = fx_mlir.export_for_generation(
        build(0), tmp_path / "lm", max_length=32, quantize="int4", swappable_weights=True
    )
    other = build(1)
    convert(other, "llama", tmp_path / "w.gguf", Type.Q4_0)
    lm.load_weights(tmp_path / "w.gguf")
    with torch.no_grad():
        for name, value in other.state_dict().items():
            if value.dim() == 2:
                blocks = gguf.quants.quantize(value.numpy(), Type.Q4_0)
                value.copy_(torch.from_numpy(dequantize(blocks, Type.Q4_0)))
        prompt = torch.tensor([[3, 14, 15, 92]])
        want = other(input_ids=prompt).logits[:, -1]
    got = lm.prefill(prompt, torch.arange(4))
    torch.testing.assert_close(got, want, rtol=1e-3, atol=1e-3)


def test_other_architecture(tmp_path):
    write_gguf(tmp_path / "w.gguf", {"x": np.zeros(4, np.float32)}, "bert")
    model = fx_mlir.compile(torch.export.export(linear(4, 4), (torch.zeros(1, 4),)))
    with pytest.raises(fx_mlir.Error, match="expected a model of llama, .*got 'bert'"):
        model.load_weights(tmp_path / "w.gguf")
