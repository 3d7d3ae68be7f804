#!/usr/bin/env python3
"""Finds the fastest tiles and writes them to a table of the compiler.

    benchmarks/gpu/variants.py results/variants.jsonl [--write]

Reads the results of `run.py variants`. For each case, compares all tiles that gave right results by
the time on the GPU. With --write, the fastest tiles that beat the compiler's own choice by more
than 2 % become lines of lib/CodeGen/GPU/Kernels/TileTable.inc and replace those for the same size.
The compiler must be built again afterwards.
"""

import argparse
import json
import pathlib
import re

TABLE = pathlib.Path(__file__).resolve().parents[2] / "lib/CodeGen/GPU/Kernels/TileTable.inc"
#: The minimum speed-up of a choice; smaller ones are within the noise of measurements.
GAIN = 1.02
#: Tiles that exclude a schedule, so that the compiler uses the next one.
NONE = {"warpgroup": "0:0"}


def time_of(row: dict) -> float | None:
    return row.get("graph_ms") or row.get("events_ms") or row.get("host_ms")


def with_tiles(schedule: dict) -> dict:
    """Returns the schedule with the parameters of an attention as tiles."""
    if schedule["kind"] != "attention":
        return schedule
    numbers = [schedule.get("parts", 1), *(schedule[k] for k in ("warpgroups", "keys", "turns")
                                           if k in schedule)]
    return {**schedule, "tiles": ":".join(map(str, numbers))}


def product_of(row: dict) -> dict | None:
    """Returns the schedule of the only matmul or attention of a case, or None."""
    found = [s for s in map(with_tiles, row.get("schedules", {}).values()) if "tiles" in s]
    return found[0] if len(found) == 1 else None


def are_used(tiles: str, product: dict | None) -> bool:
    """Returns true if a matmul has the tiles that were asked for. The compiler does not use tiles
    that do not fit. Those of 0 columns exclude a schedule, or make the compiler choose."""
    asked = [part for part in tiles.split(",") if part and not part.split("=")[1].startswith("0:")]
    return not asked or (product is not None
                         and asked[0] == f"{product['kind']}={product['tiles']}")


def read(path: pathlib.Path) -> dict[str, dict[str, tuple[float, dict]]]:
    """Returns for each case and each choice of tiles the milliseconds and the schedule. Tiles of ""
    are the compiler's own choice."""
    cases: dict[str, dict] = {}
    for line in path.read_text().splitlines():
        row = json.loads(line)
        product, ms = product_of(row), time_of(row)
        if row["who"] != "ours" or row["status"] != "ok" or not product or not ms:
            continue
        name, _, tiles = row["case"].partition("@")
        if are_used(tiles, product):
            cases.setdefault(name, {})[tiles] = (ms, product)
    return cases


def lines_of(product: dict, note: str) -> list[str]:
    """Returns lines of the table. To choose `tensorcore`, a line excludes `warpgroup`, which the
    compiler tries first."""
    size = f"{product['m']}, {product['n']}, {product['k']}"
    numbers = {product["kind"]: product["tiles"]}
    if product["kind"] == "tensorcore":
        numbers = NONE | numbers
    return [f'{{"{kind}", {size}, {{{tiles.replace(":", ", ")}}}}}, // {note}'
            for kind, tiles in numbers.items()]


def key_of(line: str) -> tuple | None:
    found = re.match(r'\{"(\w+)", (\d+), (\d+), (\d+), ', line)
    return found.groups()[1:] if found else None


def write(lines: list[str], path: pathlib.Path) -> None:
    """Adds lines to the table, in place of those for the same sizes."""
    keys = {key_of(line) for line in lines}
    kept = [line for line in path.read_text().splitlines()
            if key_of(line) is None or key_of(line) not in keys]
    path.write_text("\n".join([*kept, *lines, ""]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--table", type=pathlib.Path, default=TABLE, help=argparse.SUPPRESS)
    options = parser.parse_args()
    lines = []
    for name, choices in read(options.results).items():
        order = sorted(choices.items(), key=lambda item: item[1][0])
        print(name)
        for tiles, (ms, product) in order:
            print(f"    {ms:10.4f} ms  {product['kind']} {product['tiles']:20} {tiles or '(own)'}")
        tiles, (ms, product) = order[0]
        own = choices.get("")
        if not tiles or not own or own[0] < ms * GAIN or not {"m", "n", "k"} <= set(product):
            continue
        lines += lines_of(product, f"{ms:.4f} ms, {own[1]['tiles']} {own[0]:.4f} ms")
    print(*lines, sep="\n")
    if options.write:
        write(lines, options.table)


if __name__ == "__main__":
    main()
