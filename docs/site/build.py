#!/usr/bin/env python3
"""Builds the site of the documentation: `ninja fx-docs`, or docs/site/build.py BUILD.

Pages are those of docs/, and a reference that is written from the build: the pages of mlir-tblgen,
the tools' --help, the headers of the C interface, the docstrings of the Python package. Links to files of the
tree become links to pages with their text, so the site is whole without a network.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import venv

import c_reference

ROOT = pathlib.Path(__file__).resolve().parents[2]

TOOLS = ("fx-compile", "fx-lsp-server", "fx-opt", "fx-quantize", "fx-reduce", "fx-run", "fx-translate")
#: The reference, in BUILD/docs, that mlir-tblgen writes.
TABLEGEN = {
    "Dialect": "Operations, attributes and types of fx",
    "KernelDialect": "The fx_kernel dialect",
    "TransformPasses": "Passes on graphs",
    "QuantizePasses": "Passes that quantize",
    "ConversionPasses": "Conversions",
    "KernelPasses": "Passes that form kernels",
    "CPUKernelPasses": "Passes of kernels on CPUs",
    "BackendPasses": "Passes of the back end",
    "GPUPasses": "Passes for GPUs",
    **{
        f"{path.parent.name}Passes": f"Passes for {path.parent.name}"
        for path in sorted((ROOT / "lib" / "CodeGen" / "GPU").glob("*/Passes.td"))
    },
}
GENERATED = ("tools", "c", "python", "operators", *TABLEGEN)

ARCHITECTURE = [("Architecture", "docs/Architecture.md")]
#: (title, page) or (title, pages below it); pages are paths in the tree, or `reference/NAME.md`.
NAV = [
    ("fx-mlir", "README.md"),
    ("Overview", "docs/README.md"),
    (
        "Tutorials",
        [
            ("Compile your first model", "docs/tutorials/FirstModel.md"),
            ("Deploy a model from C++", "docs/tutorials/DeployingFromCpp.md"),
            ("Quantize and measure", "docs/tutorials/Quantizing.md"),
            ("Write a pass", "docs/tutorials/WritingAPass.md"),
            ("Add an operator", "docs/tutorials/AddingAnOperator.md"),
            ("Add a fusion", "docs/tutorials/AddingAFusion.md"),
            ("Embed the front end", "docs/tutorials/EmbeddingTheFrontEnd.md"),
            ("Find a numerical difference", "docs/tutorials/FindingADifference.md"),
        ],
    ),
    (
        "Guides",
        [
            ("Tools and their report", "docs/Report.md"),
            ("C and Python interfaces", "docs/Interfaces.md"),
            ("Quantization", "docs/Quantization.md"),
            ("GPUs", "docs/GPU.md"),
            ("Several processes", "docs/Distributed.md"),
            ("Canonicalization", "docs/Canonicalization.md"),
            ("Specification of the fx dialect", "docs/Dialect.md"),
            ("Compatibility", "docs/Compatibility.md"),
            ("Rules of the Export IR", "docs/ExportRules.md"),
            ("Random tests", "docs/Fuzzing.md"),
        ],
    ),
    (
        "Reference",
        [
            ("Options of the tools", "reference/tools.md"),
            ("C interface", "reference/c.md"),
            ("Python interface", "reference/python.md"),
            ("Schemas of operators", "reference/operators.md"),
            *((title, f"reference/{name}.md") for name, title in TABLEGEN.items()),
        ],
    ),
    (
        "State",
        [
            ("Operators", "docs/Operators.md"),
            ("Models", "docs/Models.md"),
            ("Export examples", "docs/ExportExamples.md"),
            ("Performance", "docs/Performance.md"),
        ],
    ),
    (
        "Project",
        [
            *(entry for entry in ARCHITECTURE if (ROOT / entry[1]).exists()),
            ("Rationale", "docs/Rationale.md"),
            ("Security", "SECURITY.md"),
            ("Contributing", "CONTRIBUTING.md"),
            ("Changelog", "CHANGELOG.md"),
        ],
    ),
]


def nav_pages(nav=NAV) -> list[str]:
    found = []
    for _, page in nav:
        found += [page] if isinstance(page, str) else nav_pages(page)
    return found


LANGUAGES = {".cpp": "cpp", ".h": "cpp", ".c": "c", ".py": "python", ".mlir": "text", ".txt": "cmake"}


def operators() -> str:
    """The schemas that the dialect knows, by namespace and first letter."""
    lines = ["# Schemas of operators", ""]
    groups: dict[tuple[str, str], list[str]] = {}
    for file in sorted((ROOT / "lib" / "Operators" / "schemas").glob("*.txt")):
        for line in file.read_text().splitlines():
            schema = line.split(" # ")[0].strip()
            if not schema or schema.startswith("#"):
                continue
            scoped = re.match(r"(\w+)::_*(\w)", schema)
            namespace = scoped.group(1) if scoped else "symbolic"
            letter = scoped.group(2).lower() if namespace == "aten" else ""
            groups.setdefault((namespace, letter), []).append(schema)
    for (namespace, letter), schemas in sorted(groups.items()):
        lines += [f"## {namespace} {letter}".rstrip(), "", "```text", *sorted(schemas), "```", ""]
    return "\n".join(lines)


class Site:
    def __init__(self, build: pathlib.Path) -> None:
        self.build = build.resolve()
        self.pages = self.build / "docs" / "pages"
        self.sources: set[pathlib.Path] = set()

    def place(self, path: pathlib.Path) -> pathlib.Path:
        """Where a file or folder of the tree lies among the pages."""
        name = path.relative_to(ROOT)
        if name == pathlib.Path("README.md"):
            return self.pages / "index.md"
        if path.suffix in (".md", ".svg"):
            return self.pages / name
        self.sources.add(path)
        return self.pages / "source" / f"{name}.md"

    def link(self, page: pathlib.Path, to: pathlib.Path):
        """Replaces a link of `page`, which becomes `to`."""

        def replace(match: re.Match) -> str:
            target, _, anchor = match.group(2).partition("#")
            if re.match(r"[a-z]+:", target) or not target:
                return match.group(0)
            place = self.place((page.parent / target).resolve())
            relative = os.path.relpath(place, to.parent)
            return f"{match.group(1)}({relative}{'#' + anchor if anchor else ''})"

        return replace

    def copy(self, page: pathlib.Path) -> None:
        to = self.place(page)
        to.parent.mkdir(parents=True, exist_ok=True)
        parts = re.split(r"(^ *```.*?^ *```$)", page.read_text(), flags=re.M | re.S)
        for k in range(0, len(parts), 2):
            parts[k] = re.sub(r"(\[[^]]*\])\(([^)\s]+)\)", self.link(page, to), parts[k])
        to.write_text("".join(parts).replace("```mlir", "```text"))

    def write_source(self, path: pathlib.Path) -> None:
        lines = [f"# {path.relative_to(ROOT)}", ""]
        files = sorted(f for f in path.rglob("*") if f.is_file()) if path.is_dir() else [path]
        for file in files:
            if path.is_dir():
                lines += [f"## {file.relative_to(path)}", ""]
            lines += [f"````{LANGUAGES.get(file.suffix, 'text')}", file.read_text().rstrip(), "````", ""]
        to = self.pages / "source" / f"{path.relative_to(ROOT)}.md"
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text("\n".join(lines))

    def write_reference(self) -> None:
        folder = self.pages / "reference"
        folder.mkdir(parents=True)
        for name, title in TABLEGEN.items():
            text = (self.build / "docs" / f"{name}.md").read_text()
            text = re.sub(r"\A(?:<!--.*?-->\s*)?(?:# .*\n)?", f"# {title}\n\n", text, count=1)
            (folder / f"{name}.md").write_text(text.replace("```mlir", "```text"))
        tools = ["# Options of the tools", ""]
        for tool in TOOLS:
            result = subprocess.run(
                [self.build / "bin" / tool, "--help"], check=True, capture_output=True, text=True
            )
            tools += [f"## {tool}", "", "````text", result.stdout.strip(), "````", ""]
        (folder / "tools.md").write_text("\n".join(tools))
        (folder / "operators.md").write_text(operators())
        (folder / "c.md").write_text(c_reference.page(self.compiler(), ROOT / "include"))
        (folder / "python.md").write_text("# Python interface\n\n::: fx_mlir\n")

    def compiler(self) -> str:
        cache = (self.build / "CMakeCache.txt").read_text()
        return re.search(r"^CMAKE_C_COMPILER:\w+=(.*)$", cache, re.M).group(1)

    def config(self) -> str:
        def nav(entries, indent):
            for title, page in entries:
                if isinstance(page, str):
                    path = page if page.startswith("reference/") else self.place(ROOT / page).relative_to(self.pages)
                    yield f'{indent}- "{title}": {path}'
                else:
                    yield f'{indent}- "{title}":'
                    yield from nav(page, indent + "    ")

        settings = (pathlib.Path(__file__).parent / "mkdocs.yml").read_text()
        return "\n".join([settings, "nav:", *nav(NAV, "  "), ""])


def environment(folder: pathlib.Path) -> pathlib.Path:
    """A Python that has the packages of requirements.txt; made once."""
    requirements = pathlib.Path(__file__).parent / "requirements.txt"
    stamp = folder / "requirements.txt"
    if not stamp.exists() or stamp.read_text() != requirements.read_text():
        print("installing mkdocs", flush=True)
        venv.create(folder, clear=True, with_pip=True)
        pip = [folder / "bin" / "python", "-m", "pip", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "install", "-r", requirements], check=True)
        shutil.copy(requirements, stamp)
    return folder / "bin" / "python"


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} BUILD")
    site = Site(pathlib.Path(sys.argv[1]))
    shutil.rmtree(site.pages, ignore_errors=True)
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        site.copy(page)
    shutil.copytree(ROOT / "docs" / "pictures", site.pages / "docs" / "pictures", dirs_exist_ok=True)
    for path in sorted(site.sources):
        site.write_source(path)
    site.write_reference()
    config = site.build / "docs" / "mkdocs.yml"
    config.write_text(site.config())
    python = environment(site.build / "docs" / "venv")
    env = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT / "python")}
    command = [python, "-m", "mkdocs", "build", "--strict", "--quiet", "--config-file", config]
    subprocess.run(command, check=True, env=env)
    for page in (site.build / "docs" / "site").rglob("*.html"):
        if loaded := re.search(r'(?:src|rel="stylesheet" href)="https?:[^"]*"', page.read_text()):
            sys.exit(f"error: {page}: {loaded.group(0)} needs a network")
    print(f"wrote {site.build / 'docs' / 'site' / 'index.html'}")


if __name__ == "__main__":
    main()
