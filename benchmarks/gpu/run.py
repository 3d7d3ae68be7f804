#!/usr/bin/env python3
"""Runs a part of the benchmark, in a bundle made by bundle.py, on this machine's GPU.

    python FOLDER/run.py PART [CASE ...] [--out RESULTS]

PART is calibrate, correct, speed, models, compile, profile or variants. Each row of the results is
one line of JSON in RESULTS/PART.jsonl. It is made by a process of its own and written at once, so
that a crash or hang affects only that row. Rows that are not `ok` contain information for
debugging: their case is run again with FX_GPU_SYNC=1, and under compute-sanitizer if it is
installed.

docs/GPU.md documents the keys. Without a GPU, FX_LIBCUDA names an emulator, and tensors are passed
on the host.
"""

import argparse
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import isolate  # noqa: E402
import pack  # noqa: E402
import profiling  # noqa: E402
import rows  # noqa: E402
import sets  # noqa: E402
import torch  # noqa: E402

#: The maximum seconds of a row, of a run that repeats a failed one, and of a part.
ROW, AGAIN, PART = 60, 30, 450
#: After HANGS rows that timed out, other rows get only SHORT seconds and are not repeated.
HANGS, SHORT = 2, 20


class Results:
    """Writes rows as lines of JSON to a file, or to standard output if the file is not writable.
    Several processes may append lines to one file."""

    def __init__(self, path: pathlib.Path, appends: bool = False):
        self.path, self.file, self.bad = path, None, 0
        self._try(lambda: path.parent.mkdir(parents=True, exist_ok=True))
        if not appends:
            self._try(lambda: path.write_bytes(b""))
        self._try(lambda: setattr(self, "file", open(path, "ab", 0)))

    def _try(self, action) -> None:
        try:
            action()
        except OSError as e:
            self.file = None
            self.add({"case": "results", "who": "file", "status": "failed",
                      "error": f"{self.path}: {e.strerror}: rows are lines of standard output"})

    def add(self, row: dict) -> None:
        self.bad += row["status"] not in ("ok", "skipped")
        line = json.dumps(row, default=str) + "\n"

        def write():
            self.file.write(line.encode())
            os.fsync(self.file.fileno())

        if self.file:
            self._try(write)
        if not self.file:
            print(line, end="", flush=True)


class Part:
    """Runs one part of the benchmark."""

    def __init__(self, options, folder: pathlib.Path):
        self.options, self.folder = options, folder
        self.manifest = json.loads((HERE / "manifest.json").read_text())
        self.device = "cpu" if os.environ.get("FX_LIBCUDA") else "cuda"
        self.end = time.monotonic() + options.limit
        self.results = Results(options.out / f"{options.part}.jsonl")
        self.forks = not options.no_fork
        self.machine: dict = {}
        self.hangs = 0
        self.joined: set[str] = set()
        self.log = folder / "cuda.log"

    def left(self) -> float:
        return self.end - time.monotonic()

    def call(self, task: dict, timeout: float, prefix=(), **env) -> dict:
        self.log.unlink(missing_ok=True)
        task = {"device": self.device, "small": self.manifest["small"], **task,
                "env": {"FX_GPU_LOG": str(self.log), **env}}
        timeout = max(1.0, min(timeout, self.left()))
        return isolate.call(rows.work, task, timeout, prefix, self.forks)

    def find_machine(self) -> bool:
        found = self.call({"do": "machine"}, ROW)
        if found["status"] != "ok" and self.forks and self.device == "cuda":
            # The reason may be the fork: try with new processes.
            self.forks = False
            self.machine = self.call({"do": "machine"}, ROW)
            found = self.machine | {"forked": found}
        self.machine = found
        row = {"part": self.options.part, "case": "machine", "who": "machine", **found,
               "target": self.manifest["target"], "made": self.manifest["made"]}
        self.results.add(row)
        rate = found.get("copy_rate", 0) / 1e9
        print(f"{found.get('gpu', 'no GPU')}, torch {torch.__version__}, driver "
              f"{found.get('driver')}, {rate:.0f} GB/s: {found['status']} {found.get('error', '')}",
              flush=True)
        return found["status"] == "ok"

    # -----------------------------------------------------------------------
    # Rows
    # -----------------------------------------------------------------------

    def task(self, key: str, **more) -> dict:
        """Unpacks the artefact of a case and returns the task for `rows.ours`."""
        about = self.manifest["artefacts"][key]
        artefact = self.folder / about["set"] / f"{about['file']}.so"
        if not artefact.exists():
            pack.extract(HERE / f"{about['set']}.tar.xz", self.folder / about["set"])
        if about["weights"] and key not in self.joined:
            pack.join(artefact, about["weights"], HERE)
            self.joined.add(key)
        task = {"do": "ours", "key": key, "artefact": str(artefact), "inputs": about["inputs"],
                "states": about["states"], **more}
        for what, name in (("kernels", f"{about['file']}.kernels.so"),
                           ("emulated", f"{about['file']}.pt")):
            path = artefact.with_name(name)
            if path.exists():
                task[what] = str(path)
        return task

    def drop(self, key: str) -> None:
        """Removes the weights that `join` appended, which may have hundreds of megabytes."""
        about = self.manifest["artefacts"][key]
        if key in self.joined:
            self.joined.remove(key)
            with open(self.folder / about["set"] / f"{about['file']}.so", "r+b") as file:
                file.truncate(about["code_bytes"])

    def last_kernel(self) -> dict | None:
        """Returns the kernel that was launched last, from the log with FX_GPU_SYNC."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        for line in reversed(lines):
            if '"kernel"' in line:
                return json.loads(line)
        return None

    def again(self, task: dict, status: str) -> dict:
        """Runs a failed case again with synchronous launches, and under compute-sanitizer."""
        task = {**task, "times": False, "do": "ours" if status == "wrong" else "once"}
        found = self.call(task, min(AGAIN, self.options.timeout), FX_GPU_SYNC="1",
                          CUDA_LAUNCH_BLOCKING="1")
        kernel = self.last_kernel()
        nodes = {k["name"]: k["nodes"] for k in found.pop("code", [])}
        found.pop("schedules", None)
        if kernel and found["status"] != "ok":
            found["last_kernel"] = kernel | {"nodes": nodes.get(kernel["kernel"], "")}
        tried = {"sync": found}
        if (tool := shutil.which("compute-sanitizer")) and self.left() > 5:
            said = self.folder / "sanitizer.txt"
            task["do"] = "once"
            tried["sanitizer"] = self.call(task, AGAIN, [tool, "--log-file", str(said)])
            if said.exists():
                tried["sanitizer"]["said"] = said.read_text(errors="replace")[:4000]
        return tried

    def row(self, key: str, who: str, task: dict, again: bool = False) -> dict:
        name = {"part": self.options.part, "case": key, "who": who}
        if self.left() < 2:
            row = name | {"status": "skipped", "error": "the part's time is over"}
        else:
            many = self.hangs >= HANGS
            row = name | self.call(task, min(SHORT, self.options.timeout) if many
                                   else self.options.timeout)
            self.hangs += row["status"] == "timeout"
            if again and not many and row["status"] in ("wrong", "failed", "crashed", "timeout"):
                row["driver"] = self.machine.get("driver")
                row["again"] = self.again(task, row["status"])
        if work := sets.of_key(key).work:
            row["work"], row["unit"] = work(self.manifest["small"])
        self.results.add(row)
        self.show(row)
        return row

    def ours(self, key: str, **more) -> dict:
        return self.row(key, "ours", self.task(key, **more), again=True)

    def show(self, row: dict) -> None:
        text = f"{row['case']:40}{row['who']:8}{row['status']:>11}{row.get('seconds', 0):7.1f} s"
        if row["status"] != "ok":
            text += f"  {' '.join(str(row.get('error', '')).split())[:300]}"
        elif "difference" in row:
            text += f"  {row['difference']:.1e} (limit {row['limit']:.1e})"
        for key in ("host_ms", "host_launches_ms", "events_ms", "graph_ms", "cupti_ms", "tf32_ms"):
            text += f"  {key} {row[key]:.4f}" if key in row else ""
        ms = row.get("graph_ms") or row.get("events_ms")
        if ms and row.get("unit") == "FLOP":
            text += f"  {row['work'] / ms / 1e9:.1f} TFLOP/s"
        elif ms and "unit" in row:
            text += f"  {row['work'] / ms / 1e6 / (self.machine['copy_rate'] / 1e9):.0%} of a copy"
        if same := row.get("emulated"):
            text += f"  {same['equal']} of {same['of']} as emulated"
        print(text, flush=True)

    # -----------------------------------------------------------------------
    # Parts
    # -----------------------------------------------------------------------

    def measure(self, key: str) -> None:
        """Adds the rows of a case."""
        part = self.options.part
        how = "events" if part == "variants" else "quick" if self.options.quick else ""
        if part == "compile":
            for mode in self.options.modes.split(","):
                self.row(key, mode, {"do": "compiled", "key": key, "mode": mode,
                                     "how": "brief" if how else ""})
            return
        self.ours(key, times=part not in ("calibrate", "correct"), how=how,
                  judges=part != "speed" and not self.options.quick)
        self.drop(key)
        if part in ("speed", "models"):
            self.row(key, "eager", {"do": "eager", "key": key, "how": "brief" if how else ""})

    def share(self, keys: list[str]) -> None:
        """Adds the rows of all cases by several processes. Each takes the next case that none has
        taken."""
        os.environ.setdefault("FX_GPU_LOCK", str(self.folder / "lock"))
        lines, give = os.pipe()
        os.write(give, bytes(range(len(keys))))
        os.close(give)
        children = []
        for job in range(self.options.jobs):
            sys.stdout.flush()
            if child := os.fork():
                children.append(child)
                continue
            status = 255
            try:
                self.folder = self.folder / str(job)
                self.results = Results(self.results.path, appends=True)
                self.folder.mkdir()
                self.log = self.folder / "cuda.log"
                while taken := os.read(lines, 1):
                    self.measure(keys[taken[0]])
                status = min(self.results.bad, 254)
            except BaseException:  # the other processes continue
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                os._exit(status)
        for child in children:
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            if 0 <= status < 255:
                self.results.bad += status
            else:
                self.results.add({"part": self.options.part, "case": "a process", "who": "ours",
                                  "status": "failed", "error": "its output has the reason"})

    def run(self) -> int:
        """Runs the part and returns the number of rows that are not right."""
        if not self.find_machine():
            return self.results.bad
        there = list(self.manifest["artefacts"])
        part, named = self.options.part, self.options.cases
        if unknown := set(named) - set(there):
            raise SystemExit(f"expected cases of {', '.join(there)}, got {', '.join(unknown)}")
        keys = named or sets.part_keys(part, there)
        if part == "profile":
            profiling.run(self, keys)
        elif self.options.jobs > 1:
            self.share(keys)
        else:
            for key in keys:
                self.measure(key)
        return self.results.bad


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("part", choices=sets.PARTS)
    parser.add_argument("cases", nargs="*", metavar="CASE")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("results"))
    parser.add_argument("--limit", type=float, default=PART, help="seconds of the part")
    parser.add_argument("--timeout", type=float, default=ROW, help="seconds of a row")
    parser.add_argument("--modes", default="default,reduce-overhead", help="of torch.compile")
    parser.add_argument("--quick", action="store_true", help="fewer measurements, no comparisons")
    parser.add_argument("--jobs", type=int, default=1, help="processes; one at a time measures")
    parser.add_argument("--no-fork", action="store_true", help="start each process again")
    if len(sys.argv) == 3 and sys.argv[1] == "--task":
        task = json.loads(sys.argv[2])
        sys.exit(isolate.perform(rows.work, task, task["fd"]))
    options = parser.parse_intermixed_args()
    with tempfile.TemporaryDirectory(prefix="fx-gpu-") as folder:
        bad = Part(options, pathlib.Path(folder)).run()
    print(f"{bad} rows are not right" if bad else "all rows are right")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
