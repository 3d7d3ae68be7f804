"""Every ```mlir block of the documentation is valid IR that round-trips."""

import re

import harness
import pytest

FILES = [harness.ROOT / "README.md", *sorted((harness.ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```mlir\n(.*?)^```$", re.M | re.S)


def blocks():
    for path in FILES:
        if path.exists():
            text = path.read_text()
            for match in BLOCK.finditer(text):
                line = text.count("\n", 0, match.start()) + 2
                name = f"{path.relative_to(harness.ROOT)}:{line}"
                yield pytest.param(match.group(1), id=name)


@pytest.mark.parametrize("text", list(blocks()))
def test_block(text, tmp_path):
    path = tmp_path / "block.mlir"
    path.write_text(text)
    result = harness.tool("fx-opt", "--split-input-file", "--verify-roundtrip", path)
    assert result.returncode == 0, result.stderr


def test_the_blocks_are_found():
    text = "a\n```mlir\nmodule {}\n```\n```c\nint x;\n```\n```mlir\nx\n```\n"
    assert BLOCK.findall(text) == ["module {}\n", "x\n"]
