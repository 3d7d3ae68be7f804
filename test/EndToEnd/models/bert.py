"""BERT (Devlin et al., 2018): a definition of this project, and the one of `transformers` if that
package is installed, whose graph includes the code that creates the mask."""

import torch
from torch import nn

from models.registry import Spec, randint, register, seeded


class Layer(nn.Module):
    def __init__(self, hidden: int, heads: int, inner: int):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(hidden, hidden)
        self.key = nn.Linear(hidden, hidden)
        self.value = nn.Linear(hidden, hidden)
        self.dense = nn.Linear(hidden, hidden)
        self.norm1 = nn.LayerNorm(hidden, eps=1e-12)
        self.up = nn.Linear(hidden, inner)
        self.down = nn.Linear(inner, hidden)
        self.norm2 = nn.LayerNorm(hidden, eps=1e-12)
        self.dropout = nn.Dropout(0.1)

    def split(self, x: torch.Tensor) -> torch.Tensor:
        return x.view(x.shape[0], x.shape[1], self.heads, -1).transpose(1, 2)

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        y = nn.functional.scaled_dot_product_attention(
            self.split(self.query(x)),
            self.split(self.key(x)),
            self.split(self.value(x)),
            attn_mask=mask,
        )
        y = self.dense(y.transpose(1, 2).reshape(x.shape))
        x = self.norm1(x + self.dropout(y))
        y = self.down(nn.functional.gelu(self.up(x)))
        return self.norm2(x + self.dropout(y))


class Bert(nn.Module):
    def __init__(self, layers=12, hidden=768, heads=12, inner=3072, vocabulary=30522):
        super().__init__()
        self.word = nn.Embedding(vocabulary, hidden, padding_idx=0)
        self.position = nn.Embedding(512, hidden)
        self.kind = nn.Embedding(2, hidden)
        self.norm = nn.LayerNorm(hidden, eps=1e-12)
        self.layers = nn.ModuleList(Layer(hidden, heads, inner) for _ in range(layers))
        self.pooler = nn.Linear(hidden, hidden)
        for m in self.modules():
            if isinstance(m, (nn.Linear, nn.Embedding)):
                nn.init.normal_(m.weight, std=0.02)

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor):
        length = input_ids.shape[1]
        x = self.word(input_ids) + self.kind(torch.zeros_like(input_ids))
        x = self.norm(x + self.position(torch.arange(length, device=x.device)))
        mask = (1.0 - attention_mask[:, None, None, :].to(x.dtype)) * -1e9
        for layer in self.layers:
            x = layer(x, mask)
        return x, torch.tanh(self.pooler(x[:, 0]))


def _inputs(batch: int, length: int, vocabulary: int):
    mask = torch.ones(batch, length, dtype=torch.int64)
    mask[0, length // 2 :] = 0
    ids = randint(vocabulary - 1, batch, length, seed=length) + 1
    return (ids, mask), {}


def _register(name, make, batch, length, others, vocabulary):
    def dynamic():
        dims = {1: torch.export.Dim("length", min=2, max=512)}
        return {"input_ids": dims, "attention_mask": dims}

    register(
        Spec(
            name=name,
            build=lambda: seeded(make),
            inputs=lambda: _inputs(batch, length, vocabulary),
            dynamic=dynamic,
            others=lambda: [_inputs(batch, n, vocabulary) for n in others],
        )
    )


def _transformers(**config):
    def make():
        from transformers import BertConfig, BertModel

        class Outputs(nn.Module):
            """The model's outputs as a plain tuple."""

            def __init__(self):
                super().__init__()
                self.bert = BertModel(BertConfig(**config))

            def forward(self, input_ids, attention_mask):
                return tuple(
                    self.bert(input_ids, attention_mask, return_dict=True).values()
                )

        return Outputs()

    return make


_register("bert_base", Bert, 1, 128, [16, 77], 30522)
_register(
    "bert_small",
    lambda: Bert(layers=2, hidden=64, heads=4, inner=128, vocabulary=500),
    2,
    12,
    [2, 7, 33],
    500,
)
_register("hf_bert_base", _transformers(), 1, 128, [16, 77], 30522)
_register(
    "hf_bert_small",
    _transformers(
        num_hidden_layers=2,
        hidden_size=64,
        num_attention_heads=4,
        intermediate_size=128,
        vocab_size=500,
    ),
    2,
    12,
    [7, 33],
    500,
)
