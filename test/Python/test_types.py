"""The package's annotations, which users' type checkers read (py.typed)."""

import pathlib
import subprocess
import sys

import fx_mlir
import pytest


def test_annotations(tmp_path):
    pytest.importorskip("mypy")
    # Reading torch and transformers takes mypy ten times as long as the package.
    config = tmp_path / "mypy.ini"
    config.write_text("[mypy]\n[mypy-torch.*,numpy.*,transformers.*]\nfollow_imports = skip\n")
    package = pathlib.Path(fx_mlir.__file__).parent
    done = subprocess.run(
        [sys.executable, "-m", "mypy", f"--config-file={config}", "--ignore-missing-imports"]
        + ["--follow-imports=silent", "--check-untyped-defs", f"--cache-dir={tmp_path}", package],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout
