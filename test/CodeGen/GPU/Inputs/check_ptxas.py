"""check_ptxas.py LOG REGISTERS SHARED [KERNEL...]: gates on what `ptxas -v` wrote.

Every kernel, or those that are named, must stay in the budgets of registers and bytes of shared memory, none may spill, and
nothing may be warned of: that instructions were serialized, or registers not granted.
"""

import re
import sys

log, registers, shared = open(sys.argv[1]).read(), int(sys.argv[2]), int(sys.argv[3])
kernels = re.split(r"Compiling entry function '([^']+)'", log)
if len(kernels) < 3:
    sys.exit("expected kernels, got none")
if match := re.search(r".*(C75\d\d|warning|setmaxnreg).*", log):
    sys.exit(f"expected no warning, got {match[0]}")
for name, text in zip(kernels[1::2], kernels[2::2]):
    if sys.argv[4:] and name not in sys.argv[4:]:
        continue
    used = int(re.search(r"Used (\d+) registers", text)[1])
    memory = re.search(r"(\d+) bytes smem", text)
    spills = [int(n) for n in re.findall(r"(\d+) bytes spill", text)]
    for what, got, most in [("registers", used, registers), ("spilled bytes", max(spills), 0),
                            ("shared memory", int(memory[1]) if memory else 0, shared)]:
        if got > most:
            sys.exit(f"{name}: {what}: expected at most {most}, got {got}")
