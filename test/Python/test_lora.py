"""Low-rank adapters in the format of peft, applied to compiled models and removed."""

import json

import fx_mlir
import pytest
import torch
from safetensors.torch import save_file
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(40, 32)
        self.q_proj = nn.Linear(32, 48)
        self.square = nn.Parameter(torch.randn(48, 48) / 7)  # [inputs, outputs], as Conv1D
        self.conv = nn.Conv1d(48, 24, 3)
        self.head = nn.Linear(24, 10)

    def forward(self, ids):
        x = self.q_proj(self.embed(ids)) @ self.square
        return self.head(self.conv(x.transpose(1, 2)).transpose(1, 2).relu())


IDS = torch.arange(12)[None] * 3 % 40


def make():
    torch.manual_seed(0)
    return Net().eval()


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("lora") / "m.so"
    program = torch.export.export(make(), (IDS,))
    fx_mlir.compile(program, no_fallback=True, swappable_weights=True).save(path)
    return path


@pytest.fixture
def model(path):
    return fx_mlir.load(path)


def write(folder, tensors, **config):
    folder.mkdir(exist_ok=True)
    config = {"peft_type": "LORA", "r": 4, "lora_alpha": 12, "target_modules": ["q_proj"], **config}
    (folder / "adapter_config.json").write_text(json.dumps(config))
    save_file(
        {f"base_model.model.{name}": value.contiguous() for name, value in tensors.items()},
        folder / "adapter_model.safetensors",
    )
    return folder


def matrices(module, inputs, outputs, rank=4, seed=1):
    g = torch.Generator().manual_seed(seed)
    return {
        f"{module}.lora_A.weight": torch.randn(rank, inputs, generator=g) / 4,
        f"{module}.lora_B.weight": torch.randn(outputs, rank, generator=g) / 4,
    }


def product(tensors, module):
    a, b = tensors[f"{module}.lora_A.weight"], tensors[f"{module}.lora_B.weight"]
    return (b.flatten(1) @ a.flatten(1)).reshape(b.shape[0], *a.shape[1:])


def check(model, net):
    with torch.no_grad():
        torch.testing.assert_close(model(IDS), net(IDS), rtol=1e-4, atol=1e-4)


def test_on_and_off(model, tmp_path):
    tensors = matrices("q_proj", 32, 48)
    folder = write(tmp_path / "a", tensors)
    before = model(IDS)
    for scale in 1.0, 1.0, 0.5, -2.0:
        model.apply_lora(folder, scale=scale)
        net = make()
        net.q_proj.weight.data += scale * 12 / 4 * product(tensors, "q_proj")
        check(model, net)
        model.remove_lora()
        assert torch.equal(model(IDS), before)
    model.remove_lora()  # none is applied
    assert torch.equal(model(IDS), before)


def test_all_kinds(model, tmp_path):
    """Linear layers, embeddings, convolutions, transposed weights, whole modules, and factors of
    their own."""
    tensors = matrices("q_proj", 32, 48) | matrices("square", 48, 48, seed=2)
    g = torch.Generator().manual_seed(3)
    tensors |= {
        "conv.lora_A.weight": torch.randn(4, 48, 3, generator=g) / 4,
        "conv.lora_B.weight": torch.randn(24, 4, 1, generator=g) / 4,
        "embed.lora_embedding_A": torch.randn(4, 40, generator=g) / 4,
        "embed.lora_embedding_B": torch.randn(32, 4, generator=g) / 4,
        "head.weight": torch.randn(10, 24, generator=g),
        "head.bias": torch.randn(10, generator=g),
    }
    net = make()
    # A parameter that is no module's weight has another name in the model.
    renamed = {k: v for k, v in tensors.items() if not k.startswith("square")}
    folder = write(tmp_path / "a", renamed, use_rslora=True, alpha_pattern={"conv": 6})
    model.apply_lora(folder)
    a, b = tensors["embed.lora_embedding_A"], tensors["embed.lora_embedding_B"]
    net.q_proj.weight.data += 12 / 2 * product(tensors, "q_proj")
    net.conv.weight.data += 6 / 2 * product(tensors, "conv")
    net.embed.weight.data += 12 / 2 * (b @ a).T
    net.head.weight.data, net.head.bias.data = tensors["head.weight"], tensors["head.bias"]
    check(model, net)
    model.remove_lora()
    check(model, make())


@pytest.mark.parametrize("outputs", [64, 32])
def test_transposed(outputs, tmp_path):
    """The weights of transformers' Conv1D are [inputs, outputs]; for a square one, fan_in_fan_out
    decides."""

    class Conv1D(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.randn(32, outputs) / 6)

        def forward(self, x):
            return x @ self.weight

    net, x = nn.Sequential(Conv1D()).eval(), torch.randn(3, 32)
    model = fx_mlir.compile(torch.export.export(net, (x,)), swappable_weights=True)
    tensors = matrices("0", 32, outputs)
    model.apply_lora(write(tmp_path / "a", tensors, fan_in_fan_out=True))
    net[0].weight.data += 3 * product(tensors, "0").T
    torch.testing.assert_close(model(x), net(x).detach(), rtol=1e-4, atol=1e-4)


def test_another_adapter(model, tmp_path):
    """The second adapter replaces the first one, and its weights alone stay changed."""
    first, second = matrices("q_proj", 32, 48), matrices("head", 24, 10)
    model.apply_lora(write(tmp_path / "a", first))
    model.apply_lora(write(tmp_path / "b", second))
    net = make()
    net.head.weight.data += 3 * product(second, "head")
    check(model, net)
    model.remove_lora()
    check(model, make())


def test_weights_stay(model, tmp_path):
    """Weights are not replaced below an adapter."""
    folder = write(tmp_path / "a", matrices("q_proj", 32, 48))
    model.apply_lora(folder)
    with pytest.raises(fx_mlir.Error, match="expected a model without an adapter"):
        model.load_state_dict(make().state_dict())
    model.remove_lora()
    torch.manual_seed(5)
    other = Net().eval()
    model.load_state_dict(other.state_dict())
    model.apply_lora(folder)
    model.remove_lora()
    check(model, other)


def test_halves(tmp_path):
    for dtype in torch.bfloat16, torch.float16:
        net = nn.Sequential(nn.Linear(32, 48, bias=False)).eval().to(dtype)
        x = torch.randn(3, 32).to(dtype)
        model = fx_mlir.compile(torch.export.export(net, (x,)), swappable_weights=True)
        tensors = {k: v.to(dtype) for k, v in matrices("0", 32, 48).items()}
        model.apply_lora(write(tmp_path / "a", tensors))
        delta = 3 * product({k: v.float() for k, v in tensors.items()}, "0")
        net[0].weight.data = (net[0].weight.float() + delta).to(dtype)
        torch.testing.assert_close(model(x), net(x).detach(), rtol=2e-2, atol=2e-2)


GOOD = matrices("q_proj", 32, 48)
REFUSED = {
    "peft_type": (GOOD, {"peft_type": "IA3"}, "expected LORA, got 'IA3'"),
    "dora": (GOOD, {"use_dora": True}, "expected an adapter without 'use_dora'"),
    "pissa": (GOOD, {"init_lora_weights": "pissa_niter_4"}, "which changes them"),
    "pattern": (GOOD, {"alpha_pattern": {".*q": 1}}, "expected the name of a module, got '.*q'"),
    "alpha": (GOOD, {"lora_alpha": "x"}, "lora_alpha: expected"),
    "module": (matrices("v_proj", 32, 48), {}, "the model has no 'v_proj.weight'"),
    "shape": (
        matrices("q_proj", 32, 47),
        {},
        "expected matrices for float32[48, 32], got float32[4, 32] and float32[47, 4]",
    ),
    "rank": (
        GOOD | {"q_proj.lora_B.weight": torch.zeros(48, 3)},
        {},
        "expected matrices for float32[48, 32]",
    ),
    "one": ({"q_proj.lora_A.weight": torch.zeros(4, 32)}, {}, "expected two matrices, got one"),
    "magnitude": (
        GOOD | {"q_proj.lora_magnitude_vector": torch.zeros(48)},
        {},
        "expected lora_A or lora_B",
    ),
    "integers": (
        {k: v.to(torch.int8) for k, v in GOOD.items()},
        {},
        "'q_proj.weight': expected floats, got int8[4, 32]",
    ),
    "whole": ({"head.bias": torch.zeros(11)}, {}, "expected float32[10], got float32[11]"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name, model, tmp_path):
    tensors, config, expected = REFUSED[name]
    good = write(tmp_path / "good", GOOD)
    model.apply_lora(good)
    before = model(IDS)
    with pytest.raises(fx_mlir.Error) as caught:
        model.apply_lora(write(tmp_path / "bad", tensors, **config))
    message = caught.value.message
    assert expected in message and "\n" not in message, message
    assert torch.equal(model(IDS), before)


def test_missing_files(model, tmp_path):
    with pytest.raises(fx_mlir.Error, match="adapter_config.json: No such file"):
        model.apply_lora(tmp_path)
    (tmp_path / "adapter_config.json").write_text('{"peft_type": "LORA"')
    with pytest.raises(fx_mlir.Error, match="expected .* got the end of the text"):
        model.apply_lora(tmp_path)
    (tmp_path / "adapter_config.json").write_text('{"peft_type": "LORA"}')
    with pytest.raises(fx_mlir.Error, match="adapter_model.safetensors: No such file"):
        model.apply_lora(tmp_path)
    with pytest.raises(fx_mlir.Error, match="expected a finite scale"):
        model.apply_lora(tmp_path, scale=float("nan"))


def test_language_model(tmp_path):
    """The names of an adapter lack the prefix of a model for generation."""
    pytest.importorskip("transformers.exporters")
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    sizes = {"vocab_size": 64, "hidden_size": 32, "intermediate_size": 64}
    config = LlamaConfig(**sizes, num_hidden_layers=2, num_attention_heads=2)
    llama = LlamaForCausalLM(config).eval()
    lm = fx_mlir.export_for_generation(
        llama, tmp_path / "lm", max_length=16, swappable_weights=True
    )
    tensors = {}
    for layer in 0, 1:
        for part in "q_proj", "v_proj":
            tensors |= matrices(f"model.layers.{layer}.self_attn.{part}", 32, 32, seed=layer)
    prompt = torch.tensor([[3, 14, 15, 9]])
    before = lm.prefill(prompt, torch.arange(4))
    lm.apply_lora(write(tmp_path / "a", tensors))
    with torch.no_grad():
        for layer in 0, 1:
            for part in "q_proj", "v_proj":
                module = f"model.layers.{layer}.self_attn.{part}"
                llama.get_submodule(module).weight += 3 * product(tensors, module)
        want = llama(input_ids=prompt).logits[:, -1]
    torch.testing.assert_close(lm.prefill(prompt, torch.arange(4)), want, rtol=1e-3, atol=1e-3)
    assert not torch.allclose(before, want, rtol=1e-3, atol=1e-3)
    lm.remove_lora()
    assert torch.equal(lm.prefill(prompt, torch.arange(4)), before)
