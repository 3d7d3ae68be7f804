"""`python -m fx_mlir` describes the installation: versions, the CPU, GPUs, the cache of
kernels, and what is missing."""

from __future__ import annotations

import argparse
import ctypes.util
import json
import os
import pathlib
import platform
import shutil

from typing import Any

import fx_mlir
from fx_mlir import _fx, _torch

#: The instruction sets that kernels are written for, by LLVM's names.
FEATURES = {
    "avx2": "AVX2",
    "fma": "FMA",
    "avx512f": "AVX-512",
    "avx512vnni": "VNNI",
    "avx512bf16": "BF16",
    "avx512fp16": "FP16",
    "amx-tile": "AMX",
    "neon": "NEON",
    "dotprod": "dot product",
    "sve": "SVE",
}


def _cpu(host: dict) -> str:
    found = [name for key, name in FEATURES.items() if key in host["features"]]
    return f"{host['cpu']}, {os.cpu_count()} CPUs; {', '.join(found) or 'no vectors'}"


def _gpu(torch: Any) -> str:
    if torch is not None and torch.cuda.is_available():
        count = torch.cuda.device_count()
        return ", ".join(torch.cuda.get_device_name(k) for k in range(count))
    if ctypes.util.find_library("cuda"):
        why = "no torch" if torch is None else "this torch has no CUDA"
        return f"not known: {why}; libcuda is installed"
    return "none (no libcuda)"


def _cache(folder: str) -> str:
    if not folder:
        return "off"
    sizes = [f.stat().st_size for f in pathlib.Path(folder).glob("*") if f.is_file()]
    return f"{folder}, {len(sizes)} files, {sum(sizes) / 2**20:.1f} MiB"


def _tool(name: str, without: str) -> str:
    return shutil.which(name) or f"not in PATH ({without})"


def _import_torch() -> Any:
    try:
        return _torch.require("the backend")
    except ImportError:
        return None


def _torch_version(torch: Any) -> str:
    if torch is None:
        return "none: no backend, no live graphs, no operators on ATen"
    if _torch.is_other():
        return f"{torch.__version__}; libFXTorch needs {_torch.RELEASE}: Python calls operators on ATen"
    return torch.__version__


def _backend(torch: Any) -> str:
    if torch is None:
        return "none without torch"
    from torch._dynamo.backends.registry import list_backends

    if "fx_mlir" in list_backends():
        return "torch.compile(model, backend='fx_mlir')"
    return "not registered: install the package, or import fx_mlir.backend"


def describe() -> dict[str, str]:
    """Returns the parts of the installation and their descriptions."""
    host = json.loads(_fx.describe_host())
    torch = _import_torch()
    return {
        "fx-mlir": f"{fx_mlir.version()}, operators of torch {fx_mlir.schema_version()}",
        "package": str(pathlib.Path(fx_mlir.__file__).parent),
        "Python": platform.python_version(),
        "torch": _torch_version(torch),
        "CPU": _cpu(host),
        "GPU": _gpu(torch),
        "cache": _cache(host["cache_folder"]),
        "backend": _backend(torch),
        "fx-compile": _tool("fx-compile", "the package compiles without it"),
        "ptxas": os.environ.get("FX_PTXAS") or _tool("ptxas", "GPUs then compile PTX when a model is loaded"),
    }


def main() -> None:
    parser = argparse.ArgumentParser("python -m fx_mlir", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print a JSON object")
    parts = describe()
    if parser.parse_args().json:
        print(json.dumps(parts, indent=2))
        return
    width = max(map(len, parts))
    for name, text in parts.items():
        print(f"{name.ljust(width)}  {text}")


if __name__ == "__main__":
    main()
