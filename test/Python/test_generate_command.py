"""python -m fx_mlir.generate, and the files that export_for_generation makes for it."""

import json
import re

import fx_mlir
import pytest
import torch
from language_models import PROMPT, expected, logits_of, make

import transformers

pytestmark = pytest.mark.filterwarnings("ignore")


def byte_level_tokenizer():
    """A tokenizer with a token for each byte, and some for pairs."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {letter: k for k, letter in enumerate(letters)}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model with a tokenizer and a chat template, and the model of transformers."""
    pytest.importorskip("tokenizers")
    model, path = make("Llama"), tmp_path_factory.mktemp("language") / "llama"
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=byte_level_tokenizer())
    tokenizer.chat_template = (
        "{% for m in messages %}[{{ m['role'] }}] {{ m['content'] }}\n{% endfor %}[assistant]"
    )
    fx_mlir.export_for_generation(
        model, path, max_length=96, speculation=3, tokenizer=tokenizer
    )
    return model, path, tokenizer


def test_manifest(folder):
    from fx_mlir._language import _ids

    model, path, _ = folder
    manifest = json.loads((path / "fx_generation.json").read_text())
    assert manifest["stop_tokens"] == [] and manifest["max_length"] == 96
    assert _ids(7) == [7] and _ids([7, 9]) == [7, 9] and _ids(None) == []
    loaded = fx_mlir.load(path / "model.so")
    assert set(loaded.methods) == {"decode", "prefill", "verify"}
    logits_of(loaded, PROMPT)
    got = loaded.verify(torch.tensor([[1, 2, 3, 4]]), torch.arange(7, 11))
    with torch.no_grad():
        want = model(torch.tensor([[*PROMPT, 1, 2, 3, 4]])).logits[:, -4:]
    torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-4)


def command(*args, capfd):
    from fx_mlir import generate

    status = generate.main([str(arg) for arg in args])
    out, err = capfd.readouterr()
    return status, out, err


def test_generate_ids(folder, capfd):
    model, path, _ = folder
    want = expected(model, PROMPT, 24)
    ids = ",".join(map(str, PROMPT))
    for options in ["--lookup=2"], ["--threads=2"], []:
        status, out, err = command(
            path, "--prompt-ids", ids, "--max-new-tokens", 24, *options, capfd=capfd
        )
        assert (status, err) == (0, "") and list(map(int, out.split())) == want


def test_generate_text(folder, capfd):
    model, path, tokenizer = folder
    text = "na\u00efve \u4f60\u597d"
    prompt = tokenizer(text)["input_ids"]
    want = tokenizer.decode(expected(model, prompt, 20))
    status, out, err = command(path, "--prompt", text, "--max-new-tokens", 20, "--stats", capfd=capfd)
    assert status == 0 and out.rstrip("\n") == want.rstrip("\n")
    assert "tokens of the prompt" in err and "per second; end: length" in err
    # With a chat template.
    chat = [{"role": "system", "content": "S"}, {"role": "user", "content": text}]
    prompt = tokenizer.apply_chat_template(chat, add_generation_prompt=True)
    prompt = prompt["input_ids"] if hasattr(prompt, "keys") else prompt
    want = tokenizer.decode(expected(model, prompt, 8))
    status, out, _ = command(
        path, "--prompt", text, "--chat", "--system", "S", "--max-new-tokens", 8, capfd=capfd
    )
    assert status == 0 and out.rstrip("\n") == want.rstrip("\n")


def test_generate_recurrent(tmp_path, capfd):
    """A second prompt that begins like the first one."""
    from fx_mlir.generate import LanguageModel

    model = make("Mamba")
    fx_mlir.export_for_generation(model, tmp_path, max_length=64)
    loaded = LanguageModel(tmp_path)
    for prompt in PROMPT, PROMPT[:4], [*PROMPT, 1, 2]:
        got = loaded.generate(prompt, max_new_tokens=10)
        assert got.tokens == expected(model, prompt, 10)


def test_generate_errors(folder, tmp_path, capfd):
    _, path, _ = folder
    (tmp_path / "fx_generation.json").write_text('{"version": 9}')
    for args, text in [
        (["/no/folder", "--prompt-ids", "1"], "cannot open: No such file"),
        ([tmp_path, "--prompt-ids", "1"], "expected version 1 of fx_generation.json, got 9"),
        ([path, "--prompt-ids", "1,x"], "--prompt-ids: expected integers, got '1,x'"),
        ([path, "--prompt-ids", "1", "--chat"], "--chat: expected a text"),
        ([path, "--prompt-ids", "999"], "an index is out of range"),
        ([path, "--prompt-ids", " "], ""),
        ([path, "--prompt-ids", "1", "--top-p", "2"], "top_p"),
    ]:
        status, out, err = command(*args, capfd=capfd)
        assert status == 1 and err.startswith("error: ") and len(err.splitlines()) == 1, (args, err)
        assert text in err, err
