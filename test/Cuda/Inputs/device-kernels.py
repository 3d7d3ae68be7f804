import json
import sys

kernels = json.load(open(sys.argv[1]))["device_kernels"]
assert [k["name"] for k in kernels] == ["kernel_0", "kernel_0_1", "kernel_1", "kernel_1_1"], kernels
for kernel in kernels:
    assert [code["chip"] for code in kernel["code"]] == ["sm_90a", "sm_80"], kernel
    for code in kernel["code"]:
        assert 8 <= code["registers"] <= 255 and code["spill_store_bytes"] == 0, code
        assert not [r for r in code["remarks"] if "time" in r], code
