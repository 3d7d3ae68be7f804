"""Compiles small programs with the cache of object code, and compares the outputs with those
of compilations without a cache."""

import json
import os
import pathlib
import random
import stat
import subprocess
import sys

FOLDER = pathlib.Path(sys.argv[1])
CACHE = FOLDER / "cache"


def expect(condition, what, got):
    if not condition:
        raise SystemExit(f"expected {what}, got {got!r}")


# Programs.

UNARY = ["relu", "exp", "tanh", "neg", "abs", "sigmoid"]
#: Enough kernels for several parts.
MANY = [(UNARY[i % len(UNARY)], i + 2) for i in range(9)]


def make(name, ops, rows=6, columns=24, dtype="f32", weight=1.0):
    """Writes a program with a matmul and a kernel for each of `ops`. `weight` is added at the
    end."""
    matrix, square = f"!fx.tensor<[{rows}, {columns}], {dtype}>", f"!fx.tensor<[{columns}, {columns}], {dtype}>"
    lines = [f'  %x = placeholder "x" : {matrix}', f'  %w = placeholder "w" : {square}']
    value = "%x"
    for i, (op, number) in enumerate(ops):
        lines += [
            f"  %a{i} = call_function @aten.mul.Tensor({value}, {number}) : ({matrix}) -> {matrix}",
            f"  %b{i} = call_function @aten.{op}.default(%a{i}) : ({matrix}) -> {matrix}",
            f"  %c{i} = call_function @aten.mm.default(%b{i}, %w) : ({matrix}, {square}) -> {matrix}",
        ]
        value = f"%c{i}"
    lines.append(f"  %y = call_function @aten.add.Tensor({value}, {weight}) : ({matrix}) -> {matrix}")
    lines.append(f"  output(%y) : ({matrix})")
    path = FOLDER / f"{name}.mlir"
    path.write_text("fx.graph @main attributes {functional} {\n" + "\n".join(lines) + "\n}\n")
    return path


def command(program, output, *options):
    return ["fx-compile", str(program), "-o", str(output), "--report", f"{output}.json", *options]


def compile(program, *options, env=None, cache=CACHE):
    """Returns the bytes of the output and the report's entry for the cache."""
    output = FOLDER / "out.so"
    output.unlink(missing_ok=True)
    if cache:
        options = [f"--cache-dir={cache}", *options]
    done = subprocess.run(
        command(program, output, *options), capture_output=True, text=True, env={**os.environ, **(env or {})}
    )
    expect(done.returncode == 0 and not done.stderr, "a compilation without messages", done.stderr)
    return output.read_bytes(), json.loads(pathlib.Path(f"{output}.json").read_text()).get("cache")


def plain(program, *options):
    code, cache = compile(program, "--no-cache", *options, cache=None)
    expect(cache is None, "no entry for the cache", cache)
    return code


def entries(cache=CACHE):
    return sorted(p for p in cache.iterdir() if p.name.startswith("llvmcache-"))


def counts(cache):
    return cache["hits"], cache["misses"]


def warm_equals_cold():
    program = make("m", MANY)
    without = plain(program)
    cold, first = compile(program)
    warm, second = compile(program)
    expect(cold == without and warm == without, "the same bytes", "others")
    hits, misses = counts(first)
    expect(hits == 0 and misses >= 3, "a miss for each part", first)
    expect(counts(second) == (misses, 0), f"{misses} hits", second)
    expect(first["folder"] == str(CACHE) and "problem" not in first, "no problem", first)
    expect(len(entries()) == misses, f"{misses} files", entries())
    return program, without, misses


def options_miss(program, misses):
    # The code of @main is that of -O1 at each level. The code for another CPU may have more parts.
    for option, known in [("-O1", 1), ("--mcpu=x86-64", 0), ("--profile", 0)]:
        without = plain(program, option)
        for again in (False, True):
            code, cache = compile(program, option)
            hits, missed = counts(cache)
            if not again and not option.startswith("--mcpu"):
                expect(hits + missed == misses, f"{misses} parts for {option}", cache)
            if again:
                expect(missed == 0, f"no misses for {option}", cache)
            else:
                expect(hits == known and missed >= 2, f"{known} hits for {option}", cache)
            expect(code == without, f"the same bytes for {option}", "others")


def damaged(program, without, misses):
    """Damages all files in each way. The next compilation ignores and replaces them."""
    cache = FOLDER / "damaged"

    def each(change):
        def damage():
            for path in entries(cache):
                path.write_bytes(change(path.read_bytes()))
        return damage

    def flip(at):
        return each(lambda data: data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])

    def swap():
        for a, b in zip(entries(cache)[::2], entries(cache)[1::2]):
            first, second = a.read_bytes(), b.read_bytes()
            a.write_bytes(second)
            b.write_bytes(first)

    for name, damage in {
        "empty": each(lambda data: b""),
        "cut in the header": each(lambda data: data[:20]),
        "cut": each(lambda data: data[: len(data) // 2]),
        "longer": each(lambda data: data + b"\0"),
        "other magic": flip(0),
        "other size": flip(9),
        "other checksum": flip(17),
        "other code": flip(100),
        "swapped": swap,
    }.items():
        compile(program, cache=cache)
        if name == "swapped" and len(entries(cache)) % 2:
            entries(cache)[-1].unlink()
        damage()
        code, report = compile(program, cache=cache)
        expect(counts(report) == (0, misses), f"{misses} misses for files that are {name}", report)
        expect(code == without, f"the same bytes for files that are {name}", "others")
        code, report = compile(program, cache=cache)
        expect(counts(report) == (misses, 0), f"files that are replaced after {name}", report)


def kernels_are_shared(misses):
    """Another program begins with the same kernels."""
    program = make("other", [*MANY[:7], ("sigmoid", 0.5), ("exp", 0.25)])
    without = plain(program)
    code, cache = compile(program)
    expect(code == without, "the same bytes", "others")
    expect(0 < cache["hits"] < misses, "some hits", cache)


def programs_differ():
    """Programs that differ in one thing share a cache, and get no code of another program."""
    rng = random.Random(7)
    base = {"ops": [("relu", 2), ("exp", 3)], "rows": 6, "columns": 24, "dtype": "f32", "weight": 1.0}
    cases = [base]
    for key, value in [("rows", 7), ("columns", 25), ("dtype", "f64"), ("weight", 1.0000001)]:
        cases.append({**base, key: value})
    for _ in range(8):
        ops = [(rng.choice(UNARY), rng.choice([2, 2.0, 2.5, -2, 1e-3])) for _ in range(2)]
        cases.append({**base, "ops": ops})
    cache = FOLDER / "many"
    for i, case in enumerate(cases):
        program = make("m", **case)
        code, _ = compile(program, cache=cache)
        expect(code == plain(program), f"the same bytes for case {i}", case)


def several_processes(program, without):
    cache = FOLDER / "shared"
    outputs = [FOLDER / f"p{i}.so" for i in range(3)]
    running = [
        subprocess.Popen(command(program, output, f"--cache-dir={cache}"), stderr=subprocess.PIPE)
        for output in outputs
    ]
    for process, output in zip(running, outputs):
        _, said = process.communicate()
        expect(process.returncode == 0 and not said, "no error", said)
        expect(output.read_bytes() == without, "the same bytes", "others")
    expect(all(".tmp" not in p.name for p in entries(cache)), "no temporary files", entries(cache))


def unusable(program, without, misses):
    """A folder that cannot be made or written is no error."""
    (FOLDER / "file").write_text("")
    for cache in ["/proc/fx-cache", FOLDER / "file", FOLDER / "file" / "cache"]:
        for _ in range(2):
            code, report = compile(program, cache=cache)
            expect(code == without, f"the same bytes with {cache}", "others")
            expect(counts(report) == (0, misses), "misses", report)
            expect("cannot write" in report["problem"], "a problem", report)
    if os.geteuid() == 0:
        return
    CACHE.chmod(0o555)
    code, report = compile(program)
    expect(code == without and counts(report) == (misses, 0), "hits in a read-only folder", report)
    for path in entries():
        path.chmod(0)
    code, report = compile(program)
    expect(code == without and counts(report) == (0, misses), "misses in a read-only folder", report)
    CACHE.chmod(0o755)


def switches(program, misses):
    """The environment names the folder. Options come first."""
    home = FOLDER / "home"
    home.mkdir()
    on = {"FX_CACHE": "1", "FX_CACHE_DIR": "", "XDG_CACHE_HOME": "", "HOME": str(home)}
    places = {
        home / ".cache" / "fx-mlir": {},
        home / "xdg" / "fx-mlir": {"XDG_CACHE_HOME": str(home / "xdg")},
        home / "named": {"FX_CACHE_DIR": str(home / "named"), "XDG_CACHE_HOME": str(home / "xdg")},
    }
    for place, env in places.items():
        for expected in [(0, misses), (misses, 0)]:
            _, cache = compile(program, cache=None, env={**on, **env})
            expect(cache and counts(cache) == expected and cache["folder"] == str(place), place, cache)
        expect(stat.S_IMODE(place.stat().st_mode) == 0o700, "a private folder", place.stat())

    # A default folder that others can write to is not used, a named one is.
    for place, env in places.items():
        place.chmod(0o777)
        _, cache = compile(program, cache=None, env={**on, **env})
        expect((cache is not None) == ("FX_CACHE_DIR" in env), "a cache if it is named", cache)

    before = sorted(home.rglob("*"))
    named = {**on, "FX_CACHE_DIR": str(home / "none")}
    for options, env in [
        (["--no-cache"], {}),
        ([], {"FX_CACHE": "0"}),
        (["--mlir-timing", "--mlir-output-format=json"], {}),
    ]:
        output = FOLDER / "off.so"
        done = subprocess.run(
            command(program, output, *options), capture_output=True, env={**os.environ, **named, **env}
        )
        expect(done.returncode == 0, "success", done.stderr)
        report = json.loads(pathlib.Path(f"{output}.json").read_text())
        expect("cache" not in report, f"no cache with {options} {env}", report.get("cache"))
    expect(sorted(home.rglob("*")) == before, "no files", sorted(home.rglob("*")))


def size_is_limited(program):
    cache = FOLDER / "limited"
    env = {"FX_CACHE_POLICY": "prune_interval=0s:cache_size_files=2"}
    compile(program, cache=cache, env=env)
    expect(len(entries(cache)) == 2, "two files", entries(cache))
    _, report = compile(program, cache=cache, env={"FX_CACHE_POLICY": "no policy"})
    expect(report["hits"] == 2, "two hits", report)


def device_code():
    """PTX and the output of ptxas are kept, too. Another ptxas makes other code."""
    cache, log, ptxas = FOLDER / "device", FOLDER / "log", FOLDER / "ptxas"
    program = pathlib.Path(__file__).parents[2] / "CodeGen" / "GPU" / "compile.mlir"

    def install(message):
        ptxas.write_text(f'#!/bin/sh\necho called >> {log}\necho "{message}"\ncp "$4" "$6"\n')
        ptxas.chmod(0o755)

    def check(calls, misses):
        log.unlink(missing_ok=True)
        code, report = compile(program, "--target=cuda:sm_80", cache=cache, env={"FX_PTXAS": str(ptxas)})
        called = log.read_text().count("called") if log.exists() else 0
        expect(called == calls, f"{calls} calls of ptxas", called)
        expect((report["misses"] > 0) == misses, f"misses: {misses}", report)
        return code

    install("first")
    cold = check(1, True)
    expect(check(0, False) == cold, "the same bytes", "others")
    install("another message")
    check(1, True)


def main():
    program, without, misses = warm_equals_cold()
    options_miss(program, misses)
    damaged(program, without, misses)
    kernels_are_shared(misses)
    programs_differ()
    several_processes(make("m", MANY), without)
    unusable(program, without, misses)
    switches(program, misses)
    size_is_limited(program)
    device_code()


main()
