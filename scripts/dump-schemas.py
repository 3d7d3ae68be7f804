#!/usr/bin/env python3
# Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the operator schemas of the installed torch.

    scripts/dump-schemas.py            writes lib/Operators/schemas/torch-X.Y.txt
    scripts/dump-schemas.py --check    compares it with the installed torch
    scripts/dump-schemas.py --from lib/Operators/schemas/torch-2.13.txt
                                       writes lib/Operators/schemas/torch-X.Y.diff.txt

The file is the input of fx-schema-gen. It has a header line with the torch version,
then one operator per line, `<schema> # <tags>`, sorted by name. The text of a schema
is that of the dispatcher.

The file of differences has the operators that have another schema than in the given file, or that
the file lacks. Operators that only the given file has are not listed, nor are differences of tags.
"""

import argparse
import difflib
import os
import re
import sys
from pathlib import Path

import torch
import torch._prims  # registers prims
import torch.ao.quantization.fx._decomposed  # registers quantized_decomposed

# Other namespaces (c10d, profiler, inductor …) never occur in exported graphs, or
# depend on the modules that Python has imported. Their operators count as custom.
NAMESPACES = {
    "aten", "prims", "quantized_decomposed", "quantized", "_quantized",
    "mkldnn", "onednn", "_c10d_functional", "_c10d_functional_autograd", "_dtensor", "rngprims",
}  # fmt: skip
# Tags for torch's own tools, which do not describe the semantics of an operator.
IGNORED_TAGS = {
    "pt2_compliant_tag", "generated", "needs_contiguous_strides",
    "needs_exact_strides", "needs_fixed_stride_order", "flexible_layout",
    "out", "inplace",
}  # fmt: skip


# Overloads for named tensors, which cannot be exported. torch 2.13 has removed them.
NAMED = re.compile(
    r"::(align_\w+|re(fine_)?names?_?)\b|\.(\w*(D|_d|\bd)imname\w*|(\w+_)?names?(_\w+)?"
    r"|named_out_dim|using_names|DimnameList\w*)\("
)


def lines():
    found = []
    for full in torch._C._dispatch_get_all_op_names():
        name, _, overload = full.partition(".")
        if name.split("::")[0] not in NAMESPACES:
            continue
        schema = str(torch._C._get_schema(name, overload))
        _, _, tags = torch._C._get_operation_overload(name, overload)
        tags = sorted({t.name for t in tags} - IGNORED_TAGS)
        found.append((full, schema + (f" # {' '.join(tags)}" if tags else "")))
    return [text for _, text in sorted(found)]


def differences(base: Path, version: str) -> str:
    """The file of what differs from the schemas in `base`."""
    header, *old = base.read_text().splitlines()
    old = {line.split(" # ")[0] for line in old}
    new = [line for line in lines() if line.split(" # ")[0] not in old and not NAMED.search(line)]
    header = f"# torch {version}, as differences from {header.removeprefix('# ')}"
    return "\n".join([header, *new]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    parser.add_argument("-o", "--output", type=Path, help="the schema file")
    parser.add_argument("--from", dest="base", type=Path, help="write what differs from this file")
    args = parser.parse_args()

    version = torch.__version__.split("+")[0]
    short = ".".join(version.split(".")[:2])
    default = Path(__file__).resolve().parent.parent / "lib/Operators/schemas"
    path = args.output or default / f"torch-{short}{'.diff' if args.base else ''}.txt"
    if args.base:
        text = differences(args.base, version)
    else:
        text = f"# torch {version}\n" + "\n".join(lines()) + "\n"

    if args.check:
        old = path.read_text() if path.exists() else ""
        if old == text:
            return 0
        diff = difflib.unified_diff(
            old.splitlines(), text.splitlines(), str(path), f"torch {version}", n=0, lineterm=""
        )
        for _, line in zip(range(40), diff):
            print(line, file=sys.stderr)
        print("error: the schema file differs from the installed torch", file=sys.stderr)
        return 1

    beside = path.with_name(path.name + f".{os.getpid()}.tmp")
    beside.write_text(text)
    beside.replace(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
