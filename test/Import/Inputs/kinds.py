"""Writes an archive that has every kind of argument, input and output, or a variant of it.

usage: kinds.py FILE [newer|exact]

newer  claims a later version, with fields that nobody knows
exact  only what the present version writes
"""

import json
import sys

import archive as a

F32 = a.tensor_meta([2, 3])


def arguments():
    """All 31 kinds, as arguments of an operator that nobody knows."""
    t = lambda n: {"name": n}
    yield {"as_none": True}
    yield a.tensor("x")
    yield {"as_tensors": [t("x"), t("w")]}
    yield {"as_int": -9223372036854775807}
    yield {"as_ints": [1, -2]}
    yield {"as_float": "Infinity"}
    yield {"as_floats": ["NaN", -0.0, 1e-3]}
    yield {"as_string": "a\"b\n\u00e9\U0001f600"}
    yield {"as_strings": ["p", ""]}
    yield {"as_sym_int": {"as_name": "n"}}
    yield {"as_sym_ints": [{"as_name": "n"}, {"as_int": 4}]}
    yield {"as_scalar_type": 13}
    yield {"as_memory_format": 2}
    yield {"as_layout": 1}
    yield {"as_device": {"type": "cuda", "index": 1}}
    yield {"as_bool": False}
    yield {"as_bools": [True, False]}
    yield {"as_sym_bool": {"as_name": "c"}}
    yield {"as_sym_bools": [{"as_name": "c"}, {"as_bool": True}]}
    inner = a.graph([a.tensor("y")], [a.tensor("y")], [], tensor_values={"y": F32},
                    is_single_tensor_return=True)
    yield {"as_graph": {"name": "body", "graph": inner}}
    yield {"as_optional_tensors": [{"as_tensor": t("x")}, {"as_none": True}]}
    yield {"as_custom_obj": {"name": "obj", "class_fqn": "my.Thing"}}
    yield {"as_operator": "torch.ops.aten.add.Tensor"}
    yield {"as_sym_float": {"as_name": "f"}}
    yield {"as_sym_floats": [{"as_name": "f"}, {"as_float": 0.5}]}
    yield {"as_optional_tensor": {"as_none": True}}
    yield {"as_complex": {"real": 1.0, "imag": "-Infinity"}}
    yield {"as_nested_tensors": [[t("x")], []]}
    yield {"as_int_lists": [[1, 2], []]}
    yield {"as_string_to_argument": {"b": {"as_int": 1}, "a": a.tensor("w")}}
    yield {"as_float_lists": [[1.5], [2.5]]}


def program():
    sym = lambda text: {"as_expr": {"expr_str": text, "hint": None}}
    s0 = "Symbol('s0', positive=True, integer=True)"
    names = ["w", "b", "c0", "x", "token", "y", "l", "m0", "m1"]
    body = a.graph(
        [a.tensor("w"), a.tensor("b"), a.tensor("c0"),
         {"as_custom_obj": {"name": "obj", "class_fqn": "my.Thing"}}, a.tensor("token"),
         a.tensor("x"), {"as_sym_int": {"as_name": "n"}}, {"as_int": 7}, {"as_string": "how"}],
        [a.tensor("y"), a.tensor("l"), a.tensor("m0"), a.tensor("m1"), a.tensor("x"), a.tensor("w"),
         a.tensor("x"), a.tensor("token"), {"as_int": 5}, {"as_none": True}],
        [a.node("_operator.gt", [a.named("a", {"as_sym_int": {"as_name": "n"}}),
                                 a.named("b", {"as_int": 3})],
                [{"as_sym_bool": {"as_name": "c"}}], "c"),
         a.node("torch.sym_float", [a.named("a", {"as_sym_int": {"as_name": "n"}})],
                [{"as_sym_float": {"as_name": "f"}}], "f"),
         a.node("torch.ops.my.everything.default",
                [a.named("", arg, 1) for arg in arguments()] + [a.named("last", {"as_int": 1}, 2)],
                [a.tensor("y"), {"as_tensors": [{"name": "l"}]}, {"as_none": True}], "everything",
                {"stack_trace": '  File "a.py", line 3, in f\n    g()\n  File "b.py", line 9, in g\n',
                 "torch_fn": "everything_1", "odd key": "kept", "name": "its own", "name_": "too"}),
         a.node("torch.my.function", [a.named("", a.tensor("x"), None)],
                [a.tensor("m0"), a.tensor("m1")], "both", {"name": "no name"}),
         a.node("torch.my.nameless", [a.named("", a.tensor("x"))], [], None,
                {"stack_trace": '  File "c.py", line 5, in h\n'})],
        tensor_values={n: F32 for n in names},
        sym_int_values={"n": sym(s0)},
        sym_bool_values={"c": sym(f"StrictGreaterThan({s0}, Integer(3))")},
        sym_float_values={"f": sym(f"ToFloat({s0})")},
        custom_obj_values={"obj": {"name": "obj", "class_fqn": "my.Thing"}})
    t = lambda n: {"name": n}
    result = a.program(
        body,
        [{"parameter": {"arg": t("w"), "parameter_name": "net.w"}},
         {"buffer": {"arg": t("b"), "buffer_name": "net.b", "persistent": False}},
         {"tensor_constant": {"arg": t("c0"), "tensor_constant_name": "main"}},
         {"custom_obj": {"arg": {"name": "obj", "class_fqn": "my.Thing"}, "custom_obj_name": "thing"}},
         {"token": {"arg": t("token")}},
         {"user_input": {"arg": a.tensor("x")}},
         {"user_input": {"arg": {"as_sym_int": {"as_name": "n"}}}},
         {"constant_input": {"name": "k", "value": {"as_int": 7}}},
         {"constant_input": {"name": "mode", "value": {"as_string": "how"}}}],
        [{"user_output": {"arg": a.tensor("y")}},
         {"loss_output": {"arg": t("l")}},
         {"buffer_mutation": {"arg": t("m0"), "buffer_name": "net.b"}},
         {"parameter_mutation": {"arg": t("m1"), "parameter_name": "net.w"}},
         {"user_input_mutation": {"arg": t("x"), "user_input_name": "x"}},
         {"gradient_to_parameter": {"arg": t("w"), "parameter_name": "net.w"}},
         {"gradient_to_user_input": {"arg": t("x"), "user_input_name": "x"}},
         {"token": {"arg": t("token")}},
         {"user_output": {"arg": {"as_int": 5}}},
         {"user_output": {"arg": {"as_none": True}}}],
        range_constraints={"s0": {"min_val": 2, "max_val": None},
                           "2*s0 + 1": {"min_val": None, "max_val": 99}},
        guards_code=["n is not None", "L['n'] > 4"])
    result["graph_module"]["metadata"] = {"custom": "{}"}
    result["graph_module"]["module_call_graph"] = [
        {"fqn": "", "signature": {"inputs": [a.tensor("x"), {"as_int": 3}], "outputs": [],
                                  "in_spec": "IN", "out_spec": "OUT", "forward_arg_names": ["x"]}},
        {"fqn": "net", "signature": None}]
    return result


def main():
    model = program()
    if "exact" in sys.argv:
        nodes = model["graph_module"]["graph"]["nodes"]
        nodes[3]["inputs"][0]["kind"] = 1
        del nodes[4]
    if "newer" in sys.argv:
        model["schema_version"]["minor"] = 99
        model["later"] = {}
        model["graph_module"]["graph"]["nodes"][0]["later"] = None
    payload = lambda i, **f: dict({"path_name": f"tensor_{i}", "is_param": False, "use_pickle": False,
                                   "tensor_meta": F32}, **f)
    config = {"config": {"net.w": {"path_name": "weight_0", "is_param": True, "use_pickle": False,
                                   "tensor_meta": F32}}}
    constants = {"config": {"net.b": payload(0), "main": payload(1),
                            "thing": payload(2, use_pickle=True, tensor_meta=None),
                            "sub": payload(2, use_pickle=True)}}
    extra = [a.Record("m/data/constants/tensor_0", bytes(24)),
             a.Record("m/data/constants/tensor_1", bytes(24)),
             a.Record("m/data/constants/tensor_2", b"a pickle that nobody reads"),
             a.Record("m/data/sample_inputs/model.pt", b"another"),
             a.Record("m/extra/notes.txt", b"hello")]
    with open(sys.argv[1], "wb") as f:
        f.write(a.pack(a.records(
            model, config, extra=extra,
            constants=a.Record("m/data/constants/model_constants_config.json", json.dumps(constants)))))


main()
