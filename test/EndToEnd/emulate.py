"""Runs code that is compiled for a GPU on the CPU.

fx-run runs an artefact of `fx-compile --target=cuda` with libFakeCuda.so (test/Cuda) as the NVIDIA
driver. That driver executes kernels: they are compiled for this CPU from the same NVVM dialect that
PTX is generated from. Instructions that only a GPU has become calls of the library. The same goes
for `--target=rocm`, libFakeHip.so and the ROCDL dialect.
"""

import functools
import json
import os
import pathlib
import re
import subprocess
import sys
from unittest import mock

import harness
import instrument

DRIVER = harness.BUILD / "test" / "Cuda" / "libFakeCuda.so"


@functools.cache
def _from_cache(name: str) -> str:
    """Returns a CMake variable of the build."""
    text = (harness.BUILD / "CMakeCache.txt").read_text()
    return re.search(rf"^{name}:\w+=(.*)$", text, re.M)[1]


def run_program(*command, env=None) -> str:
    env = {**os.environ, **(env or {})}
    if command[0] == sys.executable and "FX_SANITIZER_RUNTIME" in env:
        env["LD_PRELOAD"] = env["FX_SANITIZER_RUNTIME"]
    result = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, timeout=120, env=env
    )
    if result.returncode:
        raise harness.ToolError(f"{command[0]} ended with {result.returncode}: {result.stderr}")
    return result.stdout


def _top_level(text: str, start: str) -> str:
    """Returns the top-level operation of the module that begins with `start`, or an empty
    string."""
    match = re.search(rf"^  {re.escape(start)}.*?^  \}}\n", text, re.M | re.S)
    return match[0] if match else ""


def _translate(mlir: str, folder: pathlib.Path) -> str:
    """Returns the LLVM IR of a module in the LLVM dialect."""
    (folder / "kernels.mlir").write_text(mlir)
    tool = pathlib.Path(_from_cache("MLIR_DIR")).parents[2] / "bin" / "mlir-translate"
    return run_program(tool, "--mlir-to-llvmir", folder / "kernels.mlir")


def _define_structs(ir: str) -> str:
    """Defines wrappers for library functions that return a struct: C++ returns a struct differently
    from LLVM IR, so the library functions store it. Pairs of halves are passed as integers."""
    def define(match):
        struct, name, params = match[1], match[2], [p for p in match[3].split(", ") if p]
        lines, args = [f"  %r = alloca {struct}"], ["ptr %r"]
        for i, kind in enumerate(params):
            kind = kind.split(" range")[0]
            if kind == "<2 x half>":
                lines.append(f"  %c{i} = bitcast <2 x half> %a{i} to i32")
            args.append(f"i32 %c{i}" if kind == "<2 x half>" else f"{kind} %a{i}")
        declared = ", ".join(a.rsplit(" ", 1)[0] for a in args)
        named = ", ".join(f"{p} %a{i}" for i, p in enumerate(params))
        return "\n".join([
            f'declare void @"{name}.to"({declared})',
            f'define internal {struct} @"{name}"({named}) {{', *lines,
            f'  call void @"{name}.to"({", ".join(args)})', f"  %v = load {struct}, ptr %r",
            f"  ret {struct} %v", "}"])

    return re.sub(r"^declare (\{.*?\}) @(emu\.[\w.]+)\((.*)\).*$", define, ir, flags=re.M)


def _define_products(ir: str) -> str:
    """Defines wrappers for library functions that stand for instructions of AMD's matrix cores:
    C++ may pass a vector differently from LLVM IR. The sums are in memory, vectors of 16-bit
    elements are integers."""
    def define(match):
        sums, name, (x, y, *_) = match[1], match[2], instrument.split(match[3])
        kinds = [f"i{8 * instrument.type_bytes(k)}" if k[0] == "<" else k for k in (x, y)]
        modifiers = "i32 %m0, i32 %m1, i32 %m2"
        return "\n".join([
            f"declare void @{name}.to(ptr, {kinds[0]}, {kinds[1]}, i32, i32, i32)",
            f"define internal {sums} @{name}({x} %x, {y} %y, {sums} %sums, {modifiers}) {{",
            f"  %r = alloca {sums}, align 16", f"  store {sums} %sums, ptr %r, align 16",
            f"  %xs = bitcast {x} %x to {kinds[0]}", f"  %ys = bitcast {y} %y to {kinds[1]}",
            f"  call void @{name}.to(ptr %r, {kinds[0]} %xs, {kinds[1]} %ys, {modifiers})",
            f"  %v = load {sums}, ptr %r, align 16", f"  ret {sums} %v", "}"])

    return re.sub(r"^declare (<[^>]*>) @(emu\.amdgcn\.mfma\.[\w.]+)\((.*)\).*$", define, ir,
                  flags=re.M)


def _replace_assembly(ir: str) -> str:
    """Replaces inline assembly, which is used for instructions without LLVM intrinsics, by calls of
    the library. The accumulators of wgmma are values in the IR, but the library takes them in
    memory. A wait that gives them back only names them."""
    ir = re.sub(r'asm sideeffect "[^"]*mbarrier\.try_wait\.parity[^"]*", "[^"]*"',
                "@emu.mbarrier.wait", ir)
    ir = re.sub(r'asm sideeffect "fence\.proxy\.async[^"]*", "[^"]*"', "@emu.fence.proxy.async",
                ir)
    ir = re.sub(r'asm sideeffect "griddepcontrol\.wait[^"]*", "[^"]*"', "@emu.wait.kernel", ir)
    declared = {"declare void @emu.wait.kernel()",
                "declare void @emu.mbarrier.wait(ptr addrspace(3), i32, i32)",
                "declare void @emu.fence.proxy.async()",
                "declare void @emu.wgmma(ptr, i64, i64, i32, i32, i32, i32, i32)",
                "declare void @emu.wgmma.bytes(ptr, i64, i64, i32, i32)",
                "declare void @emu.wgmma.tf32(ptr, i64, i64, i32, i32)",
                "declare void @emu.wgmma.float8(ptr, i64, i64, i32, i32, i32, i32)",
                "declare void @emu.wgmma.registers(ptr, i32, i32, i32, i32, i64, i32, i32, i32, "
                "i32)",
                "declare void @emu.nvvm.wgmma.wait_group.sync.aligned(i64)"}
    # The module may declare it, too.
    ir = re.sub(r"(?m)^declare void @emu\.nvvm\.wgmma\.wait_group\.sync\.aligned\(.*\n", "", ir)

    def gather(struct, count):
        """Returns the parameters %a0 and so on, and lines that make %v<count - 1> of them."""
        kind = struct.strip("{ ").split(",")[0]
        lines = [f"  %v{i} = insertvalue {struct} {f'%v{i - 1}' if i else 'poison'}, "
                 f"{kind} %a{i}, {i}" for i in range(count)]
        return ", ".join(f"{kind} %a{i}" for i in range(count)), lines

    def define(match):
        struct, columns, kind, constraints = match[1], int(match[2]), match[3], match[4]
        in_registers = ",r,r,r,r," in constraints
        name = f"wgmma.n{columns}.{kind}" + ".registers" * in_registers
        floats, lines = gather(struct, columns // 2)
        left = "i32 %x0, i32 %x1, i32 %x2, i32 %x3" if in_registers else "i64 %x"
        signs = "i32 %xs, i32 %ys" + ", i32 %xt" * (not in_registers) + ", i32 %yt"
        declared.add("\n".join([
            f"define internal {struct} @{name}({floats}, {left}, i64 %y, i32 %keep, {signs}) "
            "alwaysinline {",
            f"  %r = alloca {struct}", *lines, f"  store {struct} %v{columns // 2 - 1}, ptr %r",
            f"  call void @emu.wgmma{'.registers' * in_registers}(ptr %r, {left}, i64 %y, "
            f"i32 {columns}, i32 {int(kind == 'bf16')}, i32 %keep, "
            f"{'' if in_registers else 'i32 %xt, '}i32 %yt)",
            f"  %s = load {struct}, ptr %r", f"  ret {struct} %s", "}"]))
        return f"call {struct} @{name}("

    def define_along_k(match):
        struct, columns, kind = match[1], int(match[2]), "bytes" if match[3] == "u8" else match[3]
        name, signs = f"wgmma.n{columns}.{kind}", ", i32 %xs, i32 %ys" * (kind == "tf32")
        sums, lines = gather(struct, columns // 2)
        declared.add("\n".join([
            f"define internal {struct} @{name}({sums}, i64 %x, i64 %y, i32 %keep{signs}) "
            "alwaysinline {",
            f"  %r = alloca {struct}", *lines, f"  store {struct} %v{columns // 2 - 1}, ptr %r",
            f"  call void @emu.wgmma.{kind}(ptr %r, i64 %x, i64 %y, i32 {columns}, i32 %keep)",
            f"  %s = load {struct}, ptr %r", f"  ret {struct} %s", "}"]))
        return f"call {struct} @{name}("

    def define_float8(match):
        struct, columns, left, right = match[1], int(match[2]), match[3], match[4]
        name = f"wgmma.n{columns}.{left}.{right}"
        sums, lines = gather(struct, columns // 2)
        declared.add("\n".join([
            f"define internal {struct} @{name}({sums}, i64 %x, i64 %y, i32 %keep, i32 %xs, "
            "i32 %ys) alwaysinline {",
            f"  %r = alloca {struct}", *lines, f"  store {struct} %v{columns // 2 - 1}, ptr %r",
            f"  call void @emu.wgmma.float8(ptr %r, i64 %x, i64 %y, i32 {columns}, "
            f"i32 {int(left == 'e5m2')}, i32 {int(right == 'e5m2')}, i32 %keep)",
            f"  %s = load {struct}, ptr %r", f"  ret {struct} %s", "}"]))
        return f"call {struct} @{name}("

    def define_wait(match):
        struct, pending, constraints = match[1], match[2], match[3].split(",")
        count, reads = constraints.count("=f"), [c for c in constraints if c in ("r", "f")]
        name = f"wgmma.wait.{pending}.n{count}." + "".join(reads)
        floats, lines = gather(struct, count)
        others = "".join(f", {'i32' if c == 'r' else 'float'} %o{i}" for i, c in enumerate(reads))
        declared.add("\n".join([
            f"define internal {struct} @{name}({floats}{others}) alwaysinline {{", *lines,
            f"  call void @emu.nvvm.wgmma.wait_group.sync.aligned(i64 {pending})",
            f"  ret {struct} %v{count - 1}", "}"]))
        return f"call {struct} @{name}("

    ir = re.sub(r'call (\{[^}]*\}) asm sideeffect "[^"]*wgmma\.mma_async\.sync\.aligned\.'
                r'm64n(\d+)k16\.f32\.(b?f16)\.[^"]*", "([^"]*)"\(', define, ir)
    ir = re.sub(r'call (\{[^}]*\}) asm sideeffect "[^"]*wgmma\.mma_async\.sync\.aligned\.'
                r'm64n(\d+)k\d+\.[sf]32\.(u8|tf32)\.(?:s8|tf32) [^"]*", "[^"]*"\(',
                define_along_k, ir)
    ir = re.sub(r'call (\{[^}]*\}) asm sideeffect "[^"]*wgmma\.mma_async\.sync\.aligned\.'
                r'm64n(\d+)k32\.f32\.(e4m3|e5m2)\.(e4m3|e5m2) [^"]*", "[^"]*"\(', define_float8, ir)
    ir = re.sub(r'call (\{[^}]*\}) asm sideeffect "wgmma\.wait_group\.sync\.aligned (\d+);", '
                r'"([^"]*)"\(', define_wait, ir)
    assert " asm " not in ir, re.search(".* asm .*", ir)[0][:300]
    return "\n".join([ir, *sorted(declared), ""])


def _kernels(mlir: str, folder: pathlib.Path) -> str:
    """Returns the LLVM IR of the kernels of a module in the NVVM or the ROCDL dialect."""
    kernels = _top_level(mlir, "gpu.module @kernels")
    kernels = re.sub(r"^  gpu.module @kernels.*\{$", "module {", kernels, flags=re.M)
    return _translate(kernels, folder)


#: The dynamic shared memory of a kernel.
SHARED = "ptrtoint (ptr addrspace(3) @__dynamic_shmem__0 to i64)"


def _clusters(ir: str) -> dict[str, int]:
    """Returns the blocks of a cluster of each kernel that has clusters, which are along x."""
    attributes = dict(re.findall(r'^attributes (#\d+) = \{.*"nvvm.cluster_dim"="(\d+)', ir, re.M))
    found = re.findall(r'^define [^\n]*@(\w+)\(.*\) (#\d+|"nvvm.cluster_dim"="\d+).*\{$', ir, re.M)
    return {name: int(attributes.get(key, key.split('"')[-1]))
            for name, key in found if key in attributes or key[0] == '"'}


def _locate_shared(ir: str) -> str:
    """Makes each block of a cluster compute addresses in its own shared memory."""
    parts = re.split(r"(?m)^(?=define )", ir)
    clusters = _clusters(ir)
    for i, part in enumerate(parts):
        if not any(re.match(rf"define [^\n]*@{name}\(", part) for name in clusters):
            continue
        count = 0

        def locate(match):
            nonlocal count
            count += 1
            start, sum_ = f"%emu.start.{count}", f"%emu.sum.{count}"
            return (f"{match[1]}{start} = call i64 @emu.shared.start()\n"
                    f"{match[1]}{sum_} = add i64 {start}, {match[3]}\n"
                    f"{match[1]}{match[2]}{sum_}")

        part = re.sub(rf"^( +)(.*)add \(i64 {re.escape(SHARED)}, i64 (\d+)\)", locate, part,
                      flags=re.M)
        part = part.replace("ptrtoint ptr addrspace(3) @__dynamic_shmem__0 to i64",
                            "call i64 @emu.shared.start()")
        assert "@__dynamic_shmem__0" not in part, re.search(".*__dynamic_shmem__0.*", part)[0]
        parts[i] = part
    return "".join(parts) + "\ndeclare i64 @emu.shared.start()\n" * bool(clusters)


#: An attribute of kernels for AMD GPUs.
WAVE = '"fx.wave"="64"'


def _use_library_math(ir: str) -> str:
    """Returns the IR with the functions of ROCm's device library replaced by those of CUDA's, which
    the emulator has."""
    ir = re.sub(r"@__ocml_(\w+)_f32\b", r"@__nv_\1f", ir)
    return re.sub(r"@__ocml_(\w+)_f64\b", r"@__nv_\1", ir)


def _for_library(ir: str) -> tuple[str, list[str]]:
    """Returns the IR with checks and with its GPU intrinsics renamed, and the instructions that are
    checked."""
    ir = _locate_shared(ir)
    if "define amdgpu_kernel" in ir:
        ir = _use_library_math(instrument.add_fences(ir))
    ir, instructions = instrument.add_checks(instrument.read_registers(ir))
    ir = ir.replace("@llvm.nvvm.", "@emu.nvvm.").replace("define ptx_kernel", "define")
    ir = ir.replace("@llvm.amdgcn.", "@emu.amdgcn.")
    ir = re.sub(r"^define amdgpu_kernel (void .*?\)) (?=[^()]*\{$)", rf"define \1 {WAVE} ", ir,
                flags=re.M)
    # Calls of the library do not have the attributes of the intrinsics.
    ir = re.sub(r"^(.*@emu\.(?!access|argument).*?)( #\d+)$", r"\1", ir, flags=re.M)
    # The library allocates and fills shared memory. Tensor maps are passed by value.
    ir = re.sub(r"^(@__dynamic_shmem__\d+ = external )dso_local ", r"\1", ir, flags=re.M)
    ir = re.sub(r"^(@\w+ =) (?:internal|private) (addrspace\(3\) global)", r"\1 \2", ir, flags=re.M)
    ir = re.sub(r'ptr byval\(\[16 x i64\]\) align 64 "nvvm.grid_constant"', 'ptr "fx.map"', ir)
    ir = _define_structs(re.sub(r"\b(i\d+) immarg\b", r"\1", ir))
    return _replace_assembly(_define_products(ir)), instructions


def _variables(kernels: str) -> dict[str, tuple[int, int]]:
    """Returns the bytes and the alignment of the variables in shared memory."""
    found = re.findall(r"^@(\w+) = addrspace\(3\) global (.*) \w+, align (\d+)$", kernels, re.M)
    return {name: (instrument.type_bytes(kind), int(align)) for name, kind, align in found}


def _table(kernels: str, instructions: list[str]) -> str:
    """Returns C++ code with the table of kernels that test/Cuda/Emulator.h describes."""
    types = {"i64": "long", "i32": "int", "i16": "short", "i8": "char", "float": "float",
             "double": "double", "half": "_Float16", "bfloat": "__bf16"}
    variables, clusters = _variables(kernels), _clusters(kernels)
    declared = [f'extern "C" char {name}[];' for name in variables]
    calls, rows = [], []
    for name, params, body in re.findall(
            r"^define void @(\w+)\(([^\n]*)\) ([#{\"].*?)^\}", kernels, re.M | re.S):
        kinds = ["Map *" if '"fx.map"' in p else types.get(p.split()[0], "void *")
                 for p in params.split(", ") if p]
        args = ", ".join(f"(Map *)a[{i}]" if kind == "Map *" else f"*({kind} *)a[{i}]"
                         for i, kind in enumerate(kinds))
        declared.append(f'extern "C" void {name}({", ".join(kinds)});')
        calls.append(f"static void call_{name}(void **a) {{ {name}({args}); }}")
        used = "".join(f"{{{v}, {size}, {align}}}, " for v, (size, align) in variables.items()
                       if re.search(rf"@{v}\b", body))
        calls.append(f"static const Variable variables_{name}[] = {{{used}{{nullptr, 0, 0}}}};")
        letters = "".join({"Map *": "m", "void *": "p"}.get(kind, "v") for kind in kinds)
        rows.append(f'{{"{name}", "{letters}", call_{name}, variables_{name}, instructions, '
                    f'{clusters.get(name, 1)}, {64 if body.startswith(WAVE) else 32}, '
                    f'{str("@emu.wait.kernel(" in body).lower()}}},')
    return "\n".join([
        "struct Map;", "struct Variable { char *data; unsigned bytes, alignment; };",
        "struct Kernel { const char *name, *params; void (*call)(void **); "
        "const Variable *variables; const char *const *instructions; "
        "unsigned cluster, wave; bool waits; };",
        *declared, "static const char *const instructions[] = {",
        *(f"{json.dumps(text)}," for text in instructions), "};", *calls,
        'extern "C" const Kernel fx_emulated_kernels[] = {', *rows,
        "{nullptr, nullptr, nullptr, nullptr, nullptr, 0, 0, false}};", ""])


def compile_kernels(model: pathlib.Path, folder: pathlib.Path, mutate=lambda kernels: kernels,
                    target: str = "cuda", flags=()):
    """Builds a library with the kernels of `model` for this CPU."""
    folder.mkdir(parents=True, exist_ok=True)
    dialect = "rocdl" if target.startswith("rocm") else "nvvm"
    output = folder / f"{dialect}.mlir"
    run_program(harness.BUILD / "bin" / "fx-compile", f"--target={target}", *flags, model,
                f"--emit={dialect}", "-o", output)
    return build_kernels(mutate(output.read_text()), folder)


def build_kernels(mlir: str, folder: pathlib.Path):
    """Builds a library with the kernels of a module in the NVVM or the ROCDL dialect."""
    folder.mkdir(parents=True, exist_ok=True)
    return build_ir(_kernels(mlir, folder), folder)


def build_ir(ir: str, folder: pathlib.Path):
    """Builds a library with kernels in LLVM IR."""
    folder.mkdir(parents=True, exist_ok=True)
    kernels, instructions = _for_library(ir)
    (folder / "kernels.ll").write_text(kernels)
    (folder / "table.cpp").write_text(_table(kernels, instructions))
    run_program(_from_cache("CMAKE_CXX_COMPILER"), "-O1", "-fPIC", "-w", "-shared", "-fuse-ld=lld",
         folder / "kernels.ll", folder / "table.cpp", DRIVER, "-o", folder / "kernels.so")
    return folder / "kernels.so"


def driver(kernels: pathlib.Path | None = None, **variables) -> dict[str, str]:
    """Returns the environment of a process with an emulated GPU, with variables of
    test/Cuda/Driver.cpp."""
    env = {"FX_LIBCUDA": str(DRIVER)}
    if kernels:
        env["FX_FAKE_CUDA_KERNELS"] = str(kernels)
    return env | {f"FX_FAKE_CUDA_{name.upper()}": str(v) for name, v in variables.items()}


def read_log(path: pathlib.Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


class Model:
    """A model compiled for an emulated GPU."""

    def __init__(self, model: pathlib.Path, folder: pathlib.Path, mutate=lambda kernels: kernels,
                 target: str = "cuda", flags=()):
        self.folder, self.artefact = folder, folder / "model.so"
        self.kernels = compile_kernels(model, folder, mutate, target, flags)
        run_program(harness.BUILD / "bin" / "fx-compile", f"--target={target}", *flags, model,
                    "-o", self.artefact)

    def run(self, args: tuple, expected, seed: int = 0, kwargs: dict | None = None,
            **variables) -> list:
        """Returns the output leaves of fx-run, with the types of the leaves of `expected`."""
        with mock.patch.dict(os.environ, driver(self.kernels, seed=seed, **variables)):
            return harness.run(self.artefact, (args, kwargs or {}), self.folder, expected,
                               "--device", "cuda:0")
