"""Archives with several models, with compiled ones only, with none.

usage: models.py FOLDER
"""

import sys
import warnings

import torch
from torch.export import export
from torch.export.pt2_archive._package import package_pt2

warnings.simplefilter("ignore")
folder = sys.argv[1]


class Scale(torch.nn.Module):
    def __init__(self, by):
        super().__init__()
        self.w = torch.nn.Parameter(torch.full((3,), by))

    def forward(self, x):
        return x * self.w


programs = {f"m{i}": export(Scale(float(i)), (torch.ones(3),)) for i in (1, 2)}
package_pt2(f"{folder}/two.pt2", exported_programs=programs)
with open(f"{folder}/code.so", "wb") as f:
    f.write(b"no code")
package_pt2(f"{folder}/aoti.pt2", aoti_files={"fast": [f"{folder}/code.so"]})
package_pt2(f"{folder}/extra.pt2", extra_files={"notes.txt": "hello"})
