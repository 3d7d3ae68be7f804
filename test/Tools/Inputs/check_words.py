"""Finds retired words in a checkout, by the table of CONTRIBUTING.md: check_words.py ROOT

A row of the table below `<!-- words -->` has the words in backquotes, what to write
in their place, and texts whose lines may have the words.
"""

import pathlib
import re
import sys

TOPS = ("lib", "include", "tools", "python", "test", "docs", "benchmarks", "scripts")
TYPES = {".c", ".cpp", ".h", ".hpp", ".td", ".inc", ".py", ".mlir", ".test", ".md", ".txt", ".sh"}
TABLE = "CONTRIBUTING.md"
SELF = ("test/Tools/words.test", "test/Tools/Inputs/check_words.py")


def rows(text: str):
    """(pattern, what to write, allowed texts) of each row."""
    table = text.split("<!-- words -->", 1)[1].split("\n\n", 1)[0]
    for line in table.strip().splitlines()[2:]:
        words, instead, allowed = (cell.strip() for cell in line.strip("|").split("|"))
        names = re.findall(r"`([^`]+)`", words)
        # Names of code are told apart by case.
        flags = 0 if any(name != name.lower() or "_" in name for name in names) else re.IGNORECASE
        pattern = re.compile(r"\b(" + "|".join(map(re.escape, names)) + r")\b", flags)
        yield pattern, instead, re.findall(r"`([^`]+)`", allowed)


def files(root: pathlib.Path):
    for top in TOPS:
        for path in sorted((root / top).rglob("*")):
            if path.suffix in TYPES and path.is_file() and "site" not in path.relative_to(root).parts[1:2]:
                yield path
    yield from (root / name for name in ("README.md",) if (root / name).exists())


def main() -> int:
    root = pathlib.Path(sys.argv[1])
    table = list(rows((root / TABLE).read_text()))
    failed = False
    for path in files(root):
        name = path.relative_to(root).as_posix()
        if name in SELF:
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            for pattern, instead, allowed in table:
                found = pattern.search(line)
                if found and not any(text in line for text in allowed):
                    print(f"error: {name}:{number}: expected {instead}, got '{found[0]}'")
                    failed = True
    return failed


sys.exit(main())
