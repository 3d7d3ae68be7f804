"""Runs the code that is made for a GPU on the processor.

`fx-compile --target=cuda --emit=gpu` gives host code and kernels. Both are compiled for this
processor, kernels from the very NVVM dialect that PTX is made of, with the instructions that only
a GPU has as calls of gpu/emulator.cpp.
"""

import functools
import pathlib
import re
import subprocess

import harness
import numpy as np

EMULATOR = pathlib.Path(__file__).parent / "gpu" / "emulator.cpp"


@functools.cache
def _from_cache(name: str) -> str:
    """A variable of the build."""
    text = (harness.BUILD / "CMakeCache.txt").read_text()
    return re.search(rf"^{name}:\w+=(.*)$", text, re.M)[1]


def _compiler() -> list[str]:
    return [_from_cache("CMAKE_CXX_COMPILER"), "-O1", "-fno-pie", "-w"]


def _run(*command) -> str:
    result = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, timeout=120
    )
    if result.returncode:
        raise harness.ToolError(f"{command[0]} ended with {result.returncode}: {result.stderr}")
    return result.stdout


def _top_level(text: str, start: str) -> str:
    """The operation of the module that begins with `start`, or nothing."""
    match = re.search(rf"^  {re.escape(start)}.*?^  \}}\n", text, re.M | re.S)
    return match[0] if match else ""


def _translate(mlir: str, folder: pathlib.Path, name: str) -> str:
    """LLVM IR of a module in the LLVM dialect."""
    (folder / f"{name}.mlir").write_text(mlir)
    tool = pathlib.Path(_from_cache("MLIR_DIR")).parents[2] / "bin" / "mlir-translate"
    return _run(tool, "--mlir-to-llvmir", folder / f"{name}.mlir")


def _kernels(gpu: pathlib.Path, folder: pathlib.Path, mutate) -> str:
    """LLVM IR of the kernels, what only a GPU has renamed."""
    text = _run(harness.BUILD / "bin" / "fx-opt", gpu, "--fx-gpu-nvvm")
    kernels = _top_level(text, "gpu.module @kernels")
    kernels = re.sub(r"^  gpu.module @kernels.*\{$", "module {", kernels, flags=re.M)
    ir = _translate(mutate(kernels), folder, "kernels")
    ir = ir.replace("@llvm.nvvm.", "@emu.nvvm.").replace("define ptx_kernel", "define")
    return re.sub(r"^(.*@emu\..*?)( #\d+)$", r"\1", ir, flags=re.M)


def _host(gpu: pathlib.Path, folder: pathlib.Path) -> str:
    """LLVM IR of the host code."""
    text = _run(harness.BUILD / "bin" / "fx-opt", gpu, "--fx-gpu-launch-to-runtime")
    text = text.replace(_top_level(text, "gpu.module @kernels"), "")
    text = re.sub(r"^  fx\.state .*\n", "", text, flags=re.M)
    text = re.sub(r"^module attributes .*\{$", "module {", text, flags=re.M)
    # What is known of the model, which LLVM's tools do not.
    text = re.sub(r"^(  func\.func @main.*) attributes \{.*$",
                  r"\1 attributes {llvm.emit_c_interface} {", text, flags=re.M)
    text = re.sub(r" \{fx\.[^{}]*\}", "", text)
    (folder / "host.gpu.mlir").write_text(text)
    lowered = _run(harness.BUILD / "bin" / "fx-opt", folder / "host.gpu.mlir",
                   "--fx-cpu-lower-pipeline")
    return _translate(lowered, folder, "host")


def _tables(kernels: str, host: str) -> str:
    """C++ that calls kernels by number and @main with an array of arguments."""
    types = {"i64": "long", "i32": "int", "i8": "char", "float": "float", "double": "double"}
    names = re.findall(r"^define void @(\w+)\((.*)\) [#{]", kernels, re.M)
    declared, cases = [], []
    for number, (name, params) in enumerate(names):
        kinds = [types.get(p.split()[0], "void *") for p in params.split(", ") if p]
        args = ", ".join(f"*({kind} *)a[{i}]" for i, kind in enumerate(kinds))
        declared.append(f"void {name}({', '.join(kinds)});")
        cases.append(f"case {number}: return {name}({args});")
    main = re.search(r"^define void @_mlir_ciface_main\((.*)\) [#{]", host, re.M)[1]
    count = len([p for p in main.split(", ") if p])
    has_results = not re.search(r"^define void @main\(", host, re.M)
    args = (["r"] if has_results else []) + [f"a[{i}]" for i in range(count - has_results)]
    return f"""extern "C" {{
{chr(10).join(declared)}
void _mlir_ciface_main({", ".join(["void *"] * count)});
void emu_kernel(long number, void **a) {{ switch (number) {{ {" ".join(cases)} }} }}
void emu_main(void *r, void **a) {{ _mlir_ciface_main({", ".join(args)}); }}
}}
"""


def _element(text: str) -> np.dtype:
    return np.dtype({"f32": "f4", "f64": "f8", "i64": "i8", "i32": "i4", "i8": "i1", "i1": "?",
                     "f16": "f2"}[text])


class Model:
    """A model compiled for the emulator."""

    def __init__(self, model: pathlib.Path, folder: pathlib.Path, mutate=lambda kernels: kernels):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, gpu = folder, folder / "model.gpu.mlir"
        _run(harness.BUILD / "bin" / "fx-compile", "--target=cuda", model, "--emit=gpu", "-o", gpu)
        main = re.search(r"func\.func @main\((.*)$", gpu.read_text(), re.M)[1]
        args, results = main.split(" -> ", 1) if " -> " in main else (main, "")
        #: What each argument is: the name of a state, or None for the next input.
        self.states = [m[1] or m[2] for m in
                       (re.search(r'fx\.state = @(?:"([^"]*)"|([\w.$]+))', a) or [None] * 3
                        for a in args.split("%arg")[1:])]
        results = results.split(" attributes ")[0]
        self.results = [(_element(t.split("x")[-1]), t.count("x"))
                        for t in re.findall(r"memref<([\w?]+)", results)]
        kernels, host = _kernels(gpu, folder, mutate), _host(gpu, folder)
        (folder / "kernels.ll").write_text(kernels)
        (folder / "host.ll").write_text(host)
        (folder / "tables.cpp").write_text(_tables(kernels, host))
        _run(*_compiler(), "-no-pie", folder / "kernels.ll", folder / "host.ll",
             folder / "tables.cpp", _emulator(), "-o", folder / "model")

    def run(self, inputs, state, seed: int = 0) -> list[np.ndarray]:
        """The outputs for `inputs` (arrays) and `state`, a state_dict of arrays."""
        inputs = iter(inputs)
        words = [np.int64(len(self.states)).tobytes()]
        for name in self.states:
            value = np.ascontiguousarray(state[name] if name else next(inputs))
            head = np.array([value.ndim, value.itemsize, *value.shape], np.int64)
            data = value.tobytes()
            words += [head.tobytes(), data, bytes(-len(data) % 8)]
        words.append(np.int64(len(self.results)).tobytes())
        for dtype, rank in self.results:
            words.append(np.array([rank, dtype.itemsize], np.int64).tobytes())
        (self.folder / "call").write_bytes(b"".join(words))
        _run(self.folder / "model", self.folder / "call", self.folder / "results", seed)
        data, outputs = (self.folder / "results").read_bytes(), []
        for dtype, rank in self.results:
            shape = np.frombuffer(data[: 8 * rank], np.int64)
            count = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
            outputs.append(np.frombuffer(data[8 * rank : 8 * rank + count], dtype).reshape(shape))
            data = data[8 * rank + count :]
        return outputs


@functools.cache
def _emulator() -> pathlib.Path:
    """The emulator as an object file."""
    import tempfile

    path = pathlib.Path(tempfile.mkdtemp(prefix="fx-emulator")) / "emulator.o"
    _run(*_compiler(), "-std=c++20", "-c", EMULATOR, "-o", path)
    return path
