"""The C interface as a page: declarations and their comments, as clang reads them."""

import json
import pathlib
import re
import subprocess

FORMATS = pathlib.Path(__file__).resolve().parents[2] / "include/fx/Pipelines/Formats.def"
KINDS = ("FunctionDecl", "RecordDecl", "EnumDecl", "TypedefDecl", "FieldDecl", "EnumConstantDecl")


def _parse(clang: str, include: pathlib.Path, header: pathlib.Path) -> list[dict]:
    """The declarations that the header itself holds."""
    command = [clang, "-fsyntax-only", "-Xclang", "-ast-dump=json", "-fparse-all-comments"]
    command += [f"-I{include}", "-x", "c", str(header)]
    tree = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    found, file = [], ""
    for node in tree["inner"]:
        # A location names its file where it is another one than before.
        place = node.get("loc", {})
        place = place.get("expansionLoc", place)
        file = place.get("file", file)
        if node["kind"] in KINDS and pathlib.Path(file) == header and "offset" in place:
            found.append(node)
    return found


def _comment(node: dict, source: bytes) -> str:
    """The comment's text, from the source: clang takes words like @main for commands."""
    for child in node.get("inner", []):
        if child["kind"] == "FullComment":
            start = child["range"]["begin"]["offset"]
            text = source[start : source.index(b"*/", start)].decode()
            return " ".join(line.strip().lstrip("*").strip() for line in text.splitlines()).strip()
    return ""


def _formats(_: re.Match) -> str:
    """The enumerators that Formats.def makes."""
    table = FORMATS.read_text()
    rows = re.findall(r'^FX_FORMAT\((\w+),.*?"([^"]+)"\)$', table, re.M | re.S)
    return "".join(f"  FX_EMIT_{name}, /* {text} */\n" for name, text in rows)


def _declaration(node: dict, source: bytes) -> str:
    start, end = (node["range"][e].get("expansionLoc", node["range"][e]) for e in ("begin", "end"))
    text = source[start["offset"] : end["offset"] + end["tokLen"]].decode()
    text = re.sub(r'#define FX_FORMAT.*?\n#include "fx/Pipelines/Formats.def"\n', _formats, text, flags=re.S)
    prefix = "FX_CAPI "
    if not text.startswith(prefix):
        return text
    # Further lines keep their place under the first.
    return text.removeprefix(prefix).replace("\n" + " " * len(prefix), "\n")


def _header(clang: str, include: pathlib.Path, header: pathlib.Path) -> str:
    source = header.read_bytes()
    name = header.relative_to(include)
    # The text behind the licence says what the header is for.
    about = re.search(r"=\*/|//===-+===//\n//\n(.*?)//\n//===", source.decode(), re.S)
    lines = [f"## {name}", ""]
    if about and about.group(1):
        lines += ["```text", re.sub(r"^// ?", "", about.group(1), flags=re.M).rstrip(), "```", ""]
    for node in _parse(clang, include, header):
        if node["kind"] == "RecordDecl" and not node.get("completeDefinition"):
            continue
        text = _declaration(node, source)
        name = node.get("name")
        if node["kind"] in ("RecordDecl", "EnumDecl") and not name:
            if source[: node["range"]["begin"]["offset"]].endswith(b"typedef "):
                continue  # the typedef follows
            name = next(c["name"] for c in node["inner"] if c["kind"] == "EnumConstantDecl")
        about = _comment(node, source)
        lines += [f"### {name}", "", *([about, ""] if about else []), "```c", f"{text};", "```", ""]
    return "\n".join(lines)


def page(clang: str, include: pathlib.Path) -> str:
    headers = sorted(include.glob("fx-c/*.h")) + [
        include / "fx" / "Runtime" / name for name in ("model.h", "fallback.h")
    ]
    parts = "\n".join(_header(clang, include, header) for header in headers)
    return f"# C interface\n\nWritten from the headers.\n\n{parts}"
