"""Generation of tokens: the loop against eager PyTorch, the filters against transformers, prompt
lookup, roll-back, stop strings, several requests, and errors."""

import os
import subprocess
import sys

import fx_mlir
import pytest
import torch
from fx_mlir import _fx
from memory_use import resident
from torch import nn
from torch.nn import functional

VOCABULARY, POSITIONS, LOOKUP = 96, 128, 5


class Attention(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(size, 3 * size, bias=False)
        self.out = nn.Linear(size, size, bias=False)
        shape = (1, heads, POSITIONS, size // heads)
        self.register_buffer("keys", torch.zeros(shape))
        self.register_buffer("values", torch.zeros(shape))

    def forward(self, x, position):
        q, k, v = (
            part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in self.qkv(x).chunk(3, -1)
        )
        self.keys.index_copy_(2, position, k)
        self.values.index_copy_(2, position, v)
        mask = torch.arange(POSITIONS)[None, :] <= position[:, None]
        y = functional.scaled_dot_product_attention(q, self.keys, self.values, attn_mask=mask)
        return self.out(y.transpose(1, 2).flatten(2))


class Decoder(nn.Module):
    """A language model with a cache. It returns the logits of all tokens."""

    def __init__(self, layers=2, size=32):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, size)
        self.positions = nn.Embedding(POSITIONS, size)
        self.layers = nn.ModuleList(Attention(size, 2) for _ in range(layers))
        self.norms = nn.ModuleList(nn.LayerNorm(size) for _ in range(layers + 1))
        self.head = nn.Linear(size, VOCABULARY, bias=False)

    def forward(self, ids, position):
        x = self.embedding(ids) + 0.3 * self.positions(position)
        for norm, layer in zip(self.norms, self.layers):
            x = x + layer(norm(x), position)
        return 3 * self.head(self.norms[-1](x))


class Last(nn.Module):
    """Returns the logits of the last token."""

    def __init__(self, decoder):
        super().__init__()
        self.decoder = decoder

    def forward(self, ids, position):
        return self.decoder(ids, position)[:, -1]


class All(Last):
    def forward(self, ids, position):
        return self.decoder(ids, position)


def export(module, tokens, symbolic=False):
    args = torch.zeros(1, tokens, dtype=torch.int64), torch.arange(tokens)
    size = torch.export.Dim("tokens", min=2, max=POSITIONS)
    shapes = ({1: size}, {0: size}) if symbolic else None
    with torch.no_grad():
        return torch.export.export(module.eval(), args, dynamic_shapes=shapes)


@pytest.fixture(scope="module")
def decoder():
    torch.manual_seed(1)
    return Decoder()


@pytest.fixture(scope="module")
def model(decoder):
    programs = {
        "prefill": export(Last(decoder), 8, symbolic=True),
        "decode": export(Last(decoder), 1),
        "verify": export(All(decoder), LOOKUP),
    }
    return fx_mlir.compile(programs, no_fallback=True)


def make(model, **options):
    model.reset()
    return fx_mlir.TextGenerator(model, **{"max_positions": POSITIONS, **options})


def eager(decoder, prompt, count):
    """The greedy tokens of eager PyTorch, without a cache."""
    ids = list(prompt)
    with torch.no_grad():
        for _ in range(count):
            logits = decoder(torch.tensor([ids]), torch.arange(len(ids)))
            ids.append(int(logits[0, -1].argmax()))
    return ids[len(prompt) :]


PROMPT = [5, 17, 3, 80, 41, 2, 2, 9, 33, 64, 7]
SAMPLING = {"temperature": 0.9, "top_k": 30, "top_p": 0.95, "min_p": 0.01, "repetition_penalty": 1.1}


def test_greedy(model, decoder):
    want = eager(decoder, PROMPT, 64)
    for chunk, prefills, decodes in (256, 1, 63), (4, 3, 63), (5, 2, 64):
        result = make(model, chunk=chunk).generate(PROMPT, max_new_tokens=64)
        assert result.tokens == want and result.reason == "length" and result.text == ""
        # A rest of one token is decoded.
        assert (result.prefills, result.decodes) == (prefills, decodes)


def test_static_prefill(decoder):
    want = eager(decoder, PROMPT, 16)
    programs = {"prefill": export(Last(decoder), 4), "decode": export(Last(decoder), 1)}
    model = fx_mlir.compile(programs, no_fallback=True)
    result = make(model).generate(torch.tensor(PROMPT), max_new_tokens=16)
    assert result.tokens == want and (result.prefills, result.decodes) == (2, 3 + 15)
    # Decode alone, under any name.
    alone = fx_mlir.compile(programs["decode"])
    result = make(alone).generate(PROMPT, max_new_tokens=16)
    assert result.tokens == want and result.decodes == len(PROMPT) + 15


def test_sequence(model, decoder):
    """Continuing, rolling back, and prompts with a common beginning."""
    want = eager(decoder, PROMPT, 20)
    generator = make(model)
    first = generator.generate(PROMPT, max_new_tokens=8)
    second = generator.generate(max_new_tokens=12)
    assert first.tokens + second.tokens == want and second.prefills == 0
    assert generator.tokens == PROMPT + want
    generator.truncate(len(PROMPT) + 3)
    again = generator.generate(max_new_tokens=17)
    assert again.tokens == want[3:] and (again.prefills, again.decodes) == (0, 17)
    # Other tokens after the roll-back.
    generator.truncate(6)
    generator.append([1, 2, 3])
    result = generator.generate(max_new_tokens=6)
    assert result.tokens == eager(decoder, [*PROMPT[:6], 1, 2, 3], 6) and result.prefills == 1
    # A longer prompt runs the rest only, a shorter one its last token.
    result = generator.generate([*generator.tokens, 4], max_new_tokens=1)
    assert (result.prefills, result.decodes) == (1, 0)
    result = generator.generate(PROMPT[:6], max_new_tokens=4)
    assert result.tokens == eager(decoder, PROMPT[:6], 4)
    assert (result.prefills, result.decodes) == (0, 4)
    generator.reset()
    assert generator.tokens == []


def test_recurrent():
    """A model whose state is not read by position starts again to roll back."""

    class Sum(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("sum", torch.zeros(1, dtype=torch.int64))

        def forward(self, ids, position):
            self.sum.add_(ids[0] + 1)
            return (torch.arange(11) == self.sum % 11).float()[None]

    def expected(ids):
        ids = list(ids)
        for _ in range(5):
            ids.append((sum(ids) + len(ids)) % 11)
        return ids[-5:]

    model = fx_mlir.compile(export(Sum(), 1))
    generator = make(model, recurrent=True)
    for prompt in [3, 1, 4], [3, 1, 4, 1, 5], [2], [2, 7]:
        assert generator.generate(prompt, max_new_tokens=5).tokens == expected(prompt)
    first = generator.tokens[:4]
    generator.truncate(4)
    assert generator.generate(max_new_tokens=5).tokens == expected(first)
    assert generator.generate(max_new_tokens=1).decodes == 1
    pool = fx_mlir.GenerationPool(model, slots=2, max_positions=32, recurrent=True)
    futures = [pool.submit([i, 3], max_new_tokens=5) for i in range(5)]
    pool.run()
    assert [future.result().tokens for future in futures] == [expected([i, 3]) for i in range(5)]


def test_seeds(model):
    generator = make(model)
    runs = [generator.generate(PROMPT, max_new_tokens=24, seed=s, **SAMPLING).tokens for s in (1, 1, 2)]
    assert runs[0] == runs[1] != runs[2]
    # Two calls are as one.
    parts = generator.generate(PROMPT, max_new_tokens=9, seed=1, **SAMPLING).tokens
    parts += generator.generate(max_new_tokens=15, seed=1, **SAMPLING).tokens
    assert parts == runs[0]


def test_draws(model, decoder):
    """Each token is the one that the documented algorithm draws from eager PyTorch's logits."""
    options = 0.8, 20, 0.9, 0.0, 1.2, 7
    names = "temperature", "top_k", "top_p", "min_p", "repetition_penalty", "seed"
    tokens = make(model).generate(PROMPT, max_new_tokens=24, **dict(zip(names, options))).tokens
    ids = list(PROMPT)
    for token in tokens:
        with torch.no_grad():
            logits = decoder(torch.tensor([ids]), torch.arange(len(ids)))[0, -1]
        left = uniform(7, len(ids))
        sums = probabilities(logits, ids, options).double().cumsum(0)
        assert token == int((sums > left * sums[-1]).nonzero()[0])
        ids.append(token)


def uniform(seed, index):
    mask = 2**64 - 1
    z = (seed + (index + 1) * 0x9E3779B97F4A7C15) & mask
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return ((z ^ (z >> 31)) >> 11) / 2**53


def probabilities(logits, tokens, options):
    got = _fx.compute_probabilities(logits.numpy().tobytes(), options, tokens)
    return torch.frombuffer(bytearray(got), dtype=torch.float32)


def expected(logits, tokens, temperature, k, p, min_p, penalty):
    """The filtered distribution of transformers, whose sort is made stable."""
    import transformers.generation.logits_process as filters

    steps = []
    if penalty != 1:
        steps.append(filters.RepetitionPenaltyLogitsProcessor(penalty))
    if temperature != 1:
        steps.append(filters.TemperatureLogitsWarper(temperature))
    if k:
        steps.append(filters.TopKLogitsWarper(k))
    if p < 1:
        steps.append(filters.TopPLogitsWarper(p))
    if min_p:
        steps.append(filters.MinPLogitsWarper(min_p))
    ids, scores = torch.tensor([tokens]), logits[None].clone()
    for step in steps:
        scores = step(ids, scores)
    return scores[0].softmax(-1)


CHOICES = {
    "temperature": (1.0, 0.7, 1.5),
    "k": (0, 1, 5, 40),
    "p": (1.0, 0.99, 0.9, 0.5, 0.0),
    "min_p": (0.0, 0.05, 0.3, 1.0),
    "penalty": (1.0, 1.2, 0.8),
}


@pytest.mark.parametrize("name", [*CHOICES, "all"])
def test_filters(name, monkeypatch):
    pytest.importorskip("transformers")
    sort = torch.sort
    monkeypatch.setattr(torch, "sort", lambda x, **options: sort(x, stable=True, **options))
    for i in range(150):
        size = (7, 50, 3000)[i % 3]
        logits = torch.randn(size) * (1, 4, 8)[i // 3 % 3]
        if i % 5 == 0:
            logits = logits.round()  # ties
        if i % 7 == 0:
            logits[torch.rand(size) < 0.3] = -torch.inf
            logits[i % size] = 1
        tokens = torch.randint(0, size, (9,)).tolist()
        chosen = [
            values[int(torch.randint(len(values), ()))] if name in (key, "all") else values[0]
            for key, values in CHOICES.items()
        ]
        got, want = probabilities(logits, tokens, (*chosen, 0)), expected(logits, tokens, *chosen)
        assert torch.equal(got > 0, want > 0), chosen
        torch.testing.assert_close(got, want, rtol=1e-5, atol=1e-7)


def test_greedy_penalty():
    """The penalty also applies to greedy generation; of equal logits, the first one is taken."""
    logits = torch.tensor([1.0, 3.0, 2.9, -1.0, 2.9])
    got = probabilities(logits, [1], (0.0, 3, 0.5, 0.1, 2.0, 0))
    assert got.tolist() == [0, 0, 1, 0, 0]


@pytest.mark.parametrize("sampling", [{}, SAMPLING | {"temperature": 0.3}], ids=["greedy", "sampled"])
def test_lookup(model, sampling):
    """Prompt lookup gives the same tokens with fewer calls."""
    prompt = PROMPT * 3
    generator = make(model)
    accepted = 0
    for seed in range(4):
        want = generator.generate(prompt, max_new_tokens=60, seed=seed, **sampling)
        generator.truncate(0)
        got = generator.generate(prompt, max_new_tokens=60, seed=seed, lookup=3, **sampling)
        assert got.tokens == want.tokens and generator.tokens == prompt + want.tokens
        assert got.verifies + got.decodes + got.prefills == 60 - got.accepted
        assert 0 < got.proposed <= got.verifies * (LOOKUP - 1)
        accepted += got.accepted
        # The caches are right after the proposals that were not kept.
        more = generator.generate(max_new_tokens=8, seed=seed, **sampling)
        whole = generator.generate(prompt, max_new_tokens=68, seed=seed, **sampling)
        assert want.tokens + more.tokens == whole.tokens
    assert accepted > 20


def test_positions(model, decoder):
    """The caches end, also while tokens are proposed."""
    for lookup in 0, 3:
        generator = make(model, max_positions=24)
        result = generator.generate(PROMPT * 2, max_new_tokens=100, lookup=lookup)
        assert result.reason == "positions"
        # The last token needs no position.
        assert result.tokens == eager(decoder, PROMPT * 2, 3)
        assert generator.generate(max_new_tokens=5).reason == "positions"
        with pytest.raises(fx_mlir.Error, match="expected at most 24 tokens.*, got 26"):
            generator.append([1])
        with pytest.raises(fx_mlir.Error, match="expected at most 24 tokens.*, got 33"):
            generator.generate(PROMPT * 3)


# Texts: a model whose next tokens are known.


class Table(nn.Module):
    def __init__(self, table):
        super().__init__()
        self.register_buffer("table", table)

    def forward(self, ids, position):
        return self.table[ids[:, -1]]


def script(count, **rows):
    """A model that continues token i by i + 1."""
    table = torch.eye(count).roll(1, 1) * 5
    for row, value in rows.items():
        table[int(row[1:]), 1] = value
    return fx_mlir.compile(export(Table(table), 1))


@pytest.fixture(scope="module")
def counter():
    return script(16)


def write(model, pieces, **options):
    """Generates from token 0, whose text is no part of the result."""
    texts = []
    data = [b"", *pieces]
    generator = make(model, token_bytes=data if "call" not in options else data.__getitem__)
    options.pop("call", None)
    options = {"max_new_tokens": len(pieces), **options}
    result = generator.generate([0], on_token=lambda token, text: texts.append(text), **options)
    assert b"".join(texts).decode(errors="replace") == result.text
    assert len(texts) == len(result.tokens)
    return result, texts


def test_text(counter):
    euro = "€".encode()
    result, texts = write(counter, [b"a", euro[:1], euro[1:2], euro[2:] + b"b", b"\xff", b"c"], call=1)
    # A byte that begins a character is held until the next byte.
    assert texts == [b"a", b"", b"", euro + b"b", b"", b"\xffc"]
    assert result.text == "a€b\ufffdc"
    # What is left at the end is given.
    assert write(counter, [b"a", euro[:2]])[1] == [b"a", euro[:2]]


@pytest.mark.parametrize(
    "pieces, stops, text, count, held",
    [
        ([b"ab", b"cd", b"ef"], ["bcde"], "a", 3, [b"a", b"", b""]),
        ([b"ab", b"cd", b"ef"], ["bcdx"], "abcdef", 3, [b"a", b"", b"bcdef"]),
        ([b"a", b"a", b"b", b"c"], ["aab"], "", 3, [b"", b"", b""]),
        ([b"a", b"a", b"a", b"b"], ["aab"], "a", 4, [b"", b"", b"a", b""]),
        ([b"x<e", b"nd>y", b"z"], ["<end>", "d>y"], "x", 2, [b"x", b""]),
        ([b"xabc", b"y"], ["bc", "abc"], "x", 1, [b"x"]),
        (["é".encode()[:1], "é".encode()[1:], b"!"], ["é!"], "", 3, [b"", b"", b""]),
        ([b"", b"stop", b"x"], ["stop"], "", 2, [b"", b""]),
    ],
)
def test_stop_strings(counter, pieces, stops, text, count, held):
    result, texts = write(counter, pieces, stop_strings=stops)
    stopped = text != b"".join(pieces).decode()
    assert result.reason == ("stop_string" if stopped else "length")
    assert (result.text, len(result.tokens), texts) == (text, count, held)


def test_stop_tokens(counter):
    result, texts = write(counter, [b"a", b"b", b"c"], stop_tokens=[7, 2], stop_strings=["bx"])
    assert result.reason == "stop_token" and result.tokens == [1, 2] and texts == [b"a", b""]
    # Held text is given before a stop token.
    result, texts = write(counter, [b"a", b"b", b"c"], stop_tokens=[3], stop_strings=["bx"])
    assert texts == [b"a", b"", b"b"] and result.text == "ab"


def test_call_back(counter):
    generator = make(counter)
    result = generator.generate([0], on_token=lambda token, text: token != 4)
    assert result.reason == "stopped" and result.tokens == [1, 2, 3, 4]
    assert generator.generate(max_new_tokens=2).tokens == [5, 6]

    def fail(token, text):
        raise KeyError(token)

    with pytest.raises(KeyError, match="7"):
        generator.generate(on_token=fail)
    with pytest.raises(IndexError):
        make(counter, token_bytes=[b"a"]).generate([0])
    with pytest.raises((TypeError, RuntimeError)):
        make(counter, token_bytes=["a"] * 16).generate([0])
    assert generator.generate([0], max_new_tokens=0).tokens == []


# Errors.


@pytest.mark.parametrize(
    "options, text",
    [
        ({"temperature": -1.0}, "temperature: expected a finite number of at least 0, got -1"),
        ({"temperature": float("nan")}, "temperature: expected .*, got nan"),
        ({"top_k": -2}, "top_k: expected at least 0, got -2"),
        ({"top_p": 1.5}, "top_p: expected a number from 0 to 1, got 1.5"),
        ({"min_p": -0.5}, "min_p: expected a number from 0 to 1, got -0.5"),
        ({"repetition_penalty": -1.0}, "repetition_penalty: expected .* larger than 0, got -1"),
        ({"seed": -1}, "seed: expected a number from 0 to"),
        ({"max_new_tokens": -1}, "max_new_tokens: expected at least 0, got -1"),
        ({"lookup": 2}, "lookup: expected a model with the method 'verify', got one without"),
        ({"stop_strings": ["a"]}, "stop_strings: expected the bytes of tokens, got none"),
        ({"stop_strings": [""]}, "stop_strings: expected no empty string, got one"),
        ({"prompt": []}, "expected a sequence with tokens, got an empty one"),
        ({"prompt": [-3]}, "expected ids of tokens of at least 0, got -3"),
        ({"temperature": 1e-39}, "token 1 of the sequence: expected finite logits after"),
    ],
)
def test_wrong_options(counter, options, text):
    with pytest.raises(fx_mlir.Error, match="^" + text) as raised:
        make(counter).generate(**{"prompt": [0], **options})
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("value, text", [(torch.nan, "nan"), (torch.inf, "inf")])
def test_logits_that_are_not_finite(value, text):
    generator = make(script(8, r3=value))
    error = f"token 4 of the sequence: expected finite logits, got {text} for token 1"
    for options in {}, {"temperature": 1.0}:
        with pytest.raises(fx_mlir.Error, match=error):
            generator.generate([0], **{"max_new_tokens": 8, **options, "top_k": 1})
        assert generator.tokens == [0, 1, 2, 3]


def test_wrong_models(counter, decoder):
    class Other(nn.Module):
        def forward(self, ids, position):
            return (ids + position).float().repeat(1, 4)

    class Double(Other):
        def forward(self, ids, position):
            return super().forward(ids, position).double()

    def build(**modules):
        return fx_mlir.compile({name: export(m, n) for name, (m, n) in modules.items()})

    def refused(model, text, **options):
        with pytest.raises(fx_mlir.Error, match=text):
            make(model, **options)

    refused(build(a=(Other(), 1), b=(Other(), 1)), r"expected a method of the model \(a, b\), got 'decode'")
    refused(build(decode=(Other(), 2)), r"method 'decode', '.*': expected int64 \[1, 1\], got int64 \[1, 2\]")
    refused(build(decode=(Double(), 1)), r"expected float32 \[1, vocabulary\], got float64 \[1, 4\]")
    models = {"decode": (Other(), 1), "prefill": (Last(decoder), 3)}
    refused(build(**models), "method 'prefill': expected 4 logits, got 96")
    refused(build(decode=(Other(), 1), verify=(All(decoder), 1)), "expected 4 logits, got 96")
    refused(fx_mlir.compile(nn.ReLU(), (torch.zeros(2),)), "expected the inputs .* got 1 inputs and 1 outputs")
    refused(counter, "max_positions: expected at least 1, got 0", max_positions=0)
    refused(counter, "chunk: expected at least 2, got 1", chunk=1)
    with pytest.raises(TypeError, match="expected a CompiledModel, got int"):
        fx_mlir.TextGenerator(3, max_positions=1)
    with pytest.raises(fx_mlir.Error, match="expected a number of tokens from 0 to 0, got 4"):
        make(counter).truncate(4)


def test_without_torch(counter, tmp_path):
    counter.save(tmp_path / "m.so")
    code = (
        "import sys, fx_mlir; m = fx_mlir.load(sys.argv[1]);"
        "g = fx_mlir.TextGenerator(m, max_positions=9, token_bytes=[b'%d' % i for i in range(16)]);"
        "print(g.generate([0], max_new_tokens=5).text); assert 'torch' not in sys.modules"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    run = [sys.executable, "-c", code, str(tmp_path / "m.so")]
    assert subprocess.check_output(run, env=env, text=True) == "12345\n"


# Several requests.


def test_pool(model):
    """Requests of mixed lengths give the tokens of single runs."""
    requests = []
    for i in range(14):
        prompt = [(7 * i + 3 * k) % VOCABULARY for k in range(1 + 5 * i % 17)]
        sampling = SAMPLING if i % 3 else {}
        requests.append((prompt, {"max_new_tokens": 1 + 7 * i % 30, "seed": i, **sampling}))
    generator = make(model)
    want = [generator.generate(prompt, **options).tokens for prompt, options in requests]
    for threads in 1, 2:
        pool = fx_mlir.GenerationPool(
            model, slots=3, max_positions=POSITIONS, chunk=6, threads=threads
        )
        futures = []
        for i, (prompt, options) in enumerate(requests):
            # Some join while others run.
            futures.append(pool.submit(prompt, lookup=i % 2 * 2, **options))
            if i % 4 == 3:
                pool.step()
        pool.run()
        assert [future.result().tokens for future in futures] == want
        assert pool.step() == 0
    # The pool leaves the caches of the model alone.
    assert generator.generate(requests[-1][0], **requests[-1][1]).tokens == want[-1]


def test_pool_cancel(counter):
    pool = fx_mlir.GenerationPool(counter, slots=2, max_positions=64)
    futures = [pool.submit([0], max_new_tokens=4 + i) for i in range(4)]
    assert pool.step() == 4
    assert pool.cancel(futures[0]) and pool.cancel(futures[3])
    pool.run()
    assert [f.result().reason for f in futures] == ["stopped", "length", "length", "stopped"]
    assert [len(f.result().tokens) for f in futures] == [1, 5, 6, 0]
    assert not pool.cancel(futures[0])
    with pytest.raises(fx_mlir.Error, match="top_k: expected"):
        pool.submit([0], top_k=-1)
    with pytest.raises(fx_mlir.Error, match="slots: expected at least 1, got 0"):
        fx_mlir.GenerationPool(counter, slots=0, max_positions=64)


def test_pool_errors():
    """An error of one request does not concern the others."""
    pool = fx_mlir.GenerationPool(script(8, r5=torch.nan), slots=2, max_positions=64)
    texts = []

    def fail(token, text):
        raise KeyError(token)

    wrong, right = pool.submit([3], max_new_tokens=5), pool.submit([6], max_new_tokens=3)
    call = pool.submit([1], on_token=fail)
    other = pool.submit([0], max_new_tokens=3, on_token=lambda token, text: texts.append(token))
    pool.run()
    with pytest.raises(fx_mlir.Error, match="token 3 of the sequence: expected finite logits"):
        wrong.result()
    with pytest.raises(KeyError, match="2"):
        call.result()
    assert right.result().tokens == [7, 0, 1] and other.result().tokens == texts == [1, 2, 3]


def test_pool_memory(counter):
    """Memory does not grow with the number of requests."""
    pool = fx_mlir.GenerationPool(counter, slots=4, max_positions=4096, token_bytes=[b"a"] * 16)

    def run(count):
        futures = []
        for i in range(count):
            futures.append(pool.submit([i % 16] * (1 + i % 9), max_new_tokens=1 + i % 40))
            pool.step()
        pool.run()
        assert all(len(f.result().tokens) == 1 + i % 40 for i, f in enumerate(futures))

    run(300)
    before = resident()
    run(1000)
    assert resident() - before < 1 << 20
