"""Adds calls of the emulator to the LLVM IR of kernels: before instructions that access memory, and
where the accumulator registers of wgmma are read. The functions are in test/Cuda/Access.cpp and
Warpgroup.cpp.
"""

import re

SCALARS = {"i1": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "half": 2, "bfloat": 2, "float": 4,
           "double": 8, "ptr": 8}
#: Instructions that only read the thread's position, or compute.
QUIET = re.compile(r"read\.ptx\.sreg|ex2\.approx|amdgcn\.(work(item|group)\.id|mbcnt)")


def type_bytes(kind: str) -> int:
    kind = kind.strip()
    if kind in SCALARS:
        return SCALARS[kind]
    if kind.startswith("ptr"):
        return 8
    if match := re.fullmatch(r"[<\[](\d+) x (.*)[>\]]", kind):
        return int(match[1]) * type_bytes(match[2])
    if kind.startswith("{"):  # fields of one size
        return sum(type_bytes(part) for part in kind[1:-1].split(","))
    raise ValueError(f"a type whose size is not known: {kind}")


def split(text: str) -> list[str]:
    """Splits `text` into its operands."""
    parts, depth, part = [], 0, ""
    for c in text:
        depth += (c in "(<[{") - (c in ")>]}")
        if c == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += c
    return [*parts, part.strip()]


def first_type(text: str) -> str:
    """Returns the type at the beginning of `text`."""
    depth = 0
    for i, c in enumerate(text):
        depth += (c in "(<[{") - (c in ")>]}")
        if c == " " and depth == 0:
            return text[:i]
    return text


#: Keywords of loads and stores before their type.
ORDER = r"(?:atomic )?(?:volatile )?"


def memory_access(line: str):
    """Returns the pointer, bytes, alignment and kind (1: a store, 2: atomic) of a line that
    accesses memory."""
    text = re.sub(r"^ *(%\S+ = )?", "", line)
    if match := re.match(rf"(load|store) {ORDER}(.*)", text):
        operands = split(match[2])
        kind = first_type(operands[0])
        pointer, store = operands[1], match[1] == "store"
        # The pointer of an atomic access is followed by an ordering.
        atomic = " atomic " in f" {text[:14]} "
        if atomic:
            pointer = re.sub(r"( syncscope\(.*\))? (monotonic|acquire|release|seq_cst|unordered)$",
                             "", pointer)
        flags = store + 2 * atomic
    elif match := re.match(r"atomicrmw (?:volatile )?\w+ (.*)", text):
        operands = split(match[1])
        pointer, kind, flags = operands[0], first_type(operands[1]), 3
    elif match := re.match(r"cmpxchg (?:weak )?(?:volatile )?(.*)", text):
        operands = split(match[1])
        pointer, kind, flags = operands[0], first_type(operands[1]), 3
    else:
        return None
    align = re.search(r", align (\d+)", text)
    return pointer, type_bytes(kind), int(align[1]) if align else type_bytes(kind), flags


def roots(function: list[str]) -> dict[str, int]:
    """Returns for each pointer to global memory the number (from 1) of the argument that it is
    derived from. The highest bit is set if that argument is noalias."""
    known = {}
    for i, param in enumerate(split(re.search(r"\((.*)\)", function[0])[1])[:126]):
        if param.startswith("ptr addrspace(1)"):
            known[param.split()[-1]] = i + 1 | ("noalias" in param) << 7
    # A pointer that is derived from several pointers, or from integers, has no entry.
    for line in function:
        if match := re.match(r"  (%\S+) = (?:getelementptr|addrspacecast|bitcast) (.*)", line):
            found = re.search(r"ptr(?: addrspace\(1\))? (%[\w.]+)", match[2])
            if found and found[1] in known:
                known[match[1]] = known[found[1]]
    return known


def add_fences(ir: str) -> str:
    """Returns the IR of kernels for AMD GPUs with calls after fences of at least a workgroup."""
    def name_kinds(match):
        kinds = [match[1]] if match[1] in ("release", "acquire") else ["release", "acquire"]
        return "\n".join([match[0], *(f"  call void @emu.fence.{kind}()" for kind in kinds)])

    ir = re.sub(r'^  fence (?:syncscope\("(?:workgroup|agent)(?:-one-as)?"\) )?'
                r"(release|acquire|acq_rel|seq_cst)\b.*$", name_kinds, ir, flags=re.M)
    return f"{ir}\ndeclare void @emu.fence.release()\ndeclare void @emu.fence.acquire()\n"


def add_checks(ir: str) -> tuple[str, list[str]]:
    """Returns the IR with calls before memory accesses and before the library's functions, and the
    instructions by their numbers."""
    instructions, lines = [""], []
    own, known = set(), {}
    rest = ir.split("\n")
    for number, line in enumerate(rest):
        if line.startswith("define "):
            own = set()
            known = roots(rest[number : rest.index("}", number)])
            lines.append(line)
            if "ptx_kernel" in line or "amdgpu_kernel" in line:
                for param in split(re.search(r"\((.*)\)", line)[1]):
                    if match := re.match(r"(ptr addrspace\(1\)).* align (\d+) (%\S+)", param):
                        lines.append(f"  call void @emu.argument({match[1]} {match[3]}, "
                                     f"i32 {match[2]}, i32 {len(instructions)})")
                        instructions.append(param)
            continue
        if match := re.match(r"  (%\S+) = alloca ", line):
            own.add(match[1])
        text = line.strip()
        access = memory_access(line) if line.startswith("  ") else None
        if access and access[0].split()[-1] not in own:
            pointer, size, align, flags = access
            space = re.match(r"ptr addrspace\((\d+)\)", pointer)
            kind = (size | min(align, 1 << 15).bit_length() - 1 << 16 | flags << 20
                    | known.get(pointer.split()[-1], 0) << 22)
            lines.append(f"  call void @emu.access.p{space[1] if space else 0}({pointer}, i32 {kind}, "
                         f"i32 {len(instructions)})")
            instructions.append(text)
        elif re.match(r"  (%\S+ = )?(tail )?call ", line) and (
                re.search(r"@llvm\.(nvvm|amdgcn)\.|@emu\.| asm ", line)) and not (
                QUIET.search(line)):
            lines.append(f"  store i32 {len(instructions)}, ptr @emuInstruction")
            if "@emu.read.register" in text:
                text = text.split("; ")[1]
            instructions.append(re.sub(r"^(.*?)asm [^\"]*\"[^\"]*?(wgmma[\w.:]*|mbarrier[\w.:]*|"
                                       r"fence[\w.:]*)[^\"]*\", \"[^\"]*\"", r"\1asm \2", text))
        lines.append(line)
    spaces = {"0": "ptr", **{s: f"ptr addrspace({s})" for s in "1357"}}
    # These functions only read, so LLVM may keep loaded values across their calls.
    lines += ["@emuInstruction = external global i32",
              "declare void @emu.argument(ptr addrspace(1), i32, i32)",
              *(f"declare void @emu.access.p{s}({kind}, i32, i32) "
                "nounwind memory(inaccessiblemem: readwrite)" for s, kind in spaces.items()), ""]
    return "\n".join(lines), [text[:160] for text in instructions]


NAME = r"%[\w.]+"


def read_registers(ir: str) -> str:
    """Rewrites functions that contain wgmma. The library holds the accumulators, and the values in
    the IR are only names of registers. wgmma, and instructions that pass values on, such as a wait
    that gives the accumulators back, take the names; every other instruction that reads a register
    calls the library for its value."""
    parts = re.split(r"(?m)^(?=define )", ir)
    for i, part in enumerate(parts):
        if "wgmma.mma_async" in part:
            parts[i] = _read_registers(part)
    ir = "".join(parts)
    for name, kind in [("@emu.read.register", "float"), ("@emu.read.register.i32", "i32")]:
        if f"{name}({kind}" in ir:
            ir += f"\ndeclare {kind} {name}({kind})\n"
    return ir


def _read_registers(function: str) -> str:
    lines = function.split("\n")
    kind, reader = "float", "@emu.read.register"
    if ".s32.u8.s8 " in function:
        kind, reader = "i32", "@emu.read.register.i32"
    passing = re.compile(
        rf"^  ({NAME}) = (phi (?:\{{|{kind} )|insertvalue \{{|extractvalue \{{|freeze |"
        r"call \{[^}]*\} asm sideeffect \"wgmma\.wait_group)(.*)")
    named: set[str] = set()
    while True:
        before = len(named)
        for line in lines:
            if match := re.match(rf"^  ({NAME}) = call .*wgmma\.mma_async", line):
                named.add(match[1])
            elif (match := passing.match(line)) and named.intersection(
                    re.findall(NAME, match[3])):
                named.add(match[1])
        if len(named) == before:
            break
    result = []
    for number, line in enumerate(lines):
        if not passing.match(line) and "wgmma.mma_async" not in line:
            taken = [x for x in dict.fromkeys(re.findall(NAME, line.split(" = ", 1)[-1]))
                     if x in named]
            for which, name in enumerate(taken):
                fresh = f"%read.{number}.{which}"
                result.append(f"  {fresh} = call {kind} {reader}({kind} {name}) "
                              f"; {lines[number].strip()}")
                head, equals, tail = line.rpartition(" = ") if " = " in line else ("", "", line)
                line = head + equals + re.sub(rf"{re.escape(name)}(?![\w.])", fresh, tail)
        result.append(line)
    return "\n".join(result)
