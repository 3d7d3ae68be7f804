"""Fails where clang-format would change a source: check_format.py CLANG_FORMAT ROOT"""

import pathlib
import subprocess
import sys

FOLDERS = ["benchmarks", "examples", "include", "lib", "python", "test", "tools"]
SUFFIXES = {".c", ".cpp", ".h"}

tool, root = sys.argv[1], pathlib.Path(sys.argv[2])
sources = sorted(
    path for folder in FOLDERS for path in (root / folder).rglob("*") if path.suffix in SUFFIXES
)
assert len(sources) > 500, f"expected the project's sources, got {len(sources)}"
sys.exit(subprocess.run([tool, "--dry-run", "--Werror", *sources]).returncode)
