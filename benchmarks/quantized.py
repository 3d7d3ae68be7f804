#!/usr/bin/env python3
"""Times int8 inference of the autoencoder or of ResNet-50.

Compares eager PyTorch (fp32, and FBGEMM's dynamic and static int8), fx-mlir (fp32,
dynamic and static int8), ONNX Runtime and OpenVINO, interleaved in one process with one
thread.

    benchmarks/quantized.py                  # batches 1, 16, 64 and 128
    benchmarks/quantized.py --batches 1 16 --seconds 3 --json
    benchmarks/quantized.py --model resnet50 --batches 1 16
    benchmarks/quantized.py --model llama_decode

The last command times a decode step of fx-mlir with int8 and int4 weights, and prints
the speed-up as a share of the reduction of bytes.

Times are medians in ms. `SQNR` is the signal-to-noise ratio of the output, compared
with eager fp32, in dB, for normally distributed inputs that were not used for
calibration. Engines that are not installed are left out and listed.
"""

import argparse
import copy
import datetime
import json
import os
import pathlib
import statistics
import sys
import tempfile
import warnings

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "test" / "EndToEnd"), str(ROOT / "benchmarks")]
for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
warnings.simplefilter("ignore")

import decode  # noqa: E402
import exporting  # noqa: E402
import harness  # noqa: E402
import models  # noqa: E402
import native  # noqa: E402
import quantized  # noqa: E402
import run  # noqa: E402
import torch  # noqa: E402
from torch import nn  # noqa: E402

WIDTHS = [17768, 512, 512, 1024, 512, 512, 17768]
CALIBRATION = 256


def ours(module: nn.Module, x: torch.Tensor, path: pathlib.Path):
    exporting.save(exporting.export(module, (x,)), path)
    out = path.with_suffix(".so")
    result = harness.tool("fx-compile", path, "-o", out, "--no-fallback")
    if result.returncode:
        raise RuntimeError(result.stderr)
    path.unlink()
    model = native.Model(out)
    return lambda x: model(x)[0]


def fbgemm_dynamic(model: nn.Module):
    from torch.ao import quantization as ao

    torch.backends.quantized.engine = "fbgemm"
    return ao.quantize_dynamic(model, {nn.Linear}, dtype=torch.qint8)


def fbgemm_static(model: nn.Module, sample: torch.Tensor):
    from torch.ao import quantization as ao
    from torch.ao.quantization import quantize_fx

    torch.backends.quantized.engine = "fbgemm"
    mapping = ao.get_default_qconfig_mapping("fbgemm")
    prepared = quantize_fx.prepare_fx(copy.deepcopy(model), mapping, (sample[:1],))
    prepared(sample)
    return quantize_fx.convert_fx(prepared)


def onnx_model(model: nn.Module, sample: torch.Tensor, path: pathlib.Path) -> None:
    """Writes an ONNX model: a Sequential as MatMul, Add and Relu, other networks with
    PyTorch's exporter."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    if not isinstance(model, nn.Sequential):
        batch = {0: torch.export.Dim("n", max=1024)}
        torch.onnx.export(
            model,
            (sample[:2],),
            str(path),
            input_names=["x"],
            dynamic_shapes=(batch,),
            dynamo=True,
            external_data=False,
            verbose=False,
        )
        exported = onnx.load(str(path))
        # The sizes that the exporter adds contradict those that ONNX infers.
        del exported.graph.value_info[:]
        onnx.save(exported, str(path))
        return
    nodes, weights, last = [], [], "x"
    for k, layer in enumerate(model):
        if isinstance(layer, nn.Linear):
            for name, value in (("w", layer.weight.T.contiguous()), ("b", layer.bias)):
                weights.append(numpy_helper.from_array(value.detach().numpy(), f"{name}{k}"))
            nodes.append(helper.make_node("MatMul", [last, f"w{k}"], [f"m{k}"]))
            nodes.append(helper.make_node("Add", [f"m{k}", f"b{k}"], [f"y{k}"]))
        else:
            nodes.append(helper.make_node("Relu", [last], [f"y{k}"]))
        last = f"y{k}"
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes,
        "autoencoder",
        [value("x", TensorProto.FLOAT, ["n", WIDTHS[0]])],
        [value(last, TensorProto.FLOAT, ["n", WIDTHS[-1]])],
        weights,
    )
    opset = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=8), str(path))


def onnx_quantized(folder: pathlib.Path, sample: torch.Tensor, forms) -> None:
    """Quantizes with ONNX Runtime's quantizer, with signed weights per channel. Writes a
    file for each form."""
    from onnxruntime import quantization as q

    class Reader(q.CalibrationDataReader):
        def __init__(self):
            self.batches = iter(sample.split(32))

        def get_next(self):
            batch = next(self.batches, None)
            return None if batch is None else {"x": batch.numpy()}

    source = folder / "f32.onnx"
    options = dict(per_channel=True, weight_type=q.QuantType.QInt8)
    if "dynamic" in forms:
        q.quantize_dynamic(str(source), str(folder / "dynamic.onnx"), **options)
    q.quantize_static(
        str(source),
        str(folder / "static.onnx"),
        Reader(),
        quant_format=q.QuantFormat.QDQ,
        activation_type=q.QuantType.QUInt8,
        **options,
    )


def onnxruntime_engine(path: pathlib.Path):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        str(path), options, providers=["CPUExecutionProvider"]
    )
    return lambda x: torch.from_numpy(session.run(None, {"x": x.numpy()})[0])


def openvino_engine(path: pathlib.Path, batch: int):
    import openvino

    core = openvino.Core()
    model = core.read_model(str(path))
    model.reshape([batch, *(d.get_length() for d in list(model.input(0).partial_shape)[1:])])
    options = {"INFERENCE_NUM_THREADS": 1, "PERFORMANCE_HINT": "LATENCY"}
    request = core.compile_model(model, "CPU", options).create_infer_request()

    def call(x):
        return torch.from_numpy(next(iter(request.infer({0: x.numpy()}).values())))

    return call


def build(name: str) -> tuple[nn.Module, torch.Tensor]:
    """Returns the model and normally distributed inputs for calibration."""
    if name == "autoencoder":
        model = quantized.autoencoder(WIDTHS)
        sample = torch.randn(CALIBRATION, WIDTHS[0])
    else:
        model, sample = models.get(name).build(), torch.randn(32, 3, 224, 224)
        with torch.no_grad():
            model.train()(sample)  # sets the statistics of the batch norms
    return model.eval().requires_grad_(False), sample


def engines(model, sample, batch: int, folder: pathlib.Path, missing: set) -> dict:
    x = torch.randn(batch, *sample.shape[1:])
    found = {"eager fp32": model, "fx-mlir fp32": ours(model, x, folder / "f.pt2")}

    def add(name, package, make):
        try:
            found[name] = make()
        except ImportError:
            missing.add(package)

    forms = ["static", "dynamic"] if isinstance(model, nn.Sequential) else ["static"]
    for form in forms:
        if isinstance(model, nn.Sequential):
            module = quantized.quantize(model, sample, form == "dynamic")
        else:
            module = quantized.quantize_graph(copy.deepcopy(model), sample)
        found[f"fx-mlir {form}"] = ours(module, x, folder / f"{form}.pt2")
        found[f"FBGEMM {form}"] = (
            fbgemm_static(model, sample) if form == "static" else fbgemm_dynamic(model)
        )
    try:
        if not (folder / "f32.onnx").exists():
            onnx_model(model, sample, folder / "f32.onnx")
            onnx_quantized(folder, sample, forms)
    except ImportError:
        missing.add("onnx and onnxruntime")
        return found
    for form in forms:
        path = folder / f"{form}.onnx"
        add(f"ONNX Runtime {form}", "onnxruntime", lambda p=path: onnxruntime_engine(p))
    path = folder / "static.onnx"
    add("OpenVINO static", "openvino", lambda: openvino_engine(path, batch))
    return found


def measure(model, sample, batch: int, seconds: float, folder, missing) -> list[dict]:
    found = engines(model, sample, batch, folder, missing)
    x = torch.randn(batch, *sample.shape[1:])
    with torch.no_grad():
        want = model(x)
        quality = {name: decode.sqnr(engine(x), want) for name, engine in found.items()}
        times = run.interleave(
            {name: lambda e=engine: e(x) for name, engine in found.items()}, seconds
        )
    return [
        {
            "batch": batch,
            "engine": name,
            "ms": statistics.median(times[name]) * 1e3,
            "least ms": min(times[name]) * 1e3,
            "sqnr": quality[name],
        }
        for name in found
    ]


def table(rows: list[dict]) -> str:
    batches = sorted({row["batch"] for row in rows})
    lines = [
        "| engine | " + " | ".join(f"{b}: ms | least | SQNR" for b in batches) + " |",
        "|---|" + "--:|--:|--:|" * len(batches),
    ]
    for name in dict.fromkeys(row["engine"] for row in rows):
        cells = []
        for b in batches:
            row = next(r for r in rows if (r["engine"], r["batch"]) == (name, b))
            clean = row["sqnr"] > 90
            cells.append(
                f"{row['ms']:.2f} | {row['least ms']:.2f} | "
                + ("–" if clean else f"{row['sqnr']:.1f}")
            )
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    ratios = []
    for b in batches:
        here = [r for r in rows if r["batch"] == b]
        best = min(r["ms"] for r in here if r["engine"].startswith("fx-mlir"))
        others = min(r["ms"] for r in here if not r["engine"].startswith("fx-mlir"))
        ratios.append(f"{b}: {others / best:.2f}")
    lines.append("\nThe best of the others over our best, by batch: " + ", ".join(ratios))
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--model", choices=["autoencoder", "resnet50", "llama_decode"], default="autoencoder"
    )
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 16, 64, 128])
    parser.add_argument("--seconds", type=float, default=10, help="for each batch")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    if options.model == "llama_decode":
        with tempfile.TemporaryDirectory() as folder:
            rows = decode.measure(options.seconds, pathlib.Path(folder))
        if options.json:
            print(json.dumps({"rows": rows}))
            return
        print(f"{datetime.date.today()}: {run.cpu_name()}, torch {torch.__version__}\n")
        print(decode.table(rows))
        return
    model, sample = build(options.model)
    rows, missing = [], set()
    with tempfile.TemporaryDirectory() as folder:
        for batch in options.batches:
            # A loaded shared object stays loaded, so each batch has a folder of its own.
            place = pathlib.Path(folder)
            (place / str(batch)).mkdir()
            for name in ("f32.onnx", "static.onnx", "dynamic.onnx"):
                if (place / name).exists():
                    (place / str(batch) / name).symlink_to(place / name)
            rows += measure(
                model, sample, batch, options.seconds, place / str(batch), missing
            )
            for name in ("f32.onnx", "static.onnx", "dynamic.onnx"):
                made = place / str(batch) / name
                if made.exists() and not made.is_symlink():
                    made.rename(place / name)
    if options.json:
        print(json.dumps({"rows": rows, "missing": sorted(missing)}))
        return
    print(f"{datetime.date.today()}: {run.cpu_name()}, torch {torch.__version__}\n")
    print(table(rows))
    for name in sorted(missing):
        print(f"not installed: {name}")


if __name__ == "__main__":
    main()
