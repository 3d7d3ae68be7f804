"""bundle.py --dry with faults planted in its cases, for test_gpu_bundle.py:

    python gpu_faults.py FOLDER

The kernels for the emulator are changed so that they behave like code of a faulty compiler. Data
and models are changed in the folder's copy of the sources.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "benchmarks" / "gpu"), str(ROOT / "benchmarks"),
                str(ROOT / "test" / "EndToEnd")]

import bundle  # noqa: E402
import emulate  # noqa: E402


def replace(pattern: str, by: str):
    def change(kernels: str) -> str:
        changed, count = re.subn(pattern, by, kernels, count=1)
        assert count == 1, f"no {pattern} in {kernels}"
        return changed

    return change


def wrong_stride(kernels: str) -> str:
    """Replaces a row stride of 17 by 16."""
    right = re.search(r"(%\d+) = llvm.mlir.constant\(17 : index\)", kernels)[1]
    wrong = re.search(r"(%\d+) = llvm.mlir.constant\(16 : index\)", kernels)[1]
    pattern = rf"(llvm\.mul %\d+, ){right}( : i64\n.*\n.* %arg0\[)"
    return replace(pattern, rf"\g<1>{wrong}\2")(kernels)


#: The change of the kernels of each case.
KERNELS = {
    "copy": replace(r"llvm\.cond_br %\d+, \^bb1, \^bb2",
                    "llvm.br ^bb99\n    ^bb99:\n      llvm.br ^bb99"),
    # An address behind the 210 elements.
    "gelu": replace(r"llvm\.getelementptr (?:\S+ )?%arg0\[%\d+\] : \(!llvm\.ptr<1>, i64\)",
                    "llvm.getelementptr %arg0[400] : (!llvm.ptr<1>)"),
    "matmul_16_rows": wrong_stride,
}
#: Text that is added to the folder's sets.py: inputs of another seed, and modules that eager cannot
#: run.
SOURCES = '''

def _change(name, **changes):
    CASES[name] = dataclasses.replace(CASES[name], **changes)


def _fail(x):
    if x.dtype != torch.float64:
        raise RuntimeError("planted: no kernel image is available")
    return x.sum(1)


def _always_fail(x):
    raise RuntimeError("planted: expected all tensors on the same device")


_change("transpose", inputs=lambda small: ((CASES["copy"].inputs(small)[0][0] * 2,), {}))
_change("sum_rows", build=lambda small: cases.Function(_fail))
_change("sum_columns", build=lambda small: cases.Function(_always_fail))
'''
CASES = ["copy", "gelu", "matmul_16_rows", "transpose", "sum_rows", "sum_columns",
         "linear_4096_bf16", "matmul_1_row"]


def main() -> None:
    compile_kernels = emulate.compile_kernels

    def planted(program, folder, **options):
        return compile_kernels(program, folder, mutate=KERNELS.get(program.stem, lambda k: k),
                               **options)

    emulate.compile_kernels = planted
    folder = pathlib.Path(sys.argv[1])
    sys.argv[1:] = [str(folder), "--dry", "--sets=kernels", *CASES]
    bundle.main()
    text = (folder / "sets.py").read_text()
    (folder / "sets.py").write_text("import dataclasses\n\n" + text + SOURCES)


if __name__ == "__main__":
    main()
