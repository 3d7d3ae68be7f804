"""The emulator itself: correct kernels run, and each planted fault is reported."""

import concurrent.futures
import dataclasses
import json
import pathlib
import re
import subprocess
import sys

import emulate
import numpy as np
from emulator_faults import FAULTS
from emulator_kernels import (ACROSS, AMD, AMD_HEADER, CORRECT, FRESH, HEADER, LANES, LEFT, PART, PERMUTED,
                              PIXELS, PRODUCTS, SHARED, SHUFFLE, Kernel, define, pattern,
                              two_products)

#: Runs a kernel through CUDA's driver interface. Its buffer has the given data.
RUN = r'''
import array, ctypes, json, sys
driver, spec = ctypes.CDLL(sys.argv[1]), json.loads(sys.argv[2])
u64, u32, pointer = ctypes.c_uint64, ctypes.c_uint32, ctypes.c_void_p

def call(name, *args):
    error = getattr(driver, name)(*args)
    if error:
        sys.exit(f"{name}: error {error}")

def row(kind, values):
    return (kind * max(len(values), 1))(*values)

call("cuInit", 0)
context, module, function, data = pointer(), pointer(), pointer(), u64()
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
call("cuCtxPushCurrent_v2", context)
params = [f".param .u64 .ptr p{i}" for i in range(1 + spec["same"])] + [f".param .align 64 .b8 m{i}[128]" for i in range(len(spec["maps"]))]
ptx = f".target sm_90\n.entry {spec['name']}({', '.join(params)})\n{{"
call("cuModuleLoadDataEx", ctypes.byref(module), ptx.encode(), 0, None, None)
call("cuModuleGetFunction", ctypes.byref(function), module, spec["name"].encode())
size = spec["bytes"]
call("cuMemAlloc_v2", ctypes.byref(data), u64(size))
if spec["is_filled"]:
    numbers = bytes.fromhex(spec["data"]) or array.array(
        "H", (i % 509 + 0x3f80 for i in range(size // 2 + 1))).tobytes()
    call("cuMemcpyHtoDAsync_v2", data, numbers, u64(size), None)
args, maps = [pointer(ctypes.addressof(data))] * (1 + spec["same"]), ctypes.create_string_buffer(64 + 128 * 5)
for i, m in enumerate(spec["maps"]):
    at = (ctypes.addressof(maps) + 63) // 64 * 64 + 128 * i
    args.append(pointer(at))
    corners = [row(ctypes.c_int, m[key]) for key in ("lower", "upper") if key in m]
    call("cuTensorMapEncodeIm2col" if corners else "cuTensorMapEncodeTiled", pointer(at), m["type"],
         len(m["sizes"]), u64(data.value + m.get("offset", 0)), row(u64, m["sizes"]),
         row(u64, m["strides"]), *corners, *(m["box"] if corners else [row(u32, m["box"])]),
         row(u32, m.get("steps", [1] * len(m["sizes"]))),
         m.get("interleave", 0), m.get("swizzle", 0), m.get("promotion", 0), m.get("fill", 0))
if spec["is_freed"]:
    call("cuMemFreeAsync", data, None)
call("cuFuncSetAttribute", function, 8, max(spec["shared"], 1))
call("cuLaunchKernel", function, spec["grid"], 1, 1, spec["threads"], 1, 1, spec["shared"], None,
     row(pointer, args), None)
result = ctypes.create_string_buffer(size)
if not spec["is_freed"]:
    call("cuMemcpyDtoHAsync_v2", result, data, u64(size), None)
call("cuStreamSynchronize", None)
sys.stdout.write(result.raw[:size].hex())
'''


def build(kernels: dict[str, Kernel], folder):
    """Builds a library of all kernels. Returns it and the name of each kernel in it."""
    names = {name: re.sub(r"\W", "_", name) for name in kernels}
    text = SHARED + HEADER + AMD_HEADER + "\n".join(
        define(names[name], kernel) for name, kernel in kernels.items())
    return emulate.build_ir(text, folder), names


def run(library, name: str, kernel: Kernel, *, is_filled=True, seed=0, **env):
    """Returns the finished process that ran the kernel."""
    spec = {"name": name, "is_filled": is_filled, **{
        key: getattr(kernel, key) for key in
        ("threads", "bytes", "shared", "grid", "maps", "is_freed", "same", "data")}}
    return subprocess.run(
        [sys.executable, "-S", "-c", RUN, emulate.DRIVER, json.dumps(spec)], text=True,
        capture_output=True, timeout=100, env={**emulate.driver(library, seed=seed), **env})


def result(library, name: str, kernel: Kernel, **options) -> bytes:
    got = run(library, name, kernel, **options)
    assert got.returncode == 0 and not got.stderr, got.stderr
    return bytes.fromhex(got.stdout)


def test_right_kernels(tmp_path):
    library, names = build(CORRECT, tmp_path)
    for name, kernel in CORRECT.items():
        results = {result(library, names[name], kernel, seed=seed) for seed in range(3)}
        assert len(results) == 1, name


def test_right_kernels_are_ptx():
    """llc compiles them to PTX, and those for AMD GPUs to machine code in text."""
    llc = pathlib.Path(emulate._from_cache("MLIR_DIR")).parents[2] / "bin" / "llc"

    def compile_all(kernels, triple, header, *flags):
        text = f'target triple = "{triple}"\n' + SHARED + header + "\n".join(
            define(re.sub(r"\W", "_", name), kernel) for name, kernel in kernels.items())
        return subprocess.run([llc, *flags], input=text, text=True, capture_output=True,
                              check=True, timeout=100).stdout

    others = {name: kernel for name, kernel in CORRECT.items() if name not in AMD}
    ptx = compile_all(others, "nvptx64-nvidia-cuda", HEADER, "-mcpu=sm_90a", "-mattr=+ptx80")
    assert ptx.count(".entry") == len(others)
    gcn = compile_all(AMD, "amdgcn-amd-amdhsa", AMD_HEADER, "-mcpu=gfx942")
    assert gcn.count(".amdhsa_kernel ") == len(AMD)
    assert gcn.count("v_mfma_") == 2 * len(PRODUCTS)


def test_faults(tmp_path):
    """The emulator reports the rule, the instruction that breaks it and its location, under any
    order of threads."""
    library, names = build(FAULTS, tmp_path)

    def is_named(name, seed):
        kernel = FAULTS[name]
        got = run(library, names[name], kernel, seed=seed)
        block = kernel.block if kernel.cluster == 1 else "[01]"
        says = rf"emulator: (?:{kernel.says}).*; kernel {names[name]}, block \({block}, 0, 0\)"
        says += r".*, thread \d+, at '" + re.escape(kernel.at) if kernel.at else ""
        ends = f"error {kernel.error}\n" if kernel.error else ""
        if (re.match(says, got.stderr) and got.stderr.endswith(ends)
                and got.returncode == (1 if kernel.error else 2)):
            return None
        return f"{name}: {got.stderr or 'nothing'} ended with {got.returncode}"

    runs = [(name, seed) for name in FAULTS for seed in range(2)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        wrong = [text for text in pool.map(is_named, *zip(*runs)) if text]
    assert not wrong, "\n".join(wrong)


def test_without_races(tmp_path):
    """The check for races is the only one that can be disabled."""
    kernels = {name: FAULTS[name] for name in ("race", "race of warps")}
    library, names = build(kernels, tmp_path)
    for name, kernel in kernels.items():
        result(library, names[name], kernel, FX_EMULATOR_RACES="0")


def test_memory_without_data(tmp_path):
    """Uninitialized shared memory and allocated memory contain NaNs."""
    library, names = build({"fresh": FRESH, "shuffle": SHUFFLE}, tmp_path)
    assert result(library, names["fresh"], FRESH) == b"\xff" * 2048
    got = result(library, names["shuffle"], SHUFFLE, is_filled=False)
    numbers = np.frombuffer(got, np.float32).reshape(64, 4)
    assert np.isnan(numbers[:, 1:]).all() and not np.isnan(numbers[:, 0]).any()
    for dtype in (np.float16, np.float64):
        assert np.isnan(np.frombuffer(got, dtype)[-1])


def test_parameters(tmp_path):
    """The parameters of a kernel's code and of its image are the same."""
    kernel = dataclasses.replace(SHUFFLE, signature="i64 %n, ptr addrspace(1) %p", same=1)
    library, names = build({"other": kernel}, tmp_path)
    got = run(library, names["other"], kernel)
    assert got.returncode == 2 and "kernel other has other parameters than its code" in got.stderr


def test_shared_memory_of_amd(tmp_path):
    """A block on an AMD GPU has at most 64 KiB."""
    library, names = build({"lanes": LANES}, tmp_path)
    assert result(library, names["lanes"], dataclasses.replace(LANES, shared=1 << 16))
    got = run(library, names["lanes"], dataclasses.replace(LANES, shared=65552))
    assert got.returncode == 2
    assert got.stderr.startswith(
        "emulator: kernel lanes needs 65552 bytes of shared memory, 65536 at most"), got.stderr


def test_waves(tmp_path):
    """Waves have 64 threads, of which 32 shuffle, or both halves with each other."""
    library, names = build({"lanes": LANES, "across": ACROSS, "part": PART}, tmp_path)
    threads = np.arange(128)
    for name, kernel, distance in [("lanes", LANES, 9), ("across", ACROSS, 32)]:
        got = np.frombuffer(result(library, names[name], kernel), np.int32).reshape(128, 4)
        np.testing.assert_array_equal(got[:, 0], threads % 64)
        np.testing.assert_array_equal(got[:, 1], threads ^ distance)
    got = np.frombuffer(result(library, names["part"], PART), np.int32).reshape(96, 4)
    np.testing.assert_array_equal(got[:, 0], 95 - np.arange(96))


def place_operand(rows, count):
    """Returns the parts of threads of an operand of a matrix core's instruction, [row or column,
    k], as AMD's Matrix Instruction Calculator documents them."""
    parts = np.zeros((64, 8), np.uint8)
    size, depth = rows.shape
    for i, k in np.ndindex(size, depth):
        element = rows[i, k : k + 1].view(np.uint8)
        at = k % count * len(element)
        parts[size * (k // count) + i, at : at + len(element)] = element
    return parts


def place_sums(size):
    """Returns the thread and the register of each sum."""
    i, j = np.indices((size, size))
    if size == 32:
        return 32 * (i // 4) % 64 + j, 4 * (i // 8) + i % 4
    return 16 * (i // 4) + j, i % 4


def test_products_of_matrices(tmp_path):
    """The instructions of AMD's matrix cores, by comparison with NumPy."""
    kernels = {name: two_products(name) for name in PRODUCTS}
    library, names = build(kernels, tmp_path)
    rng = np.random.default_rng(5)

    def draw(operand, shape):
        """Returns numbers of the type, and the same as elements of an operand."""
        if operand == "i64":
            numbers = rng.integers(-128, 128, shape).astype(np.int8)
            return numbers.astype(np.int32), numbers
        numbers = rng.standard_normal(shape).astype(np.float32)
        if operand == "<4 x half>":
            return numbers.astype(np.float16).astype(np.float32), numbers.astype(np.float16)
        if operand == "<4 x i16>":
            bits = (numbers.view(np.uint32) >> 16).astype(np.uint16)
            return (bits.astype(np.uint32) << 16).view(np.float32), bits
        return numbers, numbers

    for name, kernel in kernels.items():
        size, depth, operand, kind = PRODUCTS[name]
        dtype = np.int32 if "i32" in kind else np.float32
        threads, registers = place_sums(size)
        records = np.zeros((2, 64, kernel.bytes // 128), np.uint8)
        wants = []
        for wave in records:
            want = rng.integers(-9, 9, (size, size)).astype(dtype)
            sums = np.zeros((64, size * size // 64), dtype)
            sums[threads, registers] = want
            wave[:, 32:] = sums.view(np.uint8)
            for part in range(2):
                (x, xs), (y, ys) = (draw(operand, (size, depth)) for _ in range(2))
                for i, elements in enumerate((xs, ys)):
                    wave[:, 16 * part + 8 * i :][:, :8] = place_operand(
                        elements, depth * size // 64)
                for k in range(depth):
                    # Each product is added with one rounding.
                    exact = np.outer(x[:, k].astype(np.float64), y[:, k].astype(np.float64))
                    want = (want + exact).astype(dtype)
            wants.append(want)
        filled = dataclasses.replace(kernel, data=records.tobytes().hex())
        got = np.frombuffer(result(library, names[name], filled), np.uint8).reshape(records.shape)
        for wave, want in zip(got, wants):
            sums = np.ascontiguousarray(wave[:, 32:]).view(dtype)
            np.testing.assert_array_equal(sums[threads, registers], want, err_msg=name)


def test_permuted_heads(tmp_path):
    library, names = build({"permuted": PERMUTED}, tmp_path)
    got = np.frombuffer(result(library, names["permuted"], PERMUTED), np.uint16)
    z, y, x = np.ogrid[1:3, 2:6, 0:8]
    want = np.where(y < 5, (z * 80 + y * 48 + x * 2) // 2 + 0x3F80, 0)
    np.testing.assert_array_equal(got[256 : 256 + 64].reshape(2, 4, 8), want)


def test_pixels(tmp_path):
    """Pixels at even columns of the window's base, over the ends of lines and images. Behind the
    last image are zeros."""
    library, names = build({"pixels": PIXELS}, tmp_path)
    got = np.frombuffer(result(library, names["pixels"], PIXELS), np.uint16)
    at = [(1, 3, 2), (1, 3, 4), *((2, y, x) for y in (2, 3) for x in (0, 2, 4))]
    want = np.zeros((16, 8), np.uint16)
    want[:8] = [[n * 160 + y * 40 + x * 8 + c + 0x3F80 for c in range(8)] for n, y, x in at]
    np.testing.assert_array_equal(got[256 : 256 + 128].reshape(16, 8), want)


#: Arguments that cuTensorMapEncodeTiled rejects, with the message.
FIELDS = [
    ({"type": 13}, "expected a known type, got 13"),
    ({"sizes": [], "box": []}, "expected 1 to 5 dimensions, got 0"),
    ({"sizes": [8] * 6, "strides": [16] * 5, "box": [8] * 6}, "expected 1 to 5 dimensions, got 6"),
    ({"interleave": 1}, "expected 3 to 5 interleaved dimensions, got 2"),
    ({"swizzle": 4}, "expected a known swizzle, got 4"),
    ({"promotion": 4}, "expected a known promotion, got 4"),
    ({"type": 2, "fill": 1}, "expected zeros, or NaN of floating-point elements, outside, got 1"),
    ({"offset": 8}, "expected an address aligned to 16, got"),
    ({"sizes": [64, 64, 2], "strides": [128, 8192], "box": [8, 8, 1], "interleave": 2,
      "swizzle": 1, "offset": 16}, "expected an address aligned to 32, got"),
    ({"sizes": [64, 64, 2], "strides": [144, 8192], "box": [8, 8, 1], "interleave": 2,
      "swizzle": 1}, "expected a stride of dimension 1 that is a multiple of 32, got 144"),
    ({"sizes": [64, 0]}, "expected a size of dimension 1 from 1 to 2^32, got 0"),
    ({"sizes": [2**32 + 1, 64]}, "expected a size of dimension 0 from 1 to 2^32, got 4294967297"),
    ({"strides": [136]}, "expected a stride of dimension 1 that is a multiple of 16, got 136"),
    ({"strides": [2**40]}, "expected a stride of dimension 1 below 2^40, got 1099511627776"),
    ({"box": [64, 257]}, "expected a box of 1 to 256 in dimension 1, got 257"),
    ({"box": [64, 0]}, "expected a box of 1 to 256 in dimension 1, got 0"),
    ({"box": [60, 64]}, "expected a box whose rows are a multiple of 16 bytes, got 120"),
    ({"box": [72, 64]}, "expected rows of a box of at most 128 bytes, got 144"),
    ({"swizzle": 2}, "expected rows of a box of at most 64 bytes, got 128"),
    ({"swizzle": 1}, "expected rows of a box of at most 32 bytes, got 128"),
    ({"steps": [1, 9]}, "expected a step of 1 to 8 elements in dimension 1, got 9"),
]
#: The same of cuTensorMapEncodeIm2col.
IMAGE_FIELDS = [
    ({"sizes": [8, 5], "strides": [16]}, "expected 3 to 5 dimensions of images, got 2"),
    ({"box": [264, 8]}, "expected 1 to 256 channels of a pixel, got 264"),
    ({"box": [8, 1025]}, "expected 1 to 1024 pixels, got 1025"),
    ({"lower": [-129, 0]}, "expected a corner of what fits in dimension 0, got -129"),
    ({"upper": [-1, 128]}, "expected a corner of what fits in dimension 1, got 128"),
    ({"upper": [-6, -2]}, "expected a bounding box that is not empty in dimension 0, got -6"),
    ({"steps": [1, 2, 9, 1]}, "expected a step of 1 to 8 elements in dimension 2, got 9"),
]


def test_fields_of_tensor_maps(tmp_path):
    kernel = dataclasses.replace(SHUFFLE, bytes=64 * 1024, maps=(LEFT,))
    library, names = build({"map": kernel}, tmp_path)
    assert result(library, names["map"], kernel)

    def check(made, fields, says):
        got = run(library, names["map"], dataclasses.replace(kernel, maps=(made | fields,)))
        assert got.stderr.startswith(f"emulator: tensor map: {says}"), (fields, got.stderr)
        name = "Im2col" if "lower" in made else "Tiled"
        assert got.stderr.endswith(f"cuTensorMapEncode{name}: error 1\n")

    rows = [*((LEFT, *row) for row in FIELDS), *((*PIXELS.maps, *row) for row in IMAGE_FIELDS)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(check, *zip(*rows)))


#: By bytes between threads and floats per thread: wavefronts of shared memory, how many of these
#: are conflicts, and sectors of global memory.
PATTERNS = {(4, 1): (1, 0, 4), (0, 1): (1, 0, 1), (8, 1): (2, 1, 8), (12, 1): (1, 0, 12),
            (128, 1): (32, 31, 32), (132, 1): (1, 0, 32), (8, 2): (2, 0, 8), (16, 2): (4, 2, 16),
            (16, 4): (4, 0, 16), (128, 4): (32, 28, 32), (144, 4): (4, 0, 32)}


def test_statistics(tmp_path):
    kernels = {f"stride {a} width {b}": pattern(a, b) for a, b in PATTERNS}
    library, names = build(kernels, tmp_path)
    for (name, kernel), (waves, extra, sectors) in zip(kernels.items(), PATTERNS.values()):
        result(library, names[name], kernel, FX_EMULATOR_STATS=str(tmp_path / "stats"))
        (row,) = map(json.loads, (tmp_path / "stats").read_text().splitlines())
        assert row["kernel"] == names[name] and row["shared_requests"] == 1, row
        got = row["shared_wavefronts"], row["extra_wavefronts"]
        assert got == (waves, extra), (name, row)
        assert row["global_requests"] == 1 and row["global_sectors"] == sectors, (name, row)
