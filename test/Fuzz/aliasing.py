"""Random programs of views and writes through them, compared with eager PyTorch.

Each seed is a program: inputs, buffers and constants of any dtype and layout,
views of them, writes in place, and outputs that may alias. See docs/Fuzzing.md.
"""

import argparse
import collections
import contextlib
import dataclasses
import functools
import gc
import json
import logging
import multiprocessing
import os
import sys
import time
from typing import ClassVar

os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")

import torch  # noqa: E402
from alias_build import Statistics
from alias_draw import draw
from alias_paths import FORMS, PATHS, Checker, Outcome, reason
from alias_programs import Program
from alias_rows import LEFT_OUT, ROWS
from alias_shrink import shrink

#: A program that takes longer than this counts as a crash.
SECONDS_OF_A_PROGRAM = 120


@dataclasses.dataclass
class Options:
    paths: list[str]
    dynamic: bool = False
    forms: tuple[str, ...] = ("exported",)


def _worker(options: Options, pipe, others) -> None:
    """Receives programs and sends their outcomes, until it receives None."""
    for other in others:  # this process must not keep them open
        other.close()
    torch.set_num_threads(1)
    gc.freeze()  # as in test/EndToEnd/conftest.py
    gc.set_threshold(100_000, 20, 100)
    checker = Checker(options.paths, options.forms)
    with contextlib.suppress(EOFError):
        while (program := pipe.recv()) is not None:
            pipe.send(checker.check(program))
    checker.folder.cleanup()


class Worker:
    """Runs programs in another process, so that a crash there is an outcome, too."""

    #: This process's ends of the pipes of all workers.
    _pipes: ClassVar[list] = []

    def __init__(self, options: Options):
        self.options, self.process, self.done = options, None, 0

    def _start(self) -> None:
        context = multiprocessing.get_context("fork")
        self.pipe, other = context.Pipe()
        Worker._pipes.append(self.pipe)
        arguments = (self.options, other, list(Worker._pipes))
        self.process = context.Process(target=_worker, args=arguments, daemon=True)
        self.process.start()
        other.close()

    def send(self, program: Program) -> None:
        if self.process is None or self.done >= 300:  # torch.export's caches grow
            self.close()
            self._start()
            self.done = 0
        self.done += 1
        self.pipe.send(program)

    def receive(self) -> Outcome:
        try:
            if self.pipe.poll(SECONDS_OF_A_PROGRAM):
                return self.pipe.recv()
            text = f"runs longer than {SECONDS_OF_A_PROGRAM} seconds"
        except EOFError:
            self.process.join()
            text = f"the process ended with {self.process.exitcode}"
        self.process.kill()
        self._forget()
        return Outcome(failures=[(",".join(self.options.paths), "crash", text)])

    def check(self, program: Program) -> Outcome:
        self.send(program)
        return self.receive()

    def close(self) -> None:
        if self.process is not None:
            self.pipe.send(None)
            self.process.join()
            self._forget()

    def _forget(self) -> None:
        self.process = None
        Worker._pipes.remove(self.pipe)
        self.pipe.close()


def classes(outcome: Outcome) -> set[tuple[str, str, str]]:
    """Returns the classes of an outcome's failures. Errors are classified by their reasons."""
    return {(p, k, reason(t) if k == "error" else "") for p, k, t in outcome.failures}


class Session:
    """The programs of many seeds, and their outcomes."""

    def __init__(self, options: Options, shrink_seconds: float = 60, on_failure=print):
        self.options, self.shrink_seconds, self.on_failure = options, shrink_seconds, on_failure
        self.statistics = Statistics()
        self.counts: collections.Counter = collections.Counter()
        self.errors: dict[str, collections.Counter] = {
            k: collections.Counter() for k in ("refused", "torch", "error", "limit")
        }
        self.first: dict[tuple[str, str], int] = {}
        self.seconds: collections.Counter = collections.Counter()
        self.wrong_seeds: list[int] = []
        self.shrunk: set[tuple] = set()
        self.start = time.monotonic()

    def add(self, program: Program, outcome: Outcome) -> set[tuple[str, str, str]]:
        """Counts an outcome and returns its classes."""
        self.counts["programs"] += 1
        self.seconds.update(outcome.seconds)
        if outcome.refused:
            self._note("refused", reason(outcome.refused), program.seed)
        elif outcome.torch_differs:
            self._note("torch", reason(outcome.torch_differs), program.seed)
        else:
            self.counts["compared"] += 1
        for path, text in outcome.limits:
            self._note("limit", f"{path}: {reason(text)}", program.seed)
        found = classes(outcome)
        for path, kind, text in found:
            self.counts[f"{kind} {path}"] += 1
            if kind == "error":
                self._note("error", f"{path}: {text}", program.seed)
        if any(kind != "error" for _, kind, _ in found):
            self.wrong_seeds.append(program.seed)
        return found

    def _note(self, kind: str, text: str, seed: int) -> None:
        self.errors[kind][text] += 1
        self.first.setdefault((kind, text), seed)

    def draw(self, seed: int) -> Program:
        return draw(seed, self.options.dynamic, self.statistics)

    def shorten(self, program: Program, found: set) -> str:
        """Returns the source of a shorter program that fails in the same way, with its failures."""
        worst = next((c for kind in ("crash", "wrong", "error") for c in sorted(found) if c[1] == kind))
        path = worst[0].split(",")
        worker = Worker(dataclasses.replace(self.options, paths=path))

        def fails(candidate: Program) -> bool:
            return worst in classes(worker.check(candidate))

        if self.shrink_seconds > 0 and fails(program):
            program = shrink(program, fails, self.shrink_seconds)
        outcome = worker.check(program)
        worker.close()
        lines = [f"# {p}: {k}: {t}" for p, k, t in outcome.failures]
        return "\n".join([*lines, program.source()])

    def run(self, seeds, end: float, jobs: int = 1, most_shrunk: int = 10) -> None:
        """Runs the seeds in order, until the time `end`."""
        workers = [Worker(self.options) for _ in range(jobs)]
        waiting: collections.deque = collections.deque()
        free, seeds = collections.deque(workers), iter(seeds)
        failing = []
        while True:
            if free and time.monotonic() < end and (seed := next(seeds, None)) is not None:
                program, worker = self.draw(seed), free.popleft()
                worker.send(program)
                waiting.append((program, worker))
                continue
            if not waiting:
                break
            program, worker = waiting.popleft()
            outcome = worker.receive()
            free.append(worker)
            if found := self.add(program, outcome):
                failing.append((program, found))
        for worker in workers:
            worker.close()
        self._shrink_some(failing, most_shrunk)

    def _shrink_some(self, failing, most: int) -> None:
        """Shrinks each program that is wrong or crashes, and one for each reason of an error, but
        no more than `most`."""
        failing.sort(key=lambda item: (all(k == "error" for _, k, _ in item[1]), len(item[0].steps)))
        for program, found in failing:
            errors = {c for c in found if c[1] == "error"}
            if found == errors and errors <= self.shrunk:
                continue
            if most <= 0:
                break
            most -= 1
            self.shrunk |= errors
            self.on_failure(self.shorten(program, found))

    def failures(self) -> int:
        """Returns the number of failures: wrong results, crashes and errors."""
        return sum(n for name, n in self.counts.items() if name.split()[0] in ("wrong", "crash", "error"))

    def summary(self) -> str:
        took = time.monotonic() - self.start
        titles = {
            "error": "fail, with the reason and the first seed",
            "limit": "have no native code as a whole, by reason",
            "torch": "PyTorch's own run of the export differs",
            "refused": "torch.export refuses",
        }
        lines = []
        for kind, title in titles.items():
            lines.append(f"{sum(self.errors[kind].values())} {title}")
            for text, count in self.errors[kind].most_common(30):
                lines.append(f"  {count:5} {text} (seed {self.first[kind, text]})")
        seconds = ", ".join(f"{k} {v:.0f}" for k, v in self.seconds.items())
        lines.append(f"seeds that are wrong or crash: {' '.join(map(str, self.wrong_seeds)) or 'none'}")
        for path in self.options.paths:
            kinds = ", ".join(f"{self.counts[f'{k} {path}']} {k}" for k in ("wrong", "crash", "error"))
            lines.append(f"{path}: {kinds}")
        lines.append(
            f"{self.counts['programs']} programs, {self.counts['compared']} compared, {len(self.wrong_seeds)} wrong or crashed, "
            f"{sum(self.errors['error'].values())} errors, {sum(self.errors['torch'].values())} differ in PyTorch itself, "
            f"{sum(self.errors['refused'].values())} refused by torch.export, {took:.0f} s ({seconds})"
        )
        return "\n".join(lines)


def table(statistics: Statistics) -> str:
    """Returns a table of how often each operator was drawn, and why some were not."""
    lines = []
    for kind, rows in ROWS.items():
        keys = [row.key for row in rows]
        drawn = sorted((k for k in keys if statistics.drawn[k]), key=lambda k: -statistics.drawn[k])
        lines.append(f"{kind}: {len(drawn)} of {len(keys)} rows drawn")
        lines += [f"  {statistics.drawn[k]:6} {k}" for k in drawn]
        lines += [f"   never {k}: {statistics.refused.get(k, 'not tried')}" for k in keys if k not in drawn]
    known = {row.key for rows in ROWS.values() for row in rows}
    lines.append("as people write them:")
    lines += [f"  {n:6} {k}" for k, n in statistics.drawn.most_common() if k not in known]
    by_reason = collections.defaultdict(list)
    for key, why in LEFT_OUT.items():
        by_reason[why].append(key)
    lines.append("left out:")
    lines += [f"  {len(keys):6} {why}: {' '.join(sorted(keys)[:6])} …" for why, keys in by_reason.items()]
    return "\n".join(lines)


def _seeds(text: str) -> range:
    first, _, last = text.partition(":")
    return range(int(first), int(last) if last else int(first) + 1)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=_seeds, default=range(200), metavar="FIRST:END")
    parser.add_argument("--paths", default="functionalized,native", help=f"of {','.join(PATHS)}")
    parser.add_argument("--dynamic", action="store_true", help="first sizes of inputs are dynamic")
    parser.add_argument("--decomposed", action="store_true", help="after run_decompositions()")
    parser.add_argument("--both", action="store_true", help="before and after run_decompositions()")
    parser.add_argument("--jobs", type=int, default=1, metavar="N")
    parser.add_argument("--time", type=float, default=1e9, metavar="SECONDS", help="begin no program later")
    parser.add_argument("--shrink", type=int, default=10, metavar="N", help="how many failures to make short")
    parser.add_argument("--shrink-time", type=float, default=60, metavar="SECONDS", help="for each of them")
    parser.add_argument("--table", action="store_true", help="how often each operator was drawn")
    parser.add_argument("--show", action="store_true", help="print the programs, run none")
    parser.add_argument("--json", metavar="FILE", help="write the counts there")
    options = parser.parse_args()
    paths = options.paths.split(",")
    if unknown := [p for p in paths if p not in PATHS]:
        parser.error(f"expected paths of {', '.join(PATHS)}, got {unknown[0]}")
    torch.set_num_threads(1)
    logging.disable(logging.ERROR)  # torch logs what it raises
    forms = FORMS if options.both else FORMS[1:] if options.decomposed else FORMS[:1]
    session = Session(Options(paths, options.dynamic, tuple(forms)), options.shrink_time)
    session.on_failure = functools.partial(print, flush=True)
    if options.show:
        for seed in options.seeds:
            print(session.draw(seed).source())
        return 0
    # The first export loads what all others need, so run it before the processes fork.
    Checker([], forms).check(draw(0))
    end = time.monotonic() + options.time
    session.run(options.seeds, end, options.jobs, options.shrink)
    if options.table:
        print(table(session.statistics))
    print(session.summary())
    if options.json:
        with open(options.json, "w") as file:
            json.dump({**session.counts, **{k: dict(v) for k, v in session.errors.items()}}, file, indent=1)
    return 1 if session.failures() else 0


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    os._exit(status)
