"""Checks PTX whose kernels may be launched before the kernel in front of them has ended.

    check_overlap.py FILE...

Each kernel must wait for that one before it accesses anything but its parameters, in all of its
threads. Prints the number of kernels of each file.
"""

import re
import sys

ACCESS = re.compile(r"\b(st|atom|red|cp|mbarrier|bar|fence|tex|prefetch|ld(?!\.param))\.|"
                    r"\bbra\b|\bret;")
#: Kernels with tensor maps prepare barriers in shared memory before they wait.
ACCESS_OF_MEMORY = re.compile(r"\b(st|atom|red|ld)\.(?!param|shared)|\bcp\.|\bret;")

for path in sys.argv[1:]:
    entries = re.split(r"(?m)^\.visible \.entry ", open(path).read())[1:]
    for entry in entries:
        name = entry.split("(")[0]
        before, wait, after = entry.partition("griddepcontrol.wait;")
        if after.count("griddepcontrol.wait;"):
            raise SystemExit(f"{name} waits twice")
        if not wait or not after.lstrip().startswith("griddepcontrol.launch_dependents;"):
            raise SystemExit(f"{name} does not wait")
        # A thread that branches might not wait.
        body = before[before.index("\n{") :]
        access = ACCESS_OF_MEMORY if name.endswith("_sm_90a") else ACCESS
        if found := access.search(body):
            raise SystemExit(f"{name}: '{found[0]}' before the wait")
    print(len(entries), "kernels")
