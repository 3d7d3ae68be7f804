"""Finds the code blocks of the documentation and runs them.

A block is fenced and names its language. Blocks in sh, python and mlir are run. The blocks of a
page run in order in one folder, which looks like a clone that has been built. A comment before a
block changes how the block is handled:

    <!-- file: NAME -->       the block is written to NAME, which a later block of the page uses
    <!-- from: PATH -->       the block is a part of PATH, a file of the tree
    <!-- output -->           the block is what the block before it prints; … stands for any text
    <!-- not run: REASON -->  nothing
"""

import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import traceback

import harness

LANGUAGES = {"sh", "python", "c", "cpp", "cmake", "mlir", "mermaid", "text"}
#: How a block is handled without a comment. Blocks in other languages need a comment.
DEFAULT = {"sh": "run", "python": "run", "mlir": "run", "text": "text"}
MARK = re.compile(r"<!-- (file|from|output|not run)(?:: (.+?))? -->")


@dataclasses.dataclass
class Block:
    page: str
    line: int
    language: str
    text: str
    what: str  # run, text, file, from, output, not run
    argument: str | None = None

    def fail(self, message: str):
        raise AssertionError(f"{self.page}:{self.line}: {message}")


def pages() -> list[pathlib.Path]:
    names = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")
    found = [harness.ROOT / name for name in names if (harness.ROOT / name).exists()]
    return found + sorted((harness.ROOT / "docs").rglob("*.md"))


def notebooks() -> list[pathlib.Path]:
    return sorted((harness.ROOT / "examples" / "notebooks").glob("*.ipynb"))


def read(path: pathlib.Path) -> str:
    """Returns the text of a page. A notebook becomes a page with a block for each cell of code."""
    if path.suffix != ".ipynb":
        return path.read_text()
    cells = json.loads(path.read_text())["cells"]
    texts = ["".join(cell["source"]) for cell in cells]
    fenced = [f"```python\n{s}\n```" if c["cell_type"] == "code" else s for c, s in zip(cells, texts)]
    return "\n\n".join(fenced)


def blocks(text: str, page: str) -> list[Block]:
    """Returns the blocks of a page. A block without a language or a rule is an error."""
    found, lines = [], text.split("\n")
    at = 0
    while at < len(lines):
        line, above = lines[at], at - 1
        at += 1
        if not (fence := re.match(r"( *)```(.*)$", line)):
            indented = line.startswith("    ") and line.strip()
            after_blank = not lines[above].strip() if above >= 0 else True
            if indented and after_blank and not _in_list(lines, above):
                raise AssertionError(f"{page}:{at}: code is fenced, not indented")
            continue
        indent, language = fence.groups()
        block = Block(page, at, language, "", DEFAULT.get(language, ""))
        while above >= 0 and not lines[above].strip():
            above -= 1
        if above >= 0 and (mark := MARK.fullmatch(lines[above].strip())):
            block.what, block.argument = mark.groups()
            if (block.argument is None) != (block.what == "output"):
                block.fail(f"'{block.what}' in the comment lacks its text, or has one too many")
        if language not in LANGUAGES:
            block.fail(f"'{language}' is no language; one of {', '.join(sorted(LANGUAGES))}")
        if not block.what:
            block.fail(f"a block in {language} needs a comment: file, from, or not run and why")
        body = []
        while at < len(lines) and lines[at].strip() != "```":
            body.append(lines[at].removeprefix(indent))
            at += 1
        if at == len(lines):
            block.fail("the block does not end")
        at += 1
        block.text = "\n".join(body) + "\n"
        found.append(block)
    for block, later in ((b, found[k + 1 :]) for k, b in enumerate(found) if b.what == "file"):
        path = pathlib.PurePath(block.argument)
        name = "cmake" if path.name == "CMakeLists.txt" else path.name
        if not any(name in other.text for other in later):
            block.fail(f"no later block uses the file '{block.argument}'")
    return found


def _in_list(lines: list[str], at: int) -> bool:
    """Returns True if the lines after `at` continue a list item."""
    while at >= 0 and (not lines[at].strip() or lines[at].startswith(" ")):
        at -= 1
    return at >= 0 and re.match(r"([-*]|\d+\.) ", lines[at]) is not None


def matches(pattern: str, text: str) -> bool:
    """Returns True if `text` matches `pattern`, in which … stands for any text."""
    tidy = lambda s: "\n".join(line.rstrip() for line in s.strip().split("\n"))  # noqa: E731
    regex = ".*?".join(re.escape(part) for part in tidy(pattern).split("…"))
    return re.fullmatch(regex, tidy(text), re.S) is not None


def make_clone(folder: pathlib.Path) -> None:
    """Makes `folder` look like a clone that scripts/demo.sh has set up."""
    folder.mkdir(parents=True)
    for entry in harness.ROOT.iterdir():
        if not entry.name.startswith((".", "build")):
            (folder / entry.name).symlink_to(entry)
    (folder / "build").symlink_to(harness.BUILD.resolve())
    (folder / ".venv").symlink_to(sys.prefix)


def environment() -> dict[str, str]:
    """Returns the environment of a user: the tools in PATH, and the compilers that built them."""
    env = {"OMP_NUM_THREADS": "1", **os.environ, "CMAKE_GENERATOR": "Ninja"}
    env["PATH"] = os.pathsep.join([str(harness.BUILD / "bin"), f"{sys.prefix}/bin", env["PATH"]])
    for line in (harness.BUILD / "CMakeCache.txt").read_text().splitlines():
        name, _, value = line.partition("=")
        name = name.partition(":")[0]
        if name in ("CMAKE_C_COMPILER", "CMAKE_CXX_COMPILER"):
            env[{"C": "CC", "CXX": "CXX"}[name.split("_")[1]]] = value
        elif name in ("CMAKE_C_COMPILER_LAUNCHER", "CMAKE_CXX_COMPILER_LAUNCHER"):
            env[name] = value
    return env


def run_page(page: list[Block], folder: pathlib.Path) -> None:
    """Runs a page's blocks in `folder`. Changes the environment, the working directory and the
    modules of this process."""
    make_clone(folder)
    os.chdir(folder)
    os.environ.update(environment())
    sys.path[:0] = [str(harness.BUILD / "python")]
    log = folder / ".output"
    names: dict = {"__name__": "__main__"}
    for block in page:
        if block.what == "file":
            path = folder / block.argument
            if not path.resolve().is_relative_to(folder):
                block.fail(f"'{block.argument}' is a file of the tree")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text)
        elif block.what == "from":
            if block.text not in (harness.ROOT / block.argument).read_text():
                block.fail(f"this is not in {block.argument}")
        elif block.what == "output":
            if not matches(block.text, log.read_text()):
                block.fail(f"the block before it prints:\n{log.read_text()}")
        elif block.what == "run":
            with open(log, "w") as out:
                os.dup2(out.fileno(), 1)
                os.dup2(out.fileno(), 2)
            with open(log, "a") as sys.stdout:
                problem = _run(block, names)
            if problem:
                block.fail(f"{problem}\n{log.read_text()}")


def _run(block: Block, names: dict) -> str | None:
    if block.language == "python":
        try:
            # Errors have the line numbers of the page.
            code = compile("\n" * block.line + block.text, block.page, "exec")
            exec(code, names)
        except Exception:
            return traceback.format_exc()
        return None
    if block.language == "mlir":
        path = pathlib.Path(".block.mlir")
        path.write_text(block.text)
        command = ["fx-opt", "--split-input-file", "--verify-roundtrip", str(path), "-o", "/dev/null"]
    else:
        command = ["bash", "-euo", "pipefail", "-c", block.text]
    result = subprocess.run(command, stdin=subprocess.DEVNULL, timeout=600)
    return f"exit status {result.returncode}" if result.returncode else None
