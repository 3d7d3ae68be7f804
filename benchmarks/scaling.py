"""Predicts how a decoder scales with the number of ranks, and compares the prediction with runs of 1,
2 and 4 ranks on this machine. Beside them runs eager PyTorch with `parallelize_module`.

    python benchmarks/scaling.py                 # measure, compare, and print 8 to 512 ranks
    python benchmarks/scaling.py --hidden 1792   # a decoder of 1.1 GB
    python benchmarks/scaling.py --predict       # print 8 to 512 ranks alone

The model of a tensor-parallel step of n ranks:

    step(n) = compute(1) / n * read(n) / read(1) + collectives * all_reduce(n, bytes)
    all_reduce(n, bytes) = min(2 (n - 1) latency + 2 (n - 1) / n * bytes / bandwidth,
                               2 log2(n) (latency + bytes / bandwidth))

read(n) is the time in which a rank reads a large tensor while the n - 1 others do the same: ranks of one
machine share its cores and its memory, those of several do not. The last line is the better one of a ring
and a tree. compute(1) is measured, or the bytes of the weights divided by the bandwidth of the memory. Latency and bandwidth are fitted to all-reduces of two sizes. For data
parallelism, there is one all-reduce with the bytes of the gradients.
"""

import argparse
import gc
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import types

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("FX_BUILD_DIR", ROOT / "build"))
sys.path += [str(ROOT / "test" / "EndToEnd"), str(BUILD.resolve() / "python")]

#: Bytes of the all-reduces that latency and bandwidth are fitted to.
SMALL, LARGE = 4 << 10, 4 << 20
PLAN = """
    embed: rowwise
    blocks.*.attention.[qkv]_proj: colwise
    blocks.*.attention.o_proj: rowwise
    blocks.*.gate_proj: colwise
    blocks.*.up_proj: colwise
    blocks.*.down_proj: rowwise
    lm_head: colwise
"""


def all_reduce(ranks: int, size: float, latency: float, bandwidth: float) -> float:
    """The seconds of a ring or of a tree."""
    ring = 2 * (ranks - 1) * latency + 2 * (ranks - 1) / ranks * size / bandwidth
    return min(ring, 2 * math.log2(ranks) * (latency + size / bandwidth))


def fit(ranks: int, small: float, large: float) -> tuple[float, float]:
    """Latency and bandwidth, from the seconds of a small and of a large all-reduce."""
    share = 2 * (ranks - 1) / ranks
    bandwidth = share * (LARGE - SMALL) / max(large - small, 1e-9)
    return max(small - share * SMALL / bandwidth, 0) / (2 * (ranks - 1)), bandwidth


# --- one rank ---------------------------------------------------------------------------------


def measure(call) -> float:
    """The median seconds of a call. All ranks make the same number of calls."""
    times = []
    for _ in range(30):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times[3:])


def resident() -> int:
    """Bytes of memory that this process has in use."""
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


def eager_model(config, rank: int, world: int):
    """The decoder of PyTorch with the same parts of weights and caches on each rank."""
    from models import llama
    from models.registry import seeded
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import Replicate
    from torch.distributed.tensor.parallel import (
        ColwiseParallel, RowwiseParallel, parallelize_module)  # fmt: skip

    module = seeded(lambda: llama.Decode(config, "index_copy")).eval()
    if world == 1:
        return module
    plan = {
        "embed": RowwiseParallel(input_layouts=Replicate()),
        "blocks.*.attention.o_proj": RowwiseParallel(),
        "blocks.*.down_proj": RowwiseParallel(),
        "lm_head": ColwiseParallel(output_layouts=Replicate()),
    }
    for name in ("attention.q_proj", "attention.k_proj", "attention.v_proj", "gate_proj", "up_proj"):
        plan[f"blocks.*.{name}"] = ColwiseParallel()
    parallelize_module(module, init_device_mesh("cpu", (world,)), plan)
    heads, kv_heads = config.heads // world, config.kv_heads // world
    for block in module.blocks:
        attention, cache = block.attention, block.attention.cache
        # `head` would follow from the number of heads.
        attention.c = types.SimpleNamespace(heads=heads, kv_heads=kv_heads, head=config.head)
        cache.k, cache.v = cache.k[:, :kv_heads].clone(), cache.v[:, :kv_heads].clone()
    return module


def rank_main(model: str, config) -> None:
    import fx_mlir
    import torch
    import torch.distributed as dist

    torch.set_num_threads(1)
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    result = {}
    if world > 1:
        dist.init_process_group("gloo")
        for name, size in (("small", SMALL), ("large", LARGE)):
            x = torch.zeros(size // 4)
            result[name] = measure(lambda x=x: dist.all_reduce(x))
    large = torch.ones(32 << 20)
    if world > 1:
        dist.barrier()
    result["read"] = measure(large.sum)
    del large
    step = torch.tensor([[3]]), torch.tensor([5])
    before = resident()
    compiled = fx_mlir.load(model.replace("{rank}", str(rank)))
    got = compiled(*step)
    result["memory"] = resident() - before
    eager = eager_model(config, rank, world)
    gc.collect()
    with torch.inference_mode():
        torch.testing.assert_close(got, eager(*step), rtol=1e-3, atol=1e-3)
        # In turn, so that both meet the same load of the machine.
        times = {"step": [], "eager": []}
        for _ in range(3):
            times["step"].append(measure(lambda: compiled(*step)))
            times["eager"].append(measure(lambda: eager(*step)))
    result.update((name, statistics.median(t)) for name, t in times.items())
    if rank == 0:
        print(json.dumps(result))
    if world > 1:
        dist.barrier()
        dist.destroy_process_group()


# --- the comparison ---------------------------------------------------------------------------


def run_ranks(model: pathlib.Path, world: int, options) -> dict:
    import ranks

    ranks.DEADLINE = 600
    command = [sys.executable, __file__, "--rank-model", model,
               "--layers", options.layers, "--hidden", options.hidden]  # fmt: skip
    return json.loads(ranks.run(*[command] * world)[0])


def compare(config, folder: pathlib.Path, options) -> None:
    import sharded
    import torch
    from models import llama
    from models.registry import seeded

    module = seeded(lambda: llama.Decode(config, "index_copy")).eval()
    sharded.export(module, (torch.tensor([[3]]), torch.tensor([5])), folder / "m.pt2")
    weights = sum(p.numel() for p in module.parameters()) * 4
    collectives = 2 * config.layers + 2
    cores = len(os.sched_getaffinity(0))
    print(f"decoder of {weights / 1e6:.0f} MB, {collectives} collectives of a step, {cores} cores")
    compute = read = None
    for world in (1, 2, 4):
        files = sharded.divide(folder / "m.pt2", world, PLAN)
        for file in files:
            subprocess.run([BUILD / "bin" / "fx-compile", file, "-o", file.with_suffix(".so")],
                           check=True, stderr=subprocess.DEVNULL)  # fmt: skip
        result = run_ranks(files[0].with_name("m.{rank}.so"), world, options)
        for file in files:
            file.unlink()
        measured = (
            f"{result['step'] * 1e3:.2f} ms, eager {result['eager'] * 1e3:.2f} ms"
            f" ({result['eager'] / result['step']:.2f} of it); memory of a rank"
            f" {result['memory'] / 1e6:.0f} MB ({result['memory'] / weights:.2f} of the weights)"
        )
        if world == 1:
            compute, read = result["step"], result["read"]
            print(f"1 rank: {measured}")
            continue
        latency, bandwidth = fit(world, result["small"], result["large"])
        size = config.hidden * 4
        predicted = compute / world * result["read"] / read + collectives * all_reduce(
            world, size, latency, bandwidth)  # fmt: skip
        print(
            f"{world} ranks: {measured}; predicted {predicted * 1e3:.2f} ms"
            f" ({predicted / result['step']:.2f} of it); latency {latency * 1e6:.0f} us,"
            f" bandwidth {bandwidth / 1e9:.2f} GB/s"
        )


#: Links: seconds and bytes per second.
LINKS = {
    "gloo over loopback": (60e-6, 1e9),
    "Ethernet of 25 Gbit/s": (20e-6, 2.5e9),
    "InfiniBand of 400 Gbit/s": (5e-6, 45e9),
    "NVLink of 450 GB/s": (3e-6, 400e9),
}


def predict() -> None:
    """A decode step of 8 sequences of a model of 8e9 parameters in bf16 (32 layers, 4096 features),
    and a training step of it with data parallelism."""
    weights, layers, hidden, batch = 16e9, 32, 4096, 8
    memory, flops = 3.3e12, 400e12
    worlds = [8 << k for k in range(7)]
    print("\npredictions for 8e9 parameters in bf16, 3.3 TB/s of memory and 400 TFLOP/s for each rank")
    print(f"{'':40}" + "".join(f"{n:>10}" for n in worlds) + "  ranks")
    for name, (latency, bandwidth) in LINKS.items():
        row = ""
        for n in worlds:
            step = weights / memory / n + (2 * layers + 2) * all_reduce(
                n, batch * hidden * 2, latency, bandwidth)  # fmt: skip
            row += f"{step * 1e3:>10.2f}"
        print(f"{'decode, ' + name:40}" + row + "  ms a step")
    for name, (latency, bandwidth) in LINKS.items():
        row = ""
        compute = 6 * weights / 2 * 4096 / flops
        for n in worlds:
            step = compute + all_reduce(n, weights, latency, bandwidth)
            row += f"{compute / step * 100:>10.0f}"
        print(f"{'training, ' + name:40}" + row + "  % of linear scaling, 4096 tokens a rank")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--predict", action="store_true", help="measure nothing")
    parser.add_argument("--rank-model", help=argparse.SUPPRESS)
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--hidden", type=int, default=512)
    options = parser.parse_args()
    if not options.predict:
        from models import llama

        h = options.hidden
        config = llama.Config(8192, h, options.layers, 8, 4, h * 11 // 4, 64)
        if options.rank_model:
            rank_main(options.rank_model, config)
            return
        with tempfile.TemporaryDirectory() as folder:
            compare(config, pathlib.Path(folder), options)
    predict()


if __name__ == "__main__":
    main()
