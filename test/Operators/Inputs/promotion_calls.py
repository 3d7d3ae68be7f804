"""Writes additions of all pairs of dtypes, ranks and Python numbers, with the
result types of torch.result_type; `!fx.any` where torch refuses the pair."""

import itertools

import torch

DTYPES = {
    torch.bool: "i1", torch.uint8: "ui8", torch.int8: "i8", torch.int16: "i16",
    torch.int32: "i32", torch.int64: "i64", torch.uint16: "ui16", torch.uint32: "ui32",
    torch.uint64: "ui64", torch.float16: "f16", torch.bfloat16: "bf16",
    torch.float32: "f32", torch.float64: "f64", torch.complex32: "complex<f16>",
    torch.complex64: "complex<f32>", torch.complex128: "complex<f64>",
    torch.float8_e4m3fn: "f8E4M3FN", torch.float8_e5m2: "f8E5M2",
}  # fmt: skip
NUMBERS = {"true": True, "3": 3, "1.5": 1.5}
count = 0


def emit(types, text, values):
    global count
    count += 1
    try:
        rank = max(v.dim() for v in values if isinstance(v, torch.Tensor))
        dtype = torch.result_type(*values)
        result = f"!fx.tensor<[{'4' if rank else ''}], {DTYPES[dtype]}>"
    except RuntimeError:
        result = "!fx.any"
    print(f"fx.graph @g{count} {{")
    for i, t in enumerate(types):
        print(f'  %a{i} = placeholder "a{i}" : {t}')
    print(f"  %r = call_function @aten.add.Tensor({text}) : ({', '.join(types)}) -> {result}")
    print("  output()\n}")


def type_of(tensor):
    return f"!fx.tensor<[{'4' if tensor.dim() else ''}], {DTYPES[tensor.dtype]}>"


for a, b in itertools.product(DTYPES, repeat=2):
    for sizes in itertools.product([(4,), ()], repeat=2):
        values = [torch.empty(s, dtype=d) for s, d in zip(sizes, (a, b))]
        emit([type_of(v) for v in values], "%a0, %a1", values)
for a in DTYPES:
    for size in [(4,), ()]:
        for text, number in NUMBERS.items():
            value = torch.empty(size, dtype=a)
            emit([type_of(value)], f"%a0, {text}", [value, number])
