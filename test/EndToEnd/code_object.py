"""code_object.py FILE REGISTERS BYTES: checks a code object of an AMD GPU with llvm-readelf.

The file must be a shared object without undefined symbols, and each kernel must have code and a
descriptor. No kernel may spill, use a stack, or exceed the given numbers of vector registers and
bytes of shared memory. Prints the resources of each kernel.
"""

import re
import subprocess
import sys


def read(path, readelf="llvm-readelf"):
    """Returns the metadata of the kernels by name, as numbers, and the target chip as `chip`."""
    result = subprocess.run(
        [str(readelf), "--file-header", "--dyn-syms", "--notes", str(path)],
        capture_output=True, text=True, check=True)
    text = result.stdout
    for what in ("Type: +DYN", "OS/ABI: +AMDGPU - HSA", "Machine: +EM_AMDGPU"):
        if not re.search(what, text):
            sys.exit(f"expected {what}, got {text.splitlines()[:20]}")
    symbols = re.findall(r"^ +\d+: +[0-9a-f]+ +\d+ (\w+) +(\w+) +(\w+) +(\w+) (\S+)$", text, re.M)
    undefined = [name for *_, index, name in symbols if index == "UND"]
    if undefined:
        sys.exit(f"expected no undefined symbols, got {undefined}")
    kinds = {name: (kind, visibility) for kind, _, visibility, _, name in symbols}
    chip = re.search(r"^amdhsa.target: +amdgcn-amd-amdhsa--(\w+)$", text, re.M)[1]
    kernels = {}
    for part in re.split(r"^  - (?=\.a)", text, flags=re.M)[1:]:
        part = "    " + part
        pairs = re.findall(r"^    \.(\w+): +(\d+)$", part, re.M)
        name = re.search(r"^    \.name: +(\S+)$", part, re.M)[1]
        for symbol, kind in ((name, "FUNC"), (f"{name}.kd", "OBJECT")):
            if kinds.get(symbol) != (kind, "PROTECTED"):
                sys.exit(f"{symbol}: expected a protected {kind}, got {kinds.get(symbol)}")
        kernels[name] = {key: int(value) for key, value in pairs} | {"chip": chip}
    return kernels


def check(kernels, registers, shared):
    if not kernels:
        sys.exit("expected kernels, got none")
    for name, kernel in kernels.items():
        for key, most in (("vgpr_spill_count", 0), ("sgpr_spill_count", 0),
                          ("private_segment_fixed_size", 0), ("vgpr_count", registers),
                          ("group_segment_fixed_size", shared)):
            if kernel[key] > most:
                sys.exit(f"{name}: {key}: expected at most {most}, got {kernel[key]}")


if __name__ == "__main__":
    found = read(sys.argv[1])
    check(found, int(sys.argv[2]), int(sys.argv[3]))
    for kernel_name, numbers in found.items():
        print(kernel_name, *(f"{key}={value}" for key, value in sorted(numbers.items())))
