"""The part `profile`: profiles kernels with Nsight Compute if it is installed and permitted, and
with CUPTI in any case."""

import csv
import io
import shutil
import subprocess
import tarfile

#: The seconds that a case may take under ncu, and the metrics of its report that rows contain.
SECONDS = 90
METRICS = ("gpu__time_duration.sum", "sm__throughput.avg.pct_of_peak_sustained_elapsed",
           "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
           "dram__throughput.avg.pct_of_peak_sustained_elapsed", "dram__bytes_read.sum",
           "dram__bytes_write.sum", "lts__t_sector_hit_rate.pct",
           "sm__warps_active.avg.pct_of_peak_sustained_active", "launch__registers_per_thread",
           "launch__shared_mem_per_block_dynamic", "launch__shared_mem_per_block_static",
           "launch__occupancy_limit_registers", "launch__occupancy_limit_shared_mem",
           "sm__inst_executed_pipe_tensor.sum",
           "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum")


def _read(ncu: str, report) -> list[dict]:
    """Returns the metrics of each kernel from the page "raw" of the report."""
    said = subprocess.run([ncu, "--import", str(report), "--csv", "--page", "raw"],
                          capture_output=True, text=True, timeout=60).stdout
    start = said.find('"ID"')
    table = list(csv.DictReader(io.StringIO(said[start:]))) if start >= 0 else []
    return [{"kernel": line.get("Kernel Name", "")[:120],
             **{m: line[m] for m in METRICS if m in line}} for line in table[1:]]


def run(part, keys: list[str]) -> None:
    ncu = shutil.which("ncu")
    reports = {}
    for key in keys:
        how = "quick" if part.options.quick else ""
        part.ours(key, judges=False, how=how)
        part.row(key, "eager", {"do": "eager", "key": key, "how": how})
        if not ncu:
            continue
        report = part.folder / f"{key}.ncu-rep"
        prefix = [ncu, "--clock-control", "none", "--set", "full", "--target-processes", "all",
                  "--kernel-name", "regex:^(kernel|main|loops)_", "--launch-count", "6", "-f", "-o",
                  str(report)]
        found = part.call({**part.task(key), "do": "once"}, SECONDS, prefix)
        row = {"part": "profile", "case": key, "who": "ncu", **found}
        row.pop("code", None)
        if report.exists():
            row["kernels"] = _read(ncu, report)
            reports[key] = report
        elif row["status"] == "ok":
            row |= {"status": "failed", "error": "ncu has left no report"}
        part.results.add(row)
        part.show(row)
        part.drop(key)
    if not ncu:
        part.results.add({"part": "profile", "case": "ncu", "who": "ncu", "status": "skipped",
                          "error": "ncu is not installed; rows have what CUPTI says"})
    if reports:
        with tarfile.open(part.options.out / "profile.tar.xz", "w:xz") as tar:
            for key, report in reports.items():
                tar.add(report, report.name)
