"""Exports torch._export.db's examples, before and after run_decompositions().

usage: db.py FOLDER PART PARTS
exports every PARTS-th example, beginning with PART
"""

import os
import sys
import warnings

from torch._export.db.examples import all_examples
from torch.export import export, save

warnings.simplefilter("ignore")
folder, part, parts = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
os.makedirs(folder, exist_ok=True)
for name, case in sorted(all_examples().items())[part::parts]:
    # What torch itself cannot export or save is nothing to import.
    try:
        program = export(case.model, case.example_args, case.example_kwargs,
                         dynamic_shapes=case.dynamic_shapes, strict=True)
        save(program, f"{folder}/{name}.pt2")
        save(program.run_decompositions(), f"{folder}/{name}.dec.pt2")
    except Exception as e:
        print(f"not exported: {name}: {e}".splitlines()[0], file=sys.stderr)
