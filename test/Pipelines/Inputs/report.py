"""Reports of a model with kernels that are shared, a fallback, nodes that are merged and a branch.

report.py export FOLDER | check FOLDER
"""

import json
import pathlib
import sys

COMMAND, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])


def export():
    import numpy
    import torch

    class Block(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = torch.nn.Linear(32, 32)

        def forward(self, x):
            return torch.relu(self.fc(x))

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.ModuleList([Block(), Block()])

        def forward(self, x):
            for layer in self.layers:
                x = layer(x)
            same = torch.sin(x) + torch.sin(x)
            order = torch.linalg.svd(x).S
            chosen = torch.cond(x.sum() > 0, lambda x: x.cos(), lambda x: x.exp(), (x,))
            return same, order, chosen

    x = torch.randn(8, 32)
    torch.export.save(torch.export.export(Model(), (x,)), FOLDER / "m.pt2")
    (FOLDER / "in").mkdir()
    numpy.save(FOLDER / "in" / "in_0.npy", x.numpy())


def expect(condition, what):
    if not condition:
        raise SystemExit(f"expected {what}")


def check_common(name, mode):
    report = json.loads((FOLDER / f"{name}.json").read_text())
    expect(report["mode"] == mode, f"mode {mode} in {name}, got {report['mode']}")
    for op in report["operators"]:
        expect(set(op) >= {"node", "graph", "target", "native", "status", "kernels", "stack", "module"},
               f"all keys in {op}")
        expect(op["native"] == (op["status"] != "fallback"), f"native and status to agree in {op}")
        expect(op["native"] or (op["reason"] and op["fallbacks"]), f"a reason in {op}")
        expect(any("report.py:" in frame for frame in op["stack"]) or op["graph"] != "main", f"the stack of {op}")
    targets = [op["target"] for op in report["operators"] if op["graph"] == "main"]
    want = ["aten.linear.default", "aten.relu.default"] * 2 + [
        "aten.sin.default", "aten.sin.default", "aten.add.Tensor", "aten.linalg_svd.default",
        "aten.sum.default", "aten.gt.Scalar"]
    expect([t for t in targets if t.startswith("aten.") and "select" not in t and "view" not in t][: len(want)] == want,
           f"every operator of the graph in {name}, got {targets}")
    linears = [op for op in report["operators"] if op["target"] == "aten.linear.default"]
    expect([op["module"] for op in linears] == ["layers.0.fc", "layers.1.fc"], f"module paths, got {linears}")
    branches = {op["target"] for op in report["operators"] if op["graph"] != "main"}
    expect({"aten.cos.default", "aten.exp.default"} <= branches, f"the branches' operators, got {branches}")
    return report, linears


def check():
    for name, mode in (("compile", "compiled"), ("run", "compiled"), ("artefact", "artefact")):
        report, linears = check_common(name, mode)
        by_target = {op["target"]: op for op in report["operators"]}
        svd = by_target["aten.linalg_svd.default"]
        expect(svd["status"] == "fallback" and "no lowering" in svd["reason"], f"svd to fall back, got {svd}")
        expect(report["fallbacks"] > 0, "a count of fallbacks")
        sines = [op for op in report["operators"] if op["target"] == "aten.sin.default"]
        expect([op["status"] for op in sines] == ["native", "removed"], f"equal nodes to be merged, got {sines}")
        expect(all(op["status"] == "native" and op["kernels"] for op in linears), f"kernels of {linears}")
        kernels = {k["name"]: k for k in report["kernels"] if k["when"] == "run"}
        shared = set(linears[0]["kernels"]) & set(linears[1]["kernels"]) & set(kernels)
        expect(any(kernels[k]["calls"] == 2 and kernels[k]["schedule"]["kind"] == "contraction"
                   and len(kernels[k]["nodes"]) >= 2 for k in shared),
               f"the two layers to share a contraction, got {report['kernels']}")
        expect(any(k["when"] == "compile" and k["schedule"]["kind"] == "pack" for k in report["kernels"]),
               f"the packing of weights, got {report['kernels']}")
        expect(report["arena_bytes"] > 0 and report["weight_bytes"] > 0, "bytes of arena and weights")
        if name == "artefact":
            # Its bytes depend on the model alone.
            expect("phases" not in report and "compile_seconds" not in report, "no times in an artefact")
            continue
        phases = report["phases"]
        expect({"import", "simplify", "linalg", "schedule", "weights", "bufferize", "code"} <= set(phases),
               f"all phases, got {phases}")
        expect(set(report["code_work"]) == {"lower", "optimize", "emit"}, "the work of the phase 'code'")
        expect(0 < sum(phases.values()) <= report["compile_seconds"] * 1.001, "phases to sum up to the whole")
    report, _ = check_common("interpret", "interpret")
    expect({op["status"] for op in report["operators"]} == {"fallback"}, "all interpreted")
    expect({op["reason"] for op in report["operators"]} == {"--interpret"}, "the reason")
    expect(report["kernels"] == [], "no kernels")
    expect(report["compile_seconds"] >= 0, "compile_seconds")


FOLDER.mkdir(parents=True, exist_ok=True)
{"export": export, "check": check}[COMMAND]()
