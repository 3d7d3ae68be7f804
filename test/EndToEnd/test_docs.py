"""Every code block of the documentation runs, or gives a reason why not (docs.py has the rules).
Every link has a target."""

import html
import json
import multiprocessing
import os
import pathlib
import re
import shutil
import sys
import traceback

import docs
import harness
import pytest

sys.path += [str(harness.ROOT / "scripts"), str(harness.ROOT / "docs" / "site")]
import build as site  # noqa: E402
import draw  # noqa: E402

PAGES = {str(path.relative_to(harness.ROOT)): path for path in docs.pages()}
NOTEBOOKS = {str(path.relative_to(harness.ROOT)): path for path in docs.notebooks()}
ALL = {**PAGES, **NOTEBOOKS}


def of_pages(names):
    """Parametrizes a test by page. Identifiers with a slash would be one group for xdist."""
    return pytest.mark.parametrize("name", names, ids=lambda name: name.replace("/", "."))


LINK = re.compile(r"(?<!!)\[(?:[^][]|\[[^][]*\])*\]\(([^)\s]+)\)")


def _child(page, folder, pipe):
    try:
        docs.run_page(page, folder)
        pipe.send(None)
    except AssertionError as error:
        pipe.send(str(error))
    except BaseException:
        pipe.send(traceback.format_exc())
    finally:
        os._exit(0)


@pytest.mark.skipif("ASAN_OPTIONS" in os.environ, reason="loads fx_mlir in a process without asan")
@of_pages(ALL)
def test_page(name):
    page = docs.blocks(docs.read(ALL[name]), name)
    if any(block.what not in ("text", "not run") for block in page):
        # The folder is the same in each run, so that ccache finds the compilations.
        run(page, harness.BUILD.resolve() / "test-docs" / pathlib.PurePath(name).with_suffix(""))


def run(page, folder):
    shutil.rmtree(folder, ignore_errors=True)
    # A fork has torch loaded already. Modules that the page registers and loads end with the fork.
    fork = multiprocessing.get_context("fork")
    ours, theirs = fork.Pipe(duplex=False)
    process = fork.Process(target=_child, args=(page, folder, theirs))
    process.start()
    theirs.close()
    try:
        problem = ours.recv() if ours.poll(1200) else "timeout"
    except EOFError:
        problem = "the process of the page ended"
    process.kill()
    process.join()
    if problem:
        pytest.fail(problem, pytrace=False)


def _anchors(path: pathlib.Path) -> set[str]:
    """Returns the anchors that GitHub gives to the headings of a page."""
    found: dict[str, int] = {}
    for heading in re.findall(r"^#+ +(.+?)\s*$", path.read_text(), re.M):
        heading = re.sub(r"\[(.*?)\]\(.*?\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        found[slug] = found.get(slug, 0) + 1
    return {slug if k == 0 else f"{slug}-{k}" for slug, n in found.items() for k in range(n)}


@of_pages(ALL)
def test_links(name):
    text = re.sub(r"^ *```.*?^ *```$", "", docs.read(ALL[name]), flags=re.M | re.S)
    wrong = []
    for target in LINK.findall(re.sub(r"`[^`\n]*`", "", text)):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        path = (ALL[name].parent / file).resolve() if file else ALL[name]
        if not path.exists():
            wrong.append(target)
        elif anchor and (path.suffix != ".md" or anchor not in _anchors(path)):
            wrong.append(target)
    assert not wrong


PATH = re.compile(r"`((?:lib|include|test|scripts|tools|python|examples|rules|benchmarks|docs|cmake|fx|fx-c)/[\w./-]+)(?![\w./<-])")


@of_pages(sorted(set(PAGES) - {"CHANGELOG.md"}))
def test_paths(name):
    """Files of the tree that a page names must exist."""
    roots = [harness.ROOT, harness.ROOT / "include", harness.BUILD / "include", PAGES[name].parent]
    text = re.sub(r"^ *```.*?^ *```$", "", PAGES[name].read_text(), flags=re.M | re.S)
    wrong = {path for path in PATH.findall(text) if not any((root / path).exists() for root in roots)}
    assert not wrong


@of_pages(NOTEBOOKS)
def test_notebooks_are_clean(name):
    """Outputs in the tree would change with each run."""
    notebook = json.loads(NOTEBOOKS[name].read_text())
    assert notebook["nbformat"] == 4
    for cell in notebook["cells"]:
        assert not cell.get("outputs") and cell.get("execution_count") is None


def test_navigation():
    """The site has every page of docs/, and only pages that exist or that it generates."""
    nav = site.nav_pages()
    assert len(nav) == len(set(nav))
    written = {f"reference/{name}.md" for name in site.GENERATED}
    assert written == {page for page in nav if page.startswith("reference/")}
    assert set(nav) - written == set(PAGES)
    for name in site.TABLEGEN:
        assert (harness.BUILD / "docs" / f"{name}.md").exists(), name


def test_every_tool_is_in_the_reference():
    tools = {path.name for path in (harness.ROOT / "tools").iterdir() if path.is_dir()}
    assert tools == set(site.TOOLS)


def test_the_specification_is_tested():
    """Each numbered constraint of docs/Dialect.md has a test that names it and expects its
    error."""
    page = (harness.ROOT / "docs" / "Dialect.md").read_text()
    rules = dict(re.findall(r"^\| ([A-Z]\d+) \| .* \| (`.*`) \|$", page, re.M))
    broken: dict[str, list[str]] = {}
    tests = [*(harness.ROOT / "test" / "IR").glob("*.mlir")]
    for path in [*tests, harness.ROOT / "test" / "Operators" / "verify-errors.mlir"]:
        tags: list[str] = []
        for line in path.read_text().splitlines():
            if found := re.findall(r"\[([A-Z]\d+)\]", line) if line.strip().startswith("//") else []:
                tags = found
            elif error := re.search(r"expected-error.*?\{\{(.*)\}\}", line):
                for tag in tags:
                    broken.setdefault(tag, []).append(error.group(1))
            elif "expected-note" not in line:
                tags = []
    assert set(rules) == set(broken)
    for rule, errors in rules.items():
        patterns = [
            ".*".join(map(re.escape, error.split("…"))) for error in re.findall(r"`(.*?)`", errors)
        ]
        for pattern in patterns:
            assert any(re.search(pattern, error) for error in broken[rule]), (rule, pattern)


@pytest.mark.parametrize(
    "tool, page, section",
    [
        ("fx-compile", "docs/Report.md", "## fx-compile"),
        ("fx-run", "docs/Report.md", "## fx-run"),
        ("fx-quantize", "docs/Quantization.md", "## Options"),
    ],
)
def test_options(tool, page, section):
    """The tables of options agree with --help."""
    text = re.split(r"^## ", PAGES[page].read_text().split(section + "\n")[1], flags=re.M)[0]
    cells = re.findall(r"^\| (`-.*?) \|", text, re.M) + re.findall(r"^- (`--.*?`)", text, re.M)
    told = {name for cell in cells for name in re.findall(r"`(-O|--?[a-z-]+)", cell)}
    own = harness.tool(tool, "--help").stdout.split("Generic Options:")[-1]
    real = set(re.findall(r"^ +(-O|--?[a-z-]+)", own, re.M)) - {"--help", "--help-list", "--version"}
    # Options of LLVM and MLIR, which --help hides, and options in the usage line.
    hidden = {"--mcpu", "--mlir-timing", "--mlir-print-ir-after"}
    real |= {"fx-compile": hidden, "fx-run": {"--inputs", "--outputs"}}.get(tool, set())
    assert told == real


MODEL = """
fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4, 4], f32>
  %y = call_function @aten.relu.default(%x) : (!fx.tensor<[4, 4], f32>) -> !fx.tensor<[4, 4], f32>
  %v = call_function @aten.linalg_eigvalsh.default(%y) : (!fx.tensor<[4, 4], f32>) -> !fx.tensor<[4], f32>
  output(%y, %v) : (!fx.tensor<[4, 4], f32>, !fx.tensor<[4], f32>)
}
"""


def test_report_keys(tmp_path):
    """docs/Report.md lists the keys of the report, and no others."""
    parts = re.split(r"^##+ (.*)$", PAGES["docs/Report.md"].read_text(), flags=re.M)
    sections = dict(zip(parts[1::2], parts[2::2]))

    def keys(section):
        cells = re.findall(r"^\| (`.*?) \|", sections[section], re.M)
        return {key for cell in cells for key in re.findall(r"`(\w+)`", cell)}

    (tmp_path / "m.mlir").write_text(MODEL)
    result = harness.tool(
        "fx-compile", tmp_path / "m.mlir", "--target=cuda", "-o", tmp_path / "m.so", "--report", tmp_path / "r.json"
    )
    assert result.returncode == 0, result.stderr
    report = json.loads((tmp_path / "r.json").read_text())
    # Tests run without a cache, and this model has one method, no constants, and was not exported
    # by torch.
    other = {"cache", "methods", "in_spec", "out_spec", "constants", "text_outputs"}
    assert {*report} | other == keys("The report")
    for section in ("operators", "kernels", "device_kernels"):
        assert {key for entry in report[section] for key in entry} == keys(section), section


@pytest.mark.parametrize("source", sorted(draw.FOLDER.glob("*.dot")), ids=lambda path: path.name)
def test_pictures(source):
    """Each picture is generated from its current source and shows all of its labels."""
    picture = source.with_suffix(".svg").read_text()
    assert f"sha256 {draw.checksum(source)} " in picture, "run scripts/draw.py"
    shown = {html.unescape(text).strip() for text in re.findall(r"<text[^>]*>(.*?)</text>", picture)}
    labels = re.findall(r'label="(.*?)"', source.read_text())
    assert labels and {line.strip() for label in labels for line in label.split("\\n")} <= shown


def test_the_pipeline_shows_every_phase():
    sources = (harness.ROOT / "lib" / "Pipelines").glob("*.cpp")
    phases = {name for s in sources for name in re.findall(r'phases\.run\(\s*"(\w+)"', s.read_text())}
    assert {"import", "simplify", "linalg", "schedule", "bufferize"} <= phases | {"import"}
    picture = (draw.FOLDER / "pipeline.svg").read_text()
    words = set(re.findall(r"\w+", " ".join(re.findall(r">([^<]+)</text>", picture))))
    assert phases <= words, phases - words


FINE = """
```mlir
module {}
```
<!-- file: x.c -->
```c
int x;
```

- an item

      with more text

```sh
cc -c x.c
```
<!-- output -->
```text
done in … s
```
<!-- not run: needs a GPU -->
```python
print(1)
```
"""


def test_the_blocks_are_found():
    found = docs.blocks(FINE, "page")
    assert [(b.language, b.what, b.argument) for b in found] == [
        ("mlir", "run", None),
        ("c", "file", "x.c"),
        ("sh", "run", None),
        ("text", "output", None),
        ("python", "not run", "needs a GPU"),
    ]
    assert found[0].text == "module {}\n" and found[0].line == 2


@pytest.mark.parametrize(
    "text, error",
    [
        ("```c\nint x;\n```\n", "page:1: a block in c needs a comment"),
        ("```\nx\n```\n", "page:1: '' is no language"),
        ("text\n\n    code\n", "page:3: code is fenced"),
        ("<!-- file: x.c -->\n```c\nint x;\n```\n", "page:2: no later block uses the file"),
        ("<!-- not run -->\n```sh\nx\n```\n", "page:2: 'not run' in the comment lacks its text"),
        ("```sh\nx\n", "page:1: the block does not end"),
    ],
)
def test_bad_pages_are_refused(text, error):
    with pytest.raises(AssertionError, match=re.escape(error)):
        docs.blocks(text, "page")


@pytest.mark.parametrize(
    "text, error",
    [
        ("```sh\nfalse\n```\n", "page:1: exit status 1"),
        ("```python\nx = 1\nx.y\n```\n", 'File "page", line 3'),
        ("```mlir\nnonsense\n```\n", "page:1: exit status 1"),
        ("```sh\necho 1\n```\n<!-- output -->\n```text\n2\n```\n", "prints:\n1\n"),
        ("<!-- from: README.md -->\n```c\nno such line\n```\n", "page:2: this is not in README.md"),
        (
            "<!-- file: README.md -->\n```c\nx\n```\n```sh\ncat README.md\n```\n",
            "page:2: 'README.md' is a file of the tree",
        ),
    ],
)
@pytest.mark.skipif("ASAN_OPTIONS" in os.environ, reason="as test_page")
def test_failures_are_seen(text, error, monkeypatch, tmp_path):
    problems = []
    monkeypatch.setattr(pytest, "fail", lambda message, pytrace: problems.append(message))
    run(docs.blocks(text, "page"), tmp_path / "clone")
    assert problems and error in problems[0]


def test_formats():
    """Report.md lists the formats that fx-compile writes."""
    table = (harness.ROOT / "include" / "fx" / "Pipelines" / "Formats.def").read_text()
    formats = re.findall(r'^FX_FORMAT\(\w+, \w+, "([\w-]+)"', table, re.M)
    rows = (harness.ROOT / "docs" / "Report.md").read_text().split("| `--emit` | output |")[1].split("\n\n")[0]
    cells = [line.split("|")[1] for line in rows.splitlines() if line.startswith("|")]
    assert sorted(re.findall(r"`([\w-]+)`", " ".join(cells))) == sorted(formats)


def test_kernel_classes():
    """Report.md lists the schedules of kernels. A kernel of plain loops has none."""
    text = (harness.ROOT / "include" / "fx" / "Kernels" / "IR" / "KernelAttrs.td").read_text()
    schedules = re.findall(r'FXKernel_(?:Simple|Tiled|Unrolled)Schedule<"\w+", "(\w+)">', text)
    row = re.search(r"^\| `schedule` \| `kind` \((.*)\) and its", (harness.ROOT / "docs" / "Report.md").read_text(), re.M)
    assert set(re.findall(r"`(\w+)`", row[1])) == {*schedules, "loops"}


def test_platforms():
    """The help of fx-compile, Report.md and GPU.md have each platform of Formats.def."""
    table = (harness.ROOT / "include" / "fx" / "Pipelines" / "Formats.def").read_text()
    names = [name.lower() for name in re.findall(r"^FX_GPU_PLATFORM\((\w+)\)", table, re.M)]
    help_text = harness.tool("fx-compile", "--help").stdout
    row = re.search(r"^\| `--target=TARGET` \|(.*)", (harness.ROOT / "docs" / "Report.md").read_text(), re.M)
    guide = (harness.ROOT / "docs" / "GPU.md").read_text()
    for name in names:
        assert re.search(rf"--target=<target>.*\b{name}\b", help_text)
        assert f"`{name}`" in row[1]
        assert f"--target={name}" in guide


def test_placeholders():
    """Paths with placeholders, such as `lib/Operators/Shape/<Family>.cpp`, exist for some name."""
    text = (harness.ROOT / "CONTRIBUTING.md").read_text()
    paths = set(re.findall(r"`((?:include|lib|test)/[^`\s]*<[^`\s]*)`", text))
    assert paths
    assert not [path for path in paths if not list(harness.ROOT.glob(re.sub(r"<\w+>", "*", path)))]
