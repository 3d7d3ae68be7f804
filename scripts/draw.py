#!/usr/bin/env python3
"""Draws the pictures of the documentation, docs/pictures/NAME.svg, from NAME.dot with
Graphviz (Debian's package graphviz). Each picture contains the checksum of its source,
so that a test detects pictures that are out of date."""

import hashlib
import pathlib
import re
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "docs" / "pictures"


def checksum(source: pathlib.Path) -> str:
    return hashlib.sha256(source.read_bytes()).hexdigest()


def main() -> None:
    for source in sorted(FOLDER.glob("*.dot")):
        try:
            svg = subprocess.run(
                ["dot", "-Tsvg", source], check=True, capture_output=True, text=True
            ).stdout
        except FileNotFoundError:
            sys.exit("error: dot is missing; install the package graphviz")
        # Graphviz's comments differ between machines.
        svg = re.sub(r"<!--.*?-->\n?", "", svg, flags=re.S)
        svg = svg.replace("<svg ", f"<!-- of {source.name}, sha256 {checksum(source)} -->\n<svg ", 1)
        source.with_suffix(".svg").write_text(svg)


if __name__ == "__main__":
    main()
