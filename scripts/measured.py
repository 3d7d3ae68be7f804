"""Runs the measurements for scripts that write tables of docs/. As measurements take
long, their results are saved to a file while they are made."""

import argparse
import json
import multiprocessing
import os
import pathlib
import sys
from collections.abc import Callable


def add_options(parser: argparse.ArgumentParser, output: pathlib.Path, jobs: int) -> None:
    parser.add_argument("--jobs", type=int, default=jobs, help=f"at a time (default: {jobs})")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=output)
    parser.add_argument("--results", type=pathlib.Path, help="JSON file of what was measured")
    parser.add_argument("--again", action="append", default=[], metavar="NAME")


def replace(path: pathlib.Path, text: str) -> None:
    temporary = path.with_suffix(f".{os.getpid()}.tmp")
    temporary.write_text(text)
    temporary.replace(path)


def measure_all(
    keys: list[tuple[str, str]],
    run: Callable[[tuple[str, str]], dict],
    options,
    is_complete: Callable[[dict], bool] = lambda result: True,
) -> dict[tuple[str, str], dict]:
    """Returns the result of each (name, form). Takes it from the file
    `options.results` if it is complete and `options.again` does not have the name, or
    else calls `run` in a process of a pool."""
    done: dict[tuple[str, str], dict] = {}
    if options.results and options.results.exists():
        kept = json.loads(options.results.read_text())
        done = {
            (r["name"], r["form"]): r
            for r in kept
            if r["name"] not in options.again and is_complete(r)
        }
    missing = [key for key in keys if key not in done]
    with multiprocessing.Pool(options.jobs, maxtasksperchild=100) as pool:
        for key, result in zip(missing, pool.imap(run, missing)):
            # Convert the result as the file would: keys become strings.
            done[key] = json.loads(json.dumps(result))
            print(f"\r{len(done)} of {len(keys)}", end="", file=sys.stderr, flush=True)
            if options.results and len(done) % 20 == 0:
                replace(options.results, json.dumps(list(done.values())))
    print(file=sys.stderr)
    if options.results:
        replace(options.results, json.dumps(list(done.values())))
    return done
