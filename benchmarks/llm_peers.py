#!/usr/bin/env python3
"""Runs one engine for `llm.py` in an environment of its own.

    llm_peers.py ENGINE FORMAT MODEL FOLDER THREADS

ENGINE is `llama.cpp`, `openvino` or `onnxruntime`; FORMAT is f32, bf16 (not of `onnxruntime`), int8
or int4; MODEL is a folder with a model of transformers. The engine's files are made in FOLDER. The
first line of the output describes the model, as JSON. Each line of the input is a request:

    {"tokens": 512, "position": 0, "times": 2}                    time a prompt, or decode steps
    {"tokens": 1, "position": 128, "times": 8, "sequences": 8}    of several sequences in one step
    {"next": [1, 2, 3]}                                           the most likely next token

The answer is {"seconds": S}, the shortest time of one step, or {"token": T}.

Environments (the `torch` of each is that of the build):

    pip install llama-cpp-python gguf safetensors
    pip install openvino-genai optimum-intel nncf
    pip install onnxruntime-genai onnx onnx-ir
"""

import json
import os
import pathlib
import subprocess
import sys
import time

LENGTH = 2304


def shortest(step, times: int) -> float:
    least = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        step()
        least = min(least, time.perf_counter() - start)
    return least


class LlamaCpp:
    """All matrices as F32, BF16, Q8_0 or Q4_0. Caches are f16."""

    def __init__(self, form: str, model: pathlib.Path, folder: pathlib.Path, threads: int) -> None:
        import llama_cpp as c

        path = folder / f"{form}.gguf"
        self.write(form, model, path)
        self.size = path.stat().st_size
        self.c, self.threads, self.contexts = c, threads, {}
        c.llama_backend_init()
        start = time.perf_counter()
        parameters = c.llama_model_default_params()
        self.model = c.llama_model_load_from_file(str(path).encode(), parameters)
        self.load_seconds = time.perf_counter() - start
        assert self.model, f"llama.cpp cannot load {path}"

    @staticmethod
    def write(form: str, model: pathlib.Path, path: pathlib.Path) -> None:
        import gguf
        import numpy as np
        from safetensors.numpy import load_file

        config = json.loads((model / "config.json").read_text())
        kind = getattr(gguf.GGMLQuantizationType, {"f32": "F32", "bf16": "BF16", "int8": "Q8_0", "int4": "Q4_0"}[form])
        heads = config["num_attention_heads"]
        writer = gguf.GGUFWriter(path, "llama")
        writer.add_context_length(config["max_position_embeddings"])
        writer.add_embedding_length(config["hidden_size"])
        writer.add_block_count(config["num_hidden_layers"])
        writer.add_feed_forward_length(config["intermediate_size"])
        writer.add_head_count(heads)
        writer.add_head_count_kv(config.get("num_key_value_heads", heads))
        writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
        writer.add_rope_dimension_count(config["hidden_size"] // heads)
        writer.add_vocab_size(config["vocab_size"])
        writer.add_tokenizer_model("no_vocab")
        names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA, config["num_hidden_layers"])
        for name, value in load_file(model / "model.safetensors").items():
            value = np.asarray(value, np.float32)
            if "q_proj" in name or "k_proj" in name:
                # Pairs of rotated elements are adjacent in llama.cpp.
                n = heads if "q_proj" in name else config.get("num_key_value_heads", heads)
                shape = value.shape
                value = value.reshape(n, 2, shape[0] // n // 2, -1).swapaxes(1, 2).reshape(shape)
            own = gguf.GGMLQuantizationType.F32 if value.ndim == 1 else kind
            data = gguf.quants.quantize(np.ascontiguousarray(value), own)
            writer.add_tensor(names.get_name(name, (".weight",)), data, raw_dtype=own)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()

    def context(self, sequences: int):
        c = self.c
        if sequences not in self.contexts:
            options = c.llama_context_default_params()
            options.n_ctx, options.n_seq_max = LENGTH * sequences, sequences
            options.n_batch = options.n_ubatch = 512
            options.n_threads = options.n_threads_batch = self.threads
            self.contexts[sequences] = c.llama_init_from_model(self.model, options), {}
        return self.contexts[sequences]

    def decode(self, context, tokens: list[int], position: int, sequences: int = 1) -> None:
        c = self.c
        batch = c.llama_batch_init(len(tokens) * sequences, 0, 1)
        k = 0
        for sequence in range(sequences):
            for i, token in enumerate(tokens):
                batch.token[k], batch.pos[k] = token, position + i
                batch.n_seq_id[k], batch.seq_id[k][0] = 1, sequence
                batch.logits[k] = i + 1 == len(tokens)
                k += 1
        batch.n_tokens = k
        assert c.llama_decode(context, batch) == 0
        c.llama_get_logits_ith(context, k - 1)  # waits for the end
        c.llama_batch_free(batch)

    def truncate(self, context, sequences: int, position: int) -> None:
        memory = self.c.llama_get_memory(context)
        for sequence in range(sequences):
            self.c.llama_memory_seq_rm(memory, sequence, position, -1)

    def seconds(self, tokens: int, position: int, times: int, sequences: int) -> float:
        context, filled = self.context(sequences)
        if filled.get("to") != position:
            self.truncate(context, sequences, 0)
            for sequence in range(sequences):
                for start in range(0, position, 256):
                    self.fill(context, sequence, start, min(256, position - start))
            filled["to"] = position
        least = float("inf")
        for _ in range(times):
            start = time.perf_counter()
            self.decode(context, [7] * tokens, position, sequences)
            least = min(least, time.perf_counter() - start)
            self.truncate(context, sequences, position)
        return least

    def fill(self, context, sequence: int, position: int, count: int) -> None:
        c = self.c
        batch = c.llama_batch_init(count, 0, 1)
        for k in range(count):
            batch.token[k], batch.pos[k], batch.n_seq_id[k] = 7, position + k, 1
            batch.seq_id[k][0], batch.logits[k] = sequence, k + 1 == count
        batch.n_tokens = count
        assert c.llama_decode(context, batch) == 0
        c.llama_batch_free(batch)

    def next(self, prompt: list[int]) -> int:
        context, filled = self.context(1)
        filled.clear()
        self.truncate(context, 1, 0)
        self.decode(context, prompt, 0)
        logits = self.c.llama_get_logits_ith(context, len(prompt) - 1)
        count = self.c.llama_vocab_n_tokens(self.c.llama_model_get_vocab(self.model))
        return max(range(count), key=logits.__getitem__)


class OpenVINO:
    """`optimum-cli export openvino`, run by LLMPipeline. Groups of 4 bits have 32 weights."""

    def __init__(self, form: str, model: pathlib.Path, folder: pathlib.Path, threads: int) -> None:
        import openvino as ov
        import openvino_genai as genai

        flags = {"f32": ["fp32"], "bf16": ["fp32"], "int8": ["int8"], "int4": ["int4", "--sym", "--group-size", "32", "--ratio", "1.0", "--all-layers"]}
        cli = pathlib.Path(sys.executable).parent / "optimum-cli"
        command = [cli, "export", "openvino", "-m", model, "--task", "text-generation-with-past"]
        subprocess.run([*command, "--weight-format", *flags[form], folder], check=True, stdout=sys.stderr)
        self.size = sum(p.stat().st_size for p in folder.glob("openvino_model.*"))
        self.ov, self.genai = ov, genai
        hint = "bf16" if form == "bf16" else "f32"
        options = {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": hint}
        options |= {} if form.startswith("int") else {"KV_CACHE_PRECISION": hint}
        start = time.perf_counter()
        self.pipe = genai.LLMPipeline(str(folder), "CPU", **options)
        self.load_seconds = time.perf_counter() - start
        self.prompts = 0
        for tokens in (512, 1):  # the first run of a size compiles kernels
            self.run(self.prompts_of(tokens, 1), 4)

    def prompts_of(self, tokens: int, sequences: int) -> list[list[int]]:
        """Prompts that differ in the first token: the pipeline keeps what it computed for the
        beginning of a prompt, also of one that another sequence has."""
        self.prompts += sequences
        return [[8 + self.prompts - k, *[7] * (tokens - 1)] for k in range(sequences)]

    def run(self, prompts: list[list[int]], count: int):
        import numpy as np

        ids = np.array(prompts, np.int64)
        inputs = self.genai.TokenizedInputs(self.ov.Tensor(ids), self.ov.Tensor(np.ones_like(ids)))
        config = self.genai.GenerationConfig(max_new_tokens=count, ignore_eos=True)
        return self.pipe.generate(inputs, config)

    def seconds(self, tokens: int, position: int, times: int, sequences: int) -> float:
        if tokens > 1:
            return shortest(lambda: self.run(self.prompts_of(tokens, sequences), 1), times)
        if sequences > 1:  # the engine's times are those of one of the sequences' tokens
            metrics = self.run(self.prompts_of(position, sequences), 4 * times + 1).perf_metrics
            return min(list(metrics.raw_metrics.m_durations)[sequences:]) / 1e6 * sequences
        prompts = self.prompts_of(position, 1)
        return min(list(self.run(prompts, times + 1).perf_metrics.raw_metrics.m_durations)[1:]) / 1e6

    def next(self, prompt: list[int]) -> int:
        return int(self.run([prompt], 1).tokens[0][0])


class ONNXRuntime:
    """The model builder of onnxruntime_genai. Its 4-bit matmuls round activations to 8 bits."""

    def __init__(self, form: str, model: pathlib.Path, folder: pathlib.Path, threads: int) -> None:
        import onnxruntime_genai as og

        precision = {"f32": "fp32", "int4": "int4", "int8": "int8"}[form]
        builder = [sys.executable, "-m", "onnxruntime_genai.models.builder", "-i", model, "-o", folder]
        builder += ["-p", precision, "-e", "cpu", "-c", folder / "cache"]
        subprocess.run(builder, check=True, stdout=sys.stderr)
        self.size = sum(p.stat().st_size for p in folder.glob("model.onnx*"))
        path = folder / "genai_config.json"
        config = json.loads(path.read_text())
        config["model"]["decoder"]["session_options"]["intra_op_num_threads"] = threads
        config["model"]["context_length"] = LENGTH
        path.write_text(json.dumps(config))
        self.og = og
        start = time.perf_counter()
        self.model = og.Model(str(folder))
        self.load_seconds = time.perf_counter() - start

    def generator(self, sequences: int):
        options = self.og.GeneratorParams(self.model)
        options.set_search_options(max_length=LENGTH, do_sample=False, batch_size=sequences)
        return self.og.Generator(self.model, options)

    def seconds(self, tokens: int, position: int, times: int, sequences: int) -> float:
        import numpy as np

        if tokens > 1:
            least = float("inf")
            for _ in range(times):
                generator = self.generator(sequences)
                ids = np.full((sequences, tokens), 7, np.int32)
                start = time.perf_counter()
                generator.append_tokens(ids)
                generator.generate_next_token()
                least = min(least, time.perf_counter() - start)
            return least
        generator = self.generator(sequences)
        generator.append_tokens(np.full((sequences, position), 7, np.int32))
        generator.generate_next_token()
        return shortest(generator.generate_next_token, times)

    def next(self, prompt: list[int]) -> int:
        import numpy as np

        generator = self.generator(1)
        generator.append_tokens(np.array([prompt], np.int32))
        generator.generate_next_token()
        return int(generator.get_sequence(0)[-1])


ENGINES = {"llama.cpp": LlamaCpp, "openvino": OpenVINO, "onnxruntime": ONNXRuntime}


def main() -> None:
    name, form, model, folder, threads = sys.argv[1:]
    # The libraries write to the standard output, too.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    engine = ENGINES[name](form, pathlib.Path(model), pathlib.Path(folder), int(threads))

    def answer(value: dict) -> None:
        print(json.dumps(value), file=answers, flush=True)

    answer({"MB": engine.size / 1e6, "load s": engine.load_seconds})
    for line in sys.stdin:
        request = json.loads(line)
        if "next" in request:
            answer({"token": engine.next(request["next"])})
            continue
        sequences = request.get("sequences", 1)
        seconds = engine.seconds(request["tokens"], request["position"], request["times"], sequences)
        answer({"seconds": seconds})


if __name__ == "__main__":
    main()
