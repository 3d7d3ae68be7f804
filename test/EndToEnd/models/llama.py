"""A Llama-style decoder: RMSNorm, rotary positions, grouped-query attention and
SwiGLU. `Prefill` reads a whole prompt; `Decode` reads one token and keeps keys
and values in a static cache, which it mutates in one of three ways."""

import dataclasses

import torch
from torch import nn

from models.registry import Spec, randint, register, seeded


@dataclasses.dataclass
class Config:
    vocabulary: int
    hidden: int
    layers: int
    heads: int
    kv_heads: int
    inner: int
    length: int  # the length of the cache
    base: float = 10000.0

    @property
    def head(self) -> int:
        return self.hidden // self.heads


SMALL = Config(512, 64, 2, 4, 2, 160, 32)
LARGE = Config(32000, 1024, 8, 16, 4, 2816, 256)


class RMSNorm(nn.Module):
    def __init__(self, hidden: int):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(hidden).uniform_(0.5, 1.5))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x.to(torch.float32)
        y = y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + 1e-6)
        return self.weight * y.to(x.dtype)


def rotate(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    a, b = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-b, a), dim=-1) * sin


class Cache(nn.Module):
    """Keys and values of one layer: [batch, kv_heads, length, head]."""

    def __init__(self, c: Config, how: str, batch: int):
        super().__init__()
        self.how = how
        shape = (batch, c.kv_heads, c.length, c.head)
        self.register_buffer("k", torch.zeros(shape))
        self.register_buffer("v", torch.zeros(shape))

    def forward(self, position, k, v):
        for buffer, new in ((self.k, k), (self.v, v)):
            if self.how == "index_copy":
                buffer.index_copy_(2, position, new)
            elif self.how == "index_put":
                buffer[:, :, position] = new
            else:  # a slice of static width at the front
                buffer[:, :, 1:].copy_(buffer[:, :, :-1].clone())
                buffer[:, :, :1].copy_(new)
        return self.k, self.v


class Attention(nn.Module):
    def __init__(self, c: Config, how: str | None, batch: int):
        super().__init__()
        self.c = c
        self.q_proj = nn.Linear(c.hidden, c.heads * c.head, bias=False)
        self.k_proj = nn.Linear(c.hidden, c.kv_heads * c.head, bias=False)
        self.v_proj = nn.Linear(c.hidden, c.kv_heads * c.head, bias=False)
        self.o_proj = nn.Linear(c.heads * c.head, c.hidden, bias=False)
        self.cache = Cache(c, how, batch) if how else None

    def forward(self, x, cos, sin, position, mask):
        c = self.c
        batch, length, _ = x.shape
        q = self.q_proj(x).view(batch, length, c.heads, c.head).transpose(1, 2)
        k = self.k_proj(x).view(batch, length, c.kv_heads, c.head).transpose(1, 2)
        v = self.v_proj(x).view(batch, length, c.kv_heads, c.head).transpose(1, 2)
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        if self.cache is not None:
            k, v = self.cache(position, k, v)
        groups = c.heads // c.kv_heads
        k = k[:, :, None].expand(-1, -1, groups, -1, -1).flatten(1, 2)
        v = v[:, :, None].expand(-1, -1, groups, -1, -1).flatten(1, 2)
        y = nn.functional.scaled_dot_product_attention(
            q, k, v, attn_mask=mask, is_causal=mask is None
        )
        return self.o_proj(y.transpose(1, 2).reshape(batch, length, -1))


class Block(nn.Module):
    def __init__(self, c: Config, how: str | None, batch: int):
        super().__init__()
        self.norm1 = RMSNorm(c.hidden)
        self.attention = Attention(c, how, batch)
        self.norm2 = RMSNorm(c.hidden)
        self.gate_proj = nn.Linear(c.hidden, c.inner, bias=False)
        self.up_proj = nn.Linear(c.hidden, c.inner, bias=False)
        self.down_proj = nn.Linear(c.inner, c.hidden, bias=False)

    def forward(self, x, cos, sin, position, mask):
        x = x + self.attention(self.norm1(x), cos, sin, position, mask)
        y = self.norm2(x)
        y = nn.functional.silu(self.gate_proj(y)) * self.up_proj(y)
        return x + self.down_proj(y)


class Llama(nn.Module):
    def __init__(self, c: Config, how: str | None = None, batch: int = 1):
        super().__init__()
        self.c = c
        self.embed = nn.Embedding(c.vocabulary, c.hidden)
        self.blocks = nn.ModuleList(Block(c, how, batch) for _ in range(c.layers))
        self.norm = RMSNorm(c.hidden)
        self.lm_head = nn.Linear(c.hidden, c.vocabulary, bias=False)
        steps = torch.arange(0, c.head, 2, dtype=torch.float32)
        self.register_buffer(
            "frequencies", c.base ** (-steps / c.head), persistent=False
        )

    def body(self, tokens, position, mask):
        angles = position[:, None].to(torch.float32) * self.frequencies
        angles = torch.cat((angles, angles), dim=-1)
        cos, sin = angles.cos(), angles.sin()
        x = self.embed(tokens)
        if x.dtype != torch.float32:
            cos, sin = cos.to(x.dtype), sin.to(x.dtype)
        for block in self.blocks:
            x = block(x, cos, sin, position, mask)
        return self.lm_head(self.norm(x))


class Prefill(Llama):
    """tokens [batch, length] -> logits [batch, length, vocabulary]."""

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        position = torch.arange(tokens.shape[1], device=tokens.device)
        return self.body(tokens, position, None)


class Decode(Llama):
    """tokens [batch, 1], position [1] -> logits [batch, 1, vocabulary]."""

    def forward(self, tokens: torch.Tensor, position: torch.Tensor) -> torch.Tensor:
        places = torch.arange(self.c.length, device=tokens.device)
        mask = places[None, :] <= position[:, None]
        return self.body(tokens, position, mask[None, None])


def _prefill(name: str, c: Config, batch: int, length: int, others: list[int]):
    register(
        Spec(
            name=name,
            build=lambda: seeded(lambda: Prefill(c)),
            inputs=lambda: ((randint(c.vocabulary, batch, length),), {}),
            dynamic=lambda: {"tokens": {1: torch.export.Dim("length", min=2, max=1024)}},
            others=lambda: [
                ((randint(c.vocabulary, batch, n, seed=n),), {}) for n in others
            ],
        )
    )


def _decode(name: str, c: Config, how: str):
    register(
        Spec(
            name=name,
            build=lambda: seeded(lambda: Decode(c, how)),
            inputs=lambda: ((randint(c.vocabulary, 1, 1), torch.tensor([3])), {}),
            others=lambda: [((randint(c.vocabulary, 1, 1), torch.tensor([0])), {})],
        )
    )


_prefill("llama_small", SMALL, 2, 9, [2, 5, 40])
_prefill("llama", LARGE, 1, 128, [7, 64])
_decode("llama_small_decode", SMALL, "index_copy")
_decode("llama_small_decode_index_put", SMALL, "index_put")
_decode("llama_small_decode_slice", SMALL, "slice")
_decode("llama_decode", LARGE, "index_copy")
