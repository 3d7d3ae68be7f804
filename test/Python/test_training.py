"""A training step with torch.compile(backend="fx_mlir"): outputs, loss and each
gradient are those of eager."""

import copy
import os

import pytest
import torch
from torch import nn

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")

import transformers  # noqa: E402

TEXT = dict(
    hidden_size=32, num_hidden_layers=1, num_attention_heads=4, vocab_size=99, pad_token_id=0
)
WITHOUT_DROPOUT = dict(hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)


def falcon():
    return transformers.FalconForCausalLM(
        transformers.FalconConfig(**TEXT, bos_token_id=1, eos_token_id=2)
    )


def falcon_alibi():
    return transformers.FalconForCausalLM(
        transformers.FalconConfig(**TEXT, bos_token_id=1, eos_token_id=2, alibi=True)
    )


def bert():
    config = transformers.BertConfig(**TEXT, **WITHOUT_DROPOUT, intermediate_size=64)
    return transformers.BertForMaskedLM(config)


def deberta():
    config = transformers.DebertaConfig(
        **TEXT, **WITHOUT_DROPOUT, intermediate_size=64, relative_attention=True, pos_att_type="c2p|p2c"
    )
    return transformers.DebertaForMaskedLM(config)


def gpt2():
    config = transformers.GPT2Config(
        n_embd=32, n_layer=1, n_head=4, vocab_size=99, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0
    )
    return transformers.GPT2LMHeadModel(config)


class CNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1, bias=False),
            nn.BatchNorm2d(8),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(8, 16, 3, stride=2, groups=4),
            nn.GroupNorm(4, 16),
            nn.GELU(),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
            nn.Linear(16, 10),
        )

    def forward(self, x, labels):
        logits = self.layers(x)
        return nn.functional.cross_entropy(logits, labels), logits


def images():
    return {"x": torch.randn(8, 3, 16, 16), "labels": torch.randint(10, (8,))}


def tokens():
    ids = torch.randint(3, 99, (2, 7))
    return {"input_ids": ids, "labels": ids}


def step(model, inputs, call):
    """Returns the loss, the logits, and the gradients by name."""
    outputs = call(**inputs)
    loss, logits = outputs[0], outputs[1]
    loss.backward()
    return loss, logits, {name: p.grad for name, p in model.named_parameters()}


def compare(model, inputs, **options):
    other = copy.deepcopy(model)
    compiled = torch.compile(other, backend="fx_mlir", **options)
    want = step(model, inputs, model)
    got = step(other, inputs, compiled)
    torch.testing.assert_close(got[:2], want[:2], rtol=1e-4, atol=1e-5)
    assert sum(g is not None and bool(g.any()) for g in want[2].values()) > 5
    for name, gradient in want[2].items():
        torch.testing.assert_close(
            got[2][name], gradient, rtol=1e-3, atol=1e-5, msg=lambda m: f"{name}: {m}"
        )
    for (name, w), g in zip(model.named_buffers(), other.buffers()):
        torch.testing.assert_close(g, w, rtol=1e-4, atol=1e-5, msg=lambda m: f"{name}: {m}")


CASES = [
    pytest.param(falcon, tokens, id="falcon"),
    pytest.param(falcon_alibi, tokens, id="falcon_alibi", marks=pytest.mark.long),
    pytest.param(bert, tokens, id="bert"),
    pytest.param(deberta, tokens, id="deberta", marks=pytest.mark.long),
    pytest.param(gpt2, tokens, id="gpt2", marks=pytest.mark.long),
    pytest.param(CNN, images, id="cnn"),
]


@pytest.mark.parametrize("make, draw", CASES)
def test_step(make, draw):
    compare(make().train(), draw())


@pytest.mark.long
@pytest.mark.parametrize("make, draw", CASES)
def test_step_of_unknown_sizes(make, draw):
    compare(make().train(), draw(), dynamic=True)


@torch.no_grad()
def test_deberta_forward():
    """DeBERTa's attention has a constant tensor, the square root of a number."""
    model = deberta().eval()
    compiled = torch.compile(model, backend="fx_mlir")
    inputs = {"input_ids": torch.randint(3, 99, (2, 7))}
    torch.testing.assert_close(
        compiled(**inputs).logits, model(**inputs).logits, rtol=1e-4, atol=1e-5
    )
