"""The benchmark of GPUs without a GPU: every part of a bundle of small sizes runs on the emulator,
with the command that measures a GPU. Each planted fault must affect only one row, which says what
to repair."""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

import emulate
import harness
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUNDLE = ROOT / "benchmarks" / "gpu" / "bundle.py"
CASES = ["small_mm_130_72_136_bf16", "small_softmax", "softmax", "matmul_16_rows",
         "autoencoder_b1_bf16", "matmul_16_rows@tensorcore=16:64:32:1:4:3",
         "matmul_16_rows@tensorcore=64:64:32:2:2:4", "linear_bert_up_tf32"]


def python(*command, status=(0,), **variables) -> str:
    env = {**os.environ, "FX_BUILD_DIR": str(harness.BUILD), "OMP_NUM_THREADS": "1", **variables}
    if "FX_SANITIZER_RUNTIME" in env:
        env["LD_PRELOAD"] = env["FX_SANITIZER_RUNTIME"]
    result = subprocess.run([sys.executable, *map(str, command)], env=env, capture_output=True,
                            text=True, timeout=1500)
    assert result.returncode in status, result.stdout + result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("gpu")


def make(folder, maker, name, *args) -> pathlib.Path:
    if not (folder / name).exists():
        python(maker, folder / name, *args)
    return folder / name


def dry(folder) -> pathlib.Path:
    return make(folder, BUNDLE, "dry", "--dry", "--archive", *CASES)


def run(bundle, out, part, *args, status=(0,), **variables) -> list[dict]:
    """Returns the rows of a part, without the row of the machine."""
    python(bundle / "run.py", part, "--out", out, *args, status=status,
           **{**emulate.driver(chip=90), **variables})
    rows = [json.loads(line) for line in (out / f"{part}.jsonl").read_text().splitlines()]
    assert rows[0]["case"] == "machine" and rows[0]["driver"] == "13.0", rows[0]
    return rows[1:]


def parts(folder):
    """Runs all parts and checks the contents of their rows. The status of a row tells that its case
    is correct."""
    bundle, out = dry(folder), folder / "results"
    rows = {part: run(bundle, out, part, *cases) for part, cases in {
        "calibrate": (), "correct": (), "speed": (), "models": (), "compile": ("softmax",),
        "profile": (), "variants": ()}.items()}
    for part in rows.values():
        assert {row["status"] for row in part} <= {"ok", "skipped"}, part
    assert [row["case"] for row in rows["calibrate"]] == CASES[:2]
    for row in rows["calibrate"]:
        # The bundle contains the emulator's own results.
        assert row["emulated"]["equal"] == row["emulated"]["of"] > 0
        assert row["differ_in_repeats"] == 0 and row["difference"] <= row["limit"]
        assert row["image"]["chip"] in ("sm_90a", "sm_80")
        assert row["code"][0]["nodes"], row["code"]
    assert {(row["case"], row["who"]) for row in rows["models"]} == {
        ("autoencoder_b1_bf16", who) for who in ("ours", "eager")}
    assert all(row["host_ms"] > 0 for row in rows["models"] + rows["speed"])
    ours = [row for row in rows["models"] if row["who"] == "ours"]
    assert all(row["host_launches_ms"] > 0 for row in ours)
    # Runs were repeated, so their launches were replayed as graphs.
    assert all(row["graphs"]["made"] == 1 and row["graphs"]["replayed"] >= 1 and
               "off" not in row["graphs"] for row in ours), ours
    assert {row["who"] for row in rows["compile"]} == {"default", "reduce-overhead"}
    assert rows["profile"][-1]["who"] == "ncu" and rows["profile"][0]["case"] == "softmax"
    tiles = {row["case"]: row["schedules"]["kernel_0"]["tiles"] for row in rows["variants"]}
    assert tiles["matmul_16_rows@tensorcore=16:64:32:1:4:3"] == "16:64:32:1:4:3"
    assert tiles["matmul_16_rows@tensorcore=64:64:32:2:2:4"] == "64:64:32:2:2:4"


def table(folder):
    """The fastest tiles are written to the table and replace those of the same size. Tiles with
    wrong results, or other tiles than requested, are not written."""
    def row(case, ms, kind, tiles, status="ok", m=128):
        return {"who": "ours", "status": status, "case": case, "graph_ms": ms, "schedules": {
            "kernel_0": {"kind": kind, "tiles": tiles, "m": m, "n": 256, "k": 512},
            "kernel_1": {"kind": "rows"}}}

    mma = "warpgroup=0:0,tensorcore=64:64:64:2:2:3"
    rows = [row("a", 2.0, "warpgroup", "128:6"), row("a@warpgroup=64:6", 1.0, "warpgroup", "64:6"),
            row("a@warpgroup=64:8", 0.1, "warpgroup", "64:8", "wrong"),
            row("a@warpgroup=256:8", 0.2, "tensorcore", "64:64:32:2:2:4"),
            row("b", 2.0, "warpgroup", "128:6", m=64), row(f"b@{mma}", 1.5, "tensorcore",
                                                           "64:64:64:2:2:3", m=64),
            row("c", 1.0, "matmul", "64:64:16:4:4", m=32),
            row("c@matmul=16:64:32:1:4", 0.99, "matmul", "16:64:32:1:4", m=32)]
    results, inc = folder / "variants.jsonl", folder / "TileTable.inc"
    results.write_text("".join(json.dumps(r) + "\n" for r in rows))
    kept = '{"warpgroup", 999, 256, 512, {64, 6}},'
    inc.write_text("// Head.\n" + kept + '\n{"warpgroup", 128, 256, 512, {256, 4}}, // old\n')
    said = python(BUNDLE.with_name("variants.py"), results, "--write", "--table", inc)
    assert inc.read_text().splitlines() == [
        "// Head.", kept,
        '{"warpgroup", 128, 256, 512, {64, 6}}, // 1.0000 ms, 128:6 2.0000 ms',
        '{"warpgroup", 64, 256, 512, {0, 0}}, // 1.5000 ms, 128:6 2.0000 ms',
        '{"tensorcore", 64, 256, 512, {64, 64, 64, 2, 2, 3}}, // 1.5000 ms, 128:6 2.0000 ms'], said


def archive(folder):
    """The checksum matches the archive, and the archive contains the folder."""
    bundle = dry(folder)
    path = bundle.with_name("dry.tar")
    digest, name = path.with_name("dry.tar.sha256").read_text().split()
    assert name == "dry.tar" and hashlib.sha256(path.read_bytes()).hexdigest() == digest
    with tarfile.open(path) as tar:
        assert {"dry/run.py", "dry/manifest.json"} <= set(tar.getnames())
    # A folder that is too large is not archived.
    text = ("import sys; sys.path.insert(0, sys.argv[1]); import bundle, pack; pack.LIMIT = 1000; "
            "sys.argv = ['bundle.py', *sys.argv[2:]]; bundle.main()")
    said = python("-c", text, BUNDLE.parent, folder / "large", "--dry", "softmax", status=(1,))
    assert re.search(r"\d+ bytes, \d+% of the 0 MiB that it may have; 1 artefacts", said), said


def tools(folder):
    """ncu and compute-sanitizer are used if they are installed; here they are programs that print
    their arguments."""
    tool = folder / "tools" / "ncu"
    tool.parent.mkdir()
    tool.write_text("""#!/bin/bash
if [ "$1" = --import ]; then
  printf '"ID","Kernel Name","gpu__time_duration.sum"\\n"","","us"\\n"0","kernel_0","3.5"\\n'; exit
fi
while [ "$1" != -o ]; do shift; done
echo report > "$2"; shift 2; exec "$@"
""")
    tool.chmod(0o755)
    path = f"{tool.parent}:{os.environ['PATH']}"
    rows = run(dry(folder), folder / "tools", "profile", "softmax", PATH=path)
    assert [row["status"] for row in rows] == ["ok"] * 3
    assert rows[2]["kernels"] == [{"kernel": "kernel_0", "gpu__time_duration.sum": "3.5"}]
    with tarfile.open(folder / "tools" / "profile.tar.xz") as tar:
        assert tar.getnames() == ["softmax.ncu-rep"]


def faults(folder):
    """Each fault affects only its own row, which says what to repair."""
    bundle = make(folder, ROOT / "test" / "EndToEnd" / "gpu_faults.py", "faulty")
    # This is enough memory for all cases but one.
    out, memory = folder / "faults", {"FX_FAKE_CUDA_MEMORY": "60000",
                                      "FX_FAKE_CUDA_ALIGNMENT": "16"}
    found = {row["case"]: row for row in
             run(bundle, out, "correct", "--timeout=8", status=(1,), **memory)}
    assert {case: row["status"] for case, row in found.items()} == {
        "copy": "timeout", "gelu": "failed", "matmul_16_rows": "wrong", "transpose": "failed",
        "sum_rows": "ok", "sum_columns": "unverified", "linear_4096_bf16": "failed",
        "matmul_1_row": "ok"}
    # A kernel that never ends: the row names the kernel, its node and the line.
    hung = found["copy"]["again"]["sync"]
    assert "no end after" in found["copy"]["error"] and found["copy"]["stage"] == "run"
    assert hung["status"] == "timeout" and hung["last_kernel"]["kernel"] == "kernel_0"
    assert re.search(r"add \(\S*cases\.py:\d+\)", hung["last_kernel"]["nodes"]), hung
    # An illegal address.
    assert "CUDA_ERROR_ILLEGAL_ADDRESS" in found["gelu"]["error"]
    sync = found["gelu"]["again"]["sync"]
    assert re.search(r"kernel 'kernel_0' \(of gelu \(\S*cases\.py:\d+\)\) failed: "
                     r"CUDA_ERROR_ILLEGAL_ADDRESS", sync["error"]), sync["error"]
    # A wrong stride: the first row is correct, and the counts tell which rows are not.
    wrong = found["matmul_16_rows"]
    about = wrong["mismatches"][0]
    assert len(about["first"]) == 16 and about["first"][0]["index"][0] == 1
    assert about["rows"] == [1, 15] and about["row_mod_8"][0] <= 63 < about["row_mod_8"][1]
    assert sum(about["column_mod_64"]) == about["wrong"] > 800 and about["nan"] == 0
    assert wrong["image"] and wrong["driver"] == "13.0"
    assert wrong["again"]["sync"]["status"] == "wrong"
    # Other input values than those that the bundle was made for.
    assert re.search("input 0: expected numbers with the checksum .* a seed has changed",
                     found["transpose"]["error"])
    # If eager mode cannot run a case, the row only says that it is not compared.
    assert "planted" in found["sum_rows"]["eager_failed"]
    assert "same device" in found["sum_columns"]["reference_failed_cpu"]
    # Too little memory.
    assert re.search(r"out of memory on the device: \d+ bytes for an output",
                     found["linear_4096_bf16"]["error"])
    rows = run(bundle, out, "speed", "sum_rows", status=(1,))
    assert [row["status"] for row in rows] == ["ok", "failed"]
    assert rows[1]["who"] == "eager" and "planted" in rows[1]["error"] and rows[1]["at"]


def machines(folder):
    """No driver, and results that cannot be written."""
    bundle, out = dry(folder), folder / "none"
    python(bundle / "run.py", "calibrate", "--out", out, status=(1,),
           FX_LIBCUDA="/nowhere/libcuda.so")
    (row,) = map(json.loads, (out / "calibrate.jsonl").read_text().splitlines())
    assert row["case"] == "machine" and row["status"] == "failed" and row["stage"] == "driver"
    assert "/nowhere/libcuda.so: cannot open shared object file" in row["error"]
    (folder / "file").write_text("no folder")
    said = python(bundle / "run.py", "calibrate", "small_softmax", "--out", folder / "file",
                  status=(1,), **emulate.driver(chip=90))
    rows = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    assert [row["status"] for row in rows if row["who"] == "file"][0] == "failed"
    assert "Not a directory" in rows[0]["error"] or "exists" in rows[0]["error"]
    assert rows[-1]["case"] == "small_softmax" and rows[-1]["status"] == "ok"


@pytest.mark.long
def test_all_cases(folder):
    """Runs every program of a bundle at a small size."""
    bundle, out = folder / "all", folder / "results of all"
    python(BUNDLE, bundle, "--dry", "--sets=calibrate,kernels,models")
    for part in ("calibrate", "correct"):
        rows = run(bundle, out, part, "--limit=3000")
        assert {row["status"] for row in rows} == {"ok"}
        assert all(row["emulated"]["equal"] == row["emulated"]["of"] for row in rows
                   if part == "calibrate")


@pytest.mark.skipif(not shutil.which("ptxas"), reason="needs ptxas")
def test_expected_times(tmp_path):
    """The table of kernels, with measured times if there are any."""
    rows = [{"case": "argmax_bf16", "who": who, "status": "ok", "events_ms": ms}
            for who, ms in (("ours", 0.01), ("eager", 0.02))]
    (tmp_path / "speed.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    script = BUNDLE.with_name("expected.py")
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in
             python(script, "argmax_bf16", "--results", tmp_path).splitlines()]
    found = dict(zip(cells[0], cells[2], strict=True))
    assert (found["case"], found["class"], found["launches"]) == ("`argmax_bf16`", "`rows`", "1")
    assert found["measured, µs"] == "10.0" and found["eager, µs"] == "20.0"
    # 64 rows of 128,256 numbers are 16.4 MB, 3.8 µs at the 4.27 TB/s of an H200.
    assert found["MB"] == "16.4" and found["limit"] == "memory" and found["spills"] == "0"
    assert found["share"] == "38%"
    assert python(script, "argmax", status=(2,)) == ""  # no such case


# One worker runs all of them, since they share the bundle.
@pytest.mark.parametrize("what", [
    pytest.param(f, id=f"dry/{f.__name__}")
    for f in (parts, table, archive, tools, faults, machines)])
def test_bundle(what, folder):
    what(folder)
