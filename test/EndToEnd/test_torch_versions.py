"""The corpus of archives that each version of torch has written (test/Import/Inputs/versions): all
import, survive a round trip, and run as eager PyTorch did."""

import pathlib
import re
import shutil
import sys

import harness
import numpy as np
import pytest
import roundtrip

CORPUS = harness.ROOT / "test" / "Import" / "Inputs" / "versions"
sys.path.append(str(CORPUS))
import corpus  # noqa: E402

VERSIONS = sorted(
    (path.name for path in CORPUS.glob("2.*")), key=lambda name: int(name.split(".")[1])
)
#: torch 2.8 keeps all weights in one pickled file. Archives are written in the later layout.
PICKLED = {"2.8"}


def programs(version: str) -> list[str]:
    return sorted(path.stem for path in (CORPUS / version).glob("*.pt2"))


def test_size():
    """The corpus has all versions, ten programs or more of each, and at most 5 MB."""
    assert VERSIONS == ["2.8", "2.9", "2.10", "2.11", "2.12", "2.13", "2.14", "2.15"]
    for version in VERSIONS:
        assert len(programs(version)) >= 18, version
        program = corpus.load_program(CORPUS / version / "mlp.pt2")
        assert program["torch_version"].startswith(f"{version}.")
    files = [path for path in CORPUS.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= 5_000_000


def get_distinct() -> list:
    """Returns the programs. Those with the nodes of an older version's program need --long."""
    seen, cases = set(), []
    for version in VERSIONS:
        for name in programs(version):
            key = name, corpus.get_nodes(CORPUS / version / f"{name}.pt2")
            marks = [pytest.mark.long] if key in seen else []
            seen.add(key)
            cases.append(pytest.param(version, name, marks=marks))
    return cases


@pytest.mark.parametrize("version", VERSIONS)
def test_round_trip(version, tmp_path):
    """Each archive imports, and is written with the same nodes. Archives of the older layout import
    as what is written."""
    for name in programs(version):
        path, back = CORPUS / version / f"{name}.pt2", tmp_path / f"{name}.pt2"
        roundtrip.translate("--pt2-to-mlir", "--mlir-to-pt2", path, "-o", back)
        corpus.compare_programs(path, back, graph_only=version in PICKLED)
        if version in PICKLED:
            assert import_states(path) == import_states(back)


def import_states(path: pathlib.Path) -> list[str]:
    """Returns the imported states, with the checksums of their values."""
    text = roundtrip.translate("--pt2-to-mlir", path)
    states = [line for line in text.splitlines() if line.startswith("  fx.state")]
    return [re.sub(r'external<"[^"]*", offset = \d+', "external<", line) for line in states]


def save_inputs(folder: pathlib.Path, name: str) -> list[tuple[pathlib.Path, dict]]:
    """Writes the sets of inputs of a program. Returns their folders with the expected outputs."""
    sets = []
    for k, (inputs, outputs) in enumerate(corpus.load_values(name)):
        where = folder / f"in{k}"
        where.mkdir()
        for file, array in inputs.items():
            np.save(where / f"{file}.npy", array)
        sets.append((where, outputs))
    return sets


@pytest.mark.parametrize("version, name", get_distinct())
def test_run(version, name, tmp_path):
    """Each program runs, interpreted and compiled without ATen, as eager PyTorch did in its
    version."""
    path, compiled = CORPUS / version / f"{name}.pt2", tmp_path / "m.so"
    result = harness.tool("fx-compile", path, "-o", compiled, "--no-fallback")
    assert result.returncode == 0, result.stderr
    for where, expected in save_inputs(tmp_path, name):
        for model, flags in ((path, ["--interpret"]), (compiled, [])):
            out = tmp_path / "out"
            shutil.rmtree(out, ignore_errors=True)
            result = harness.tool("fx-run", model, "--inputs", where, "--outputs", out, *flags)
            assert result.returncode == 0, result.stderr
            got = {file.stem: np.load(file) for file in out.glob("*.npy")}
            corpus.compare(got, expected)


@pytest.mark.parametrize("version", [VERSIONS[0], VERSIONS[-1]])
def test_read_by_torch(version, tmp_path):
    """The pinned torch reads what is written of the oldest and the newest archives."""
    for name in programs(version):
        if name == "flex_gemm":  # of torch 2.14 and later
            continue
        back = tmp_path / f"{name}.pt2"
        roundtrip.translate(
            "--pt2-to-mlir", "--mlir-to-pt2", CORPUS / version / f"{name}.pt2", "-o", back
        )
        corpus.check_in_torch(back, name)
