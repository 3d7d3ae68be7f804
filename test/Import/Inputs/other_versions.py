"""Writes archives of other versions of torch with one call each.

usage: other_versions.py FOLDER
"""

import pathlib
import sys

import archive as a

F32 = a.tensor_meta([2, 3])
DOT = a.tensor_meta([2, 2])
X, Y = a.tensor("x"), a.tensor("y")


def save(folder, name, version, target, inputs, outputs=("r",), **metas):
    values = {"x": F32, "y": F32, **dict.fromkeys(outputs, F32), **metas}
    results = [a.tensor(output) for output in outputs]
    body = a.graph([X, Y], results, [a.node(f"torch.ops.{target}", inputs, results)], tensor_values=values)
    program = a.program(
        body,
        [{"user_input": {"arg": X}}, {"user_input": {"arg": Y}}],
        [{"user_output": {"arg": result}} for result in results],
        torch_version=version,
    )
    data = a.pack(a.records(program, {"config": {}}, omit=["weight"]))
    (folder / f"{name}.pt2").write_bytes(data)


def backward(first, kind=1):
    names = [(first, X), ("x1", Y), ("x2", Y), ("p", {"as_float": 2.0}), ("cdist", X)]
    return [a.named(name, value, kind) for name, value in names]


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    polar = [a.named("A", X)]
    for version in ("2.14.1+cu130", "2.16.0", "2.13.0"):
        save(folder, f"polar-{version[:4]}", version, "aten.linalg_polar.default", polar, ("u", "h"), h=a.tensor_meta([3, 3]))
    bad = [a.named("B", X)]
    save(folder, "polar-name", "2.14.1", "aten.linalg_polar.default", bad, ("u", "h"))
    for version in ("2.13.0", "2.14.1"):
        for first in ("grad", "grad_output"):
            save(folder, f"{first}-{version[:4]}", version, "aten._cdist_backward.default", backward(first))
    save(folder, "keyword", "2.15.0", "aten._cdist_backward.default", backward("grad_output", 2))
    save(folder, "tril", "2.9.1", "aten.tril.default", [a.named("self", X), a.named("diagonal", {"as_int": 1})])
    none, one = {"as_none": True}, {"as_int": 1}
    cudnn = [("query", X), ("key", X), ("value", X), ("attn_bias", none), ("cum_seq_q", none),
             ("cum_seq_k", none), ("max_q", one), ("max_k", one), ("compute_log_sumexp", {"as_bool": False})]
    cudnn = [a.named(name, value) for name, value in cudnn]
    target, results = "aten._cudnn_attention_forward.default", ["o", "l", "q", "k", "s", "t", "d"]
    save(folder, "cudnn", "2.15.0", target, cudnn, results)
    save(folder, "cudnn-new", "2.15.0", target, [*cudnn, a.named("seqused_k", X, 2)], results)
    norm = [a.named("input", X), a.named("normalized_shape_ndim", {"as_int": 1}), a.named("weight", Y), a.named("eps", {"as_float": 1.0})]
    save(folder, "norm", "2.8.0", "aten._fused_rms_norm.default", norm)


main()
