"""Kernels in LLVM IR for tests of the emulator itself: correct kernels, and kernels with one
planted fault, which the emulator must report."""

import dataclasses
import re

HEADER = """
@s = internal addrspace(3) global [1024 x i8] undef, align 16
@__dynamic_shmem__0 = external dso_local addrspace(3) global [0 x i8], align 16
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.count(i32, i32)
declare void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32, i32)
declare void @llvm.nvvm.bar.warp.sync(i32)
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)
declare void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.ca.shared.global.8(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.commit.group()
declare void @llvm.nvvm.cp.async.wait.group(i32)
declare {i32, i32, i32, i32} @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3))
declare void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3), i32)
declare void @llvm.nvvm.mbarrier.inval.shared(ptr addrspace(3))
declare i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3))
declare i64 @llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta(ptr addrspace(3), i32)
declare void @llvm.nvvm.mbarrier.expect.tx.scope.cta.space.cta(ptr addrspace(3), i32)
declare void @llvm.nvvm.fence.mbarrier_init.release.cluster()
declare void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.2d(ptr addrspace(7), ptr addrspace(3), ptr, i32, i32, i16, i64, i1, i1, i32)
declare void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.3d(ptr addrspace(7), ptr addrspace(3), ptr, i32, i32, i32, i16, i64, i1, i1, i32)
declare void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.4d(ptr addrspace(7), ptr addrspace(3), ptr, i32, i32, i32, i32, i16, i64, i1, i1, i32)
declare void @llvm.nvvm.cp.async.bulk.tensor.g2s.im2col.4d(ptr addrspace(7), ptr addrspace(3), ptr, i32, i32, i32, i32, i16, i16, i16, i64, i1, i1, i32)
declare void @llvm.nvvm.barrier.cluster.arrive()
declare void @llvm.nvvm.barrier.cluster.wait()
declare ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster(ptr addrspace(3), i32)
declare void @llvm.nvvm.setmaxnreg.inc.sync.aligned.u32(i32)
declare void @llvm.nvvm.wgmma.fence.sync.aligned()
declare void @llvm.nvvm.wgmma.commit_group.sync.aligned()
declare void @llvm.nvvm.wgmma.wait_group.sync.aligned(i64)
"""


@dataclasses.dataclass
class Kernel:
    """The body of a kernel. `%t` is the thread, `%to` the address of its 16 bytes of the buffer
    `%p`."""

    body: str
    #: The message that the emulator prints; empty for a correct kernel.
    says: str = ""
    threads: int = 64
    #: Bytes of the buffer and of dynamic shared memory.
    bytes: int = 1024
    shared: int = 0
    grid: int = 1
    cluster: int = 1
    #: Tensor maps that the kernel takes: fields of cuTensorMapEncodeTiled.
    maps: tuple = ()
    signature: str = "ptr addrspace(1) %p"
    #: The number of further arguments that are the same buffer.
    same: int = 0
    #: The block that breaks the rule.
    block: int = 0
    #: The instruction that breaks the rule, if the test checks it.
    at: str = ""
    #: The error code of the driver.
    error: int = 0
    #: True if the buffer is freed before the kernel runs.
    is_freed: bool = False


def define(name: str, kernel: Kernel) -> str:
    body = kernel.body
    for short, long in [("BARRIER", "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)"),
                        ("tensor.2d", "cp.async.bulk.tensor.g2s.tile.2d"),
                        ("tensor.3d", "cp.async.bulk.tensor.g2s.tile.3d"),
                        ("tensor.4d", "cp.async.bulk.tensor.g2s.tile.4d"),
                        ("im2col.4d", "cp.async.bulk.tensor.g2s.im2col.4d"),
                        ("expect_tx", "mbarrier.arrive.expect.tx.scope.cta.space.cta")]:
        body = body.replace(short, long)
    # Expands `at %x, N` to a pointer N bytes after %x, and `@name` to an intrinsic.
    body = re.sub(r"= at (ptr addrspace\(\d\) |ptr )?(\S+), (.*)",
                  lambda m: f"= getelementptr i8, {m[1] or 'ptr addrspace(3) '}{m[2]}, "
                            f"{m[3] if m[3].startswith('i') else 'i32 ' + m[3]}", body)
    body = re.sub(r"call (\S+|\{.*?\}) @(?!llvm)", r"call \1 @llvm.nvvm.", body)
    maps = "".join(f', ptr byval([16 x i64]) align 64 "nvvm.grid_constant" %map{i}'
                   for i in range(len(kernel.maps)))
    cluster = f'"nvvm.cluster_dim"="{kernel.cluster},1,1" ' if kernel.cluster > 1 else ""
    return f"""define ptx_kernel void @{name}({kernel.signature}{maps}) {cluster}{{
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t16 = mul i32 %t, 16
  %to = getelementptr i8, ptr addrspace(1) %p, i32 %t16
{body}
  ret void
}}
"""


def once(body: str) -> str:
    """Returns `body` for thread 0 alone."""
    return f"""
  %isFirst = icmp eq i32 %t, 0
  br i1 %isFirst, label %first, label %rest
first:
{body}
  br label %rest
rest:
"""


def replaced(kernel: Kernel, old: str, new: str, says: str, **changes) -> Kernel:
    assert old in kernel.body, old
    return dataclasses.replace(kernel, body=kernel.body.replace(old, new, 1), says=says, **changes)


#: The part of shared memory of each thread: 16 bytes.
MINE = "  %mine = at @s, i32 %t16\n"
#: Two warps exchange the 16 bytes of each thread.
SWAP = Kernel(MINE + """
  call void @cp.async.cg.shared.global.16(ptr addrspace(3) %mine, ptr addrspace(1) %to)
  call void @cp.async.commit.group()
  call void @cp.async.wait.group(i32 0)
  BARRIER
  %other16 = xor i32 %t16, 512
  %other = at @s, i32 %other16
  %v = load <4 x float>, ptr addrspace(3) %other, align 16
  store <4 x float> %v, ptr addrspace(1) %to, align 16""")

ALLOCA = Kernel("""
  %a = alloca [64 x i8], align 16
  %x = at ptr %a, 8
  store <2 x float> zeroinitializer, ptr %x, align 8
  %v = load <2 x float>, ptr %x, align 8
  store <2 x float> %v, ptr addrspace(1) %to, align 8""")

ATOMIC = Kernel("""
  %r = atomicrmw add ptr addrspace(1) %to, i32 1 monotonic, align 4""")

MATRIX = Kernel(MINE + """
  store <4 x float> zeroinitializer, ptr addrspace(3) %mine, align 16
  BARRIER
  %v = call {i32, i32, i32, i32} @ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %mine)
  %x = extractvalue {i32, i32, i32, i32} %v, 0
  store i32 %x, ptr addrspace(1) %to, align 4""", threads=32)

#: The threads of one warp exchange a value.
WARP = Kernel(MINE + """
  store float 1.0, ptr addrspace(3) %mine, align 4
  call void @bar.warp.sync(i32 -1)
  %other16 = xor i32 %t16, 16
  %other = at @s, i32 %other16
  %v = load float, ptr addrspace(3) %other, align 4
  store float %v, ptr addrspace(1) %to, align 4""", threads=32)

#: The second warp waits for the first one at a named barrier.
NAMED = Kernel(MINE + """
  %isFirst = icmp ult i32 %t, 32
  br i1 %isFirst, label %first, label %second
first:
  store float 1.0, ptr addrspace(3) %mine, align 4
  call void @barrier.cta.arrive.aligned.count(i32 1, i32 64)
  ret void
second:
  call void @barrier.cta.sync.aligned.count(i32 1, i32 64)
  %other16 = xor i32 %t16, 512
  %other = at @s, i32 %other16
  %v = load float, ptr addrspace(3) %other, align 4
  store float %v, ptr addrspace(1) %to, align 4""")

SHUFFLE = Kernel("""
  %v = call i32 @shfl.sync.bfly.i32(i32 -1, i32 %t, i32 1, i32 31)
  store i32 %v, ptr addrspace(1) %to, align 4""")

WAIT = ('call void asm sideeffect "mbarrier.try_wait.parity.shared.b64 P1, [$0], $1, $2;", '
        '"r,r,n"(ptr addrspace(3) %b, i32 PARITY, i32 989680)')
ARRIVE_THERE = ('call void asm sideeffect "{ .reg .b32 there; mapa.shared::cluster.u32 there, $0, $1; '
                'mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there]; }", '
                '"r,r"(ptr addrspace(3) %b, i32 %other)')
#: All threads arrive and then see the value that thread 0 wrote.
ARRIVE = Kernel("  %b = at @s, 1000\n" + once("""
  call void @mbarrier.init.shared(ptr addrspace(3) %b, i32 64)
  store float 1.0, ptr addrspace(3) @s, align 4""") + f"""
  BARRIER
  %token = call i64 @mbarrier.arrive.shared(ptr addrspace(3) %b)
  {WAIT.replace("PARITY", "0")}
  %v = load float, ptr addrspace(3) @s, align 4
  store float %v, ptr addrspace(1) %to, align 4
  BARRIER
  br i1 %isFirst, label %last, label %end
last:
  call void @mbarrier.inval.shared(ptr addrspace(3) %b)
  br label %end
end:""")

BF16, SWIZZLE_128 = 9, 3
LEFT = {"type": BF16, "sizes": [64, 64], "strides": [128], "box": [64, 64], "swizzle": SWIZZLE_128}
RIGHT = LEFT | {"sizes": [64, 8], "box": [64, 8]}
START = """
  %x = ptrtoint ptr addrspace(3) @__dynamic_shmem__0 to i64
  %x2 = add i64 %x, 1023
  %x3 = and i64 %x2, -1024
  %x4 = add i64 %x3, 0
  %base = inttoptr i64 %x4 to ptr addrspace(3)
  %right = at %base, 8192
  %b = at %base, 9216
  %base7 = addrspacecast ptr addrspace(3) %base to ptr addrspace(7)
  %right7 = addrspacecast ptr addrspace(3) %right to ptr addrspace(7)
"""
SUMS = "{float, float, float, float}"


def product(to: str, sums: list[str], left: str = "%left", keep: int = 1) -> str:
    asm = ("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3}, $4, $5, p, $7, "
           "$8, $9, $10;")
    floats = ", ".join(f"float {x}" for x in sums)
    return (f'  %{to} = call {SUMS} asm sideeffect "{asm}", "=f,=f,=f,=f,0,1,2,3,l,l,r,n,n,n,n"'
            f"({floats}, i64 {left}, i64 %rightD, i32 {keep}, i32 1, i32 1, i32 0, i32 0)\n"
            + extract(to))


def extract(to: str) -> str:
    return "".join(f"  %{to}{i} = extractvalue {SUMS} %{to}, {i}\n" for i in range(4))


def product_of_registers(to: str, sums: list[str]) -> str:
    asm = ("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3}, "
           "{$8, $9, $10, $11}, $12, p, $14, $15, $16;")
    floats, ones = ", ".join(f"float {x}" for x in sums), ", ".join(["i32 1065369472"] * 4)
    return (f'  %{to} = call {SUMS} asm sideeffect "{asm}", "=f,=f,=f,=f,0,1,2,3,r,r,r,r,l,n,n,n,n"'
            f"({floats}, {ones}, i64 %rightD, i32 1, i32 1, i32 1, i32 0)\n" + extract(to))


def wait_for(to: str, sums: list[str], pending: int = 0) -> str:
    floats = ", ".join(f"float {x}" for x in sums)
    return (f'  %{to} = call {SUMS} asm sideeffect "wgmma.wait_group.sync.aligned {pending};", '
            f'"=f,=f,=f,=f,0,1,2,3"({floats})\n' + extract(to))


def descriptor(name: str, start: str) -> str:
    return f"""
  %{name}.0 = ptrtoint ptr addrspace(3) {start} to i64
  %{name}.1 = and i64 %{name}.0, 262143
  %{name}.2 = lshr i64 %{name}.1, 4
  %{name} = or i64 %{name}.2, {1 << 62 | 64 << 32 | 1 << 16}
"""


MULTIPLY = f"""{descriptor("left", "%base")}{descriptor("rightD", "%right")}
  call void @wgmma.fence.sync.aligned()
{product("a", ["0.0"] * 4)}
{product("c", ["%a0", "%a1", "%a2", "%a3"])}
  call void @wgmma.commit_group.sync.aligned()
  call void @wgmma.wait_group.sync.aligned(i64 0)
  %v = fadd float %c0, %c1
  store float %v, ptr addrspace(1) %to, align 4"""
COPY = "call void @tensor.2d(ptr addrspace(7) {}, ptr addrspace(3) %b, ptr {}, i32 0, i32 0, " \
       "i16 0, i64 0, i1 false, i1 false, i32 0)"
#: Copies of boxes, and wgmma of four warps.
BOXES = Kernel(START + once(f"""
  call void @mbarrier.init.shared(ptr addrspace(3) %b, i32 1)
  call void @fence.mbarrier_init.release.cluster()
  %e = call i64 @expect_tx(ptr addrspace(3) %b, i32 9216)
  {COPY.format("%base7", "%map0")}
  {COPY.format("%right7", "%map1")}""") + f"""
  BARRIER
  {WAIT.replace("PARITY", "0")}
{MULTIPLY}""", threads=128, bytes=64 * 1024, shared=10 * 1024 + 240, maps=(LEFT, RIGHT))

#: The same with a left operand in registers, and a wait that gives the sums.
REGISTERS = dataclasses.replace(BOXES, body=BOXES.body.replace(
    product("c", ["%a0", "%a1", "%a2", "%a3"]),
    product_of_registers("c", ["%a0", "%a1", "%a2", "%a3"])).replace(
    "  call void @wgmma.wait_group.sync.aligned(i64 0)\n  %v = fadd float %c0, %c1",
    wait_for("w", ["%c0", "%c1", "%c2", "%c3"]) + "  %v = fadd float %w0, %w1"))

#: The same with operands that threads store.
STORED = Kernel(START + """
  br label %loop
loop:
  %i = phi i32 [ %t16, %0 ], [ %next, %loop ]
  %z = at %base, i32 %i
  store <4 x float> zeroinitializer, ptr addrspace(3) %z, align 16
  %next = add i32 %i, 2048
  %isMore = icmp ult i32 %next, 9216
  br i1 %isMore, label %loop, label %stored
stored:
  call void asm sideeffect "fence.proxy.async.shared::cta;", ""()
  BARRIER
""" + MULTIPLY, threads=128, bytes=2048, shared=10 * 1024 + 240)

#: Uninitialized shared memory, a part of which the first block stores.
FRESH = Kernel(MINE + """
  %v = load <4 x float>, ptr addrspace(3) %mine, align 16
  store <4 x float> zeroinitializer, ptr addrspace(3) %mine, align 16
  %block = call i32 @read.ptx.sreg.ctaid.x()
  %further = mul i32 %block, 1024
  %here = at ptr addrspace(1) %to, i32 %further
  store <4 x float> %v, ptr addrspace(1) %here, align 16""", bytes=2048, grid=2)

#: A box over heads that are not adjacent: neither stride is a multiple of the other one.
PERMUTED = Kernel(START + once(f"""
  call void @mbarrier.init.shared(ptr addrspace(3) %b, i32 1)
  call void @fence.mbarrier_init.release.cluster()
  %e = call i64 @expect_tx(ptr addrspace(3) %b, i32 128)
  call void @tensor.3d(ptr addrspace(7) %base7, ptr addrspace(3) %b, ptr %map0, i32 0, i32 2,
    i32 1, i16 0, i64 0, i1 false, i1 false, i32 0)""") + f"""
  BARRIER
  {WAIT.replace("PARITY", "0")}
  %x16 = and i32 %t16, 127
  %from = at %base, i32 %x16
  %v = load <4 x float>, ptr addrspace(3) %from, align 16
  %out = at ptr addrspace(1) %to, 512
  store <4 x float> %v, ptr addrspace(1) %out, align 16""",
    threads=32, shared=11 * 1024, maps=({"type": BF16, "sizes": [8, 5, 3], "strides": [48, 80],
                                         "box": [8, 4, 2]},))

#: 16 pixels of three images of 4 lines of 5 pixels of 8 channels.
PIXELS = Kernel(START + once(f"""
  call void @mbarrier.init.shared(ptr addrspace(3) %b, i32 1)
  call void @fence.mbarrier_init.release.cluster()
  %e = call i64 @expect_tx(ptr addrspace(3) %b, i32 256)
  call void @im2col.4d(ptr addrspace(7) %base7, ptr addrspace(3) %b, ptr %map0, i32 0, i32 1,
    i32 1, i32 1, i16 1, i16 2, i16 0, i64 0, i1 false, i1 false, i32 0)""") + f"""
  BARRIER
  {WAIT.replace("PARITY", "0")}
  %x16 = and i32 %t16, 255
  %from = at %base, i32 %x16
  %v = load <4 x float>, ptr addrspace(3) %from, align 16
  %out = at ptr addrspace(1) %to, 512
  store <4 x float> %v, ptr addrspace(1) %out, align 16""",
    threads=32, shared=11 * 1024, maps=({
        "type": BF16, "sizes": [8, 5, 4, 3], "strides": [16, 80, 320], "box": [8, 16],
        "lower": [-1, 0], "upper": [-1, -2], "steps": [1, 2, 1, 1]},))


def pattern(stride: int, width: int) -> Kernel:
    """Returns a kernel whose threads access `width` floats, `stride` bytes apart, in shared and in
    global memory."""
    kind = "float" if width == 1 else f"<{width} x float>"
    return Kernel(f"""
  %far = mul i32 %t, {stride}
  %x = at @__dynamic_shmem__0, i32 %far
  %v = load {kind}, ptr addrspace(3) %x, align {4 * width}
  %y = at ptr addrspace(1) %p, i32 %far
  store {kind} %v, ptr addrspace(1) %y, align {4 * width}""", threads=32, bytes=8192,
                  shared=8192)


#: Several blocks that store the same values.
TWICE = dataclasses.replace(SHUFFLE, grid=2)

#: A thread waits for the kernel in front before it accesses memory.
WAITS = Kernel("""
  call void asm sideeffect "griddepcontrol.wait; griddepcontrol.launch_dependents;", "~{memory}"()
  store float 1.0, ptr addrspace(1) %to, align 4""")

#: Each thread stores to the shared memory of the other block, and reads what came from there.
CLUSTER = Kernel(START + """
  %block = call i32 @read.ptx.sreg.ctaid.x()
  %other = xor i32 %block, 1""" + once("""
  call void @mbarrier.init.shared(ptr addrspace(3) %b, i32 64)
  call void @fence.mbarrier_init.release.cluster()""") + """
  call void @barrier.cluster.arrive()
  call void @barrier.cluster.wait()
  %mine = at %base, %t16
  %there = call ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster(ptr addrspace(3) %mine, i32 %other)
  %f = sitofp i32 %block to float
  store float %f, ptr addrspace(7) %there, align 4
  """ + ARRIVE_THERE + "\n  " + WAIT.replace("PARITY", "0").replace("parity.shared.b64",
                                            "parity.acquire.cluster.shared::cta.b64") + """
  %v = load float, ptr addrspace(3) %mine, align 4
  %block8 = mul i32 %block, 8
  %out = at ptr addrspace(1) %to, i32 %block8
  store float %v, ptr addrspace(1) %out, align 4
  call void @barrier.cluster.arrive()
  call void @barrier.cluster.wait()""", grid=2, cluster=2, shared=11 * 1024)

CORRECT = {"twice": TWICE, "fresh": FRESH, "permuted": PERMUTED, "swap": SWAP,
           "alloca": ALLOCA, "atomic": ATOMIC, "matrix": MATRIX, "warp": WARP,
           "named": NAMED, "shuffle": SHUFFLE, "arrive": ARRIVE, "boxes": BOXES, "registers": REGISTERS,
           "stored": STORED, "pixels": PIXELS, "cluster": CLUSTER,
           "waits": WAITS}

MISALIGNED, ILLEGAL = 716, 700
ASYNC = "call void @cp.async.cg.shared.global.16(ptr addrspace(3) %mine, ptr addrspace(1) %to)"
#: A wait for a phase that never completes.
NEVER = Kernel("  %b = at @s, 1000\n" + once(f"""
  call void @mbarrier.init.shared(ptr addrspace(3) %b, i32 2)
  %a = call i64 @mbarrier.arrive.shared(ptr addrspace(3) %b)
  {WAIT.replace("PARITY", "0")}"""))
INIT = "call void @mbarrier.init.shared(ptr addrspace(3) %b, i32 64)"


def faults():
    """Yields kernels by the name of the rule that they break."""
    def moved(kernel, old, by, says, **changes):
        """Returns `kernel` with the access `old` through %to moved by `by` bytes."""
        new = f"%far = at ptr addrspace(1) %to, {by}\n  " + old.replace("%to", "%far")
        return replaced(kernel, old, new, says, **changes)

    yield "pixel outside", replaced(
        PIXELS, "i32 1,\n    i32 1,", "i32 4,\n    i32 1,",
        r"tensor map: a tap at 4 \+ 1 in dimension 1, where the bounding box is from -1 to 3")
    yield "far tap", replaced(PIXELS, "i16 2, ", "i16 256, ",
                              r"tensor map: a tap at 1 \+ 256 in dimension 2.* at most 255")
    yield "pixels as a box", replaced(
        replaced(PIXELS, "im2col.4d", "tensor.4d", ""), "i16 1, i16 2, ", "",
        "tensor map: a copy of a box of 4 dimensions without a map")
    store = "store <4 x float> %v, ptr addrspace(1) %to, align 16"
    yield "global vector", moved(
        SWAP, store, 4, r"alignment: a store of 16 bytes at address 0x\w+, offset \d+ of an "
        r"allocation of 2048 bytes is not aligned to 16", at=store.replace("%to", "%far"),
        error=MISALIGNED, bytes=2048)
    yield "shared vector", replaced(
        SWAP, "%other = at @s, i32 %other16",
        "%o = at @s, i32 %other16\n  %other = at %o, i32 8",
        r"alignment: a load of 16 bytes at offset \d+ of shared memory is not aligned to 16")
    yield "local vector", replaced(ALLOCA, "%a, 8", "%a, 12",
                                   "alignment: an access of 8 bytes of local memory")
    yield "atomic", moved(ATOMIC, "%r = atomicrmw add ptr addrspace(1) %to, i32 1 monotonic, "
                          "align 4", 2, "alignment: a store of 4 bytes", error=MISALIGNED)
    yield "source of a copy", moved(SWAP, ASYNC, 8, "alignment: a load of 16 bytes",
                                    error=MISALIGNED, bytes=2048)
    yield "copy", replaced(
        SWAP, ASYNC, "%far = at %mine, 8\n  " + ASYNC.replace("%mine", "%far"),
        "alignment: an asynchronous copy of 16 bytes")
    for size in (4, 8):
        yield f"copy of {size}", replaced(
            SWAP, ASYNC, "%far = at %mine, 2\n  " + ASYNC.replace("%mine", "%far").replace(
                "cg.shared.global.16", f"ca.shared.global.{size}"),
            f"alignment: an asynchronous copy of {size} bytes")
    yield "row of a matrix", dataclasses.replace(
        MATRIX, body=MATRIX.body.replace("p3(ptr addrspace(3) %mine)", "p3(ptr addrspace(3) %far)")
        .replace("  %v = call", "  %far = at %mine, 8\n  %v = call"),
        says="alignment: a row of a matrix of 16 bytes")
    yield "across the end", dataclasses.replace(
        SWAP, says=r"bounds: a load of 16 bytes at address 0x\w+, offset 1008 of an allocation of "
                   r"1020 bytes begins within it and ends outside", error=ILLEGAL, bytes=1020)
    yield "behind the end", dataclasses.replace(
        ATOMIC, says=r"bounds: a store of 4 bytes at .* is outside of what is allocated",
        error=ILLEGAL, bytes=512)
    yield "shared bounds", replaced(
        SWAP, "= at @s, i32 %other16", "= at @s, 1024",
        "bounds: a load of 16 bytes at offset 1024 of shared memory is outside of the block's "
        "shared memory of 1024 bytes")
    yield "freed memory", dataclasses.replace(
        ATOMIC, is_freed=True, error=ILLEGAL, says="freed memory: a store of 4 bytes")

    yield "argument", dataclasses.replace(
        SHUFFLE, signature="ptr addrspace(1) align 4096 %p", bytes=1032,
        says=r"alignment: an argument, address 0x\w+, offset 0 of an allocation of 1032 bytes, is "
             r"not aligned to 4096")
    yield "stores of two blocks", replaced(
        SHUFFLE, "store i32 %v", "%block = call i32 @read.ptx.sreg.ctaid.x()\n  store i32 %block",
        r"race of blocks: a store of another value at .* and a store by block 0", grid=2, block=1,
        at="store i32 %block, ptr addrspace(1) %to")
    yield "load of what another block stores", dataclasses.replace(
        FRESH, body=FRESH.body.replace("  %v = load <4 x float>, ptr addrspace(3) %mine, align 16",
                                       "  %v = load <4 x float>, ptr addrspace(1) %to, align 16"),
        says=r"race of blocks: a load at .* and a store by block 0", block=1)
    yield "store of what another block loads", dataclasses.replace(
        FRESH, body=FRESH.body.replace("  %v = load <4 x float>, ptr addrspace(3) %mine, align 16",
                                       "  %in = at ptr addrspace(1) %to, 1024\n"
                                       "  %v = load <4 x float>, ptr addrspace(1) %in, align 16")
        .replace("float> %v, ptr addrspace(1) %here", "float> zeroinitializer, ptr addrspace(1) %here"),
        bytes=4096, block=1,
        says="race of blocks: a store of another value at .* and a load by (block 0|several blocks)")
    yield "noalias", dataclasses.replace(
        SHUFFLE, signature="ptr addrspace(1) %p, ptr addrspace(1) noalias %q", same=1,
        body=SHUFFLE.body + "\n  %w = load i32, ptr addrspace(1) %q, align 4",
        says=r"noalias: a (load|store) at .* by argument (0|1 \(noalias\)) and a (store|load) by "
             r"argument")

    yield "race", replaced(SWAP, "BARRIER", "",
                           r"race: .* at offset \d+ of shared memory and .* thread \d+, which")
    yield "race in a warp", replaced(WARP, "call void @bar.warp.sync(i32 -1)", "", "race: ")
    yield "race of warps", dataclasses.replace(WARP, threads=64, body=WARP.body.replace(
        "xor i32 %t16, 16", "xor i32 %t16, 512"), says="race: ")
    yield "copy that is not waited for", replaced(
        SWAP, "wait.group(i32 0)", "wait.group(i32 1)",
        "race: a load at .* and a copy that is not waited for, started by thread")
    mine = "  store float 1.0, ptr addrspace(3) %mine, align 4\n"
    yield "arrival too early", dataclasses.replace(
        NAMED, says="race: ", body=NAMED.body.replace(mine, "").replace(
            "i32 64)\n  ret void", f"i32 64)\n{mine}  ret void"))

    yield "threads of a barrier", dataclasses.replace(
        NAMED, body=NAMED.body.replace("i32 64)", "i32 48)"),
        says="barrier: expected a multiple of 32 threads, 64 at most, got 48")
    yield "counts of a barrier", replaced(
        NAMED, "sync.aligned.count(i32 1, i32 64)", "sync.aligned.count(i32 1, i32 32)",
        "barrier: threads come to barrier 1 with different counts: |race: ")
    yield "number of a barrier", dataclasses.replace(
        NAMED, body=NAMED.body.replace("count(i32 1", "count(i32 16"),
        says="barrier: expected a number from 0 to 15, got 16")
    yield "barrier of some threads", dataclasses.replace(
        SHUFFLE, body=once("  BARRIER"), says=r"deadlock: 63 threads have ended; 1 \(the first is "
        r"0\) wait for others at a barrier")
    yield "two barriers of a warp", dataclasses.replace(SHUFFLE, body="""
  %isFirst = icmp ult i32 %t, 16
  br i1 %isFirst, label %first, label %second
first:
  BARRIER
  ret void
second:
  BARRIER""", says="divergence: threads of a warp are at different barriers")
    yield "two shuffles", dataclasses.replace(SHUFFLE, body="""
  %isFirst = icmp ult i32 %t, 16
  br i1 %isFirst, label %first, label %second
first:
  %a = call i32 @shfl.sync.bfly.i32(i32 -1, i32 %t, i32 1, i32 31)
  ret void
second:
  %c = call i32 @shfl.sync.bfly.i32(i32 -1, i32 %t, i32 2, i32 31)""",
        says="divergence: threads of a warp are at different instructions")
    yield "mask", replaced(SHUFFLE, "i32 -1", "i32 65535",
                           "mask: expected all threads of a warp, got a mask of 16")

    arrive = "call void @barrier.cluster.arrive()"
    yield "second arrival in a cluster", replaced(
        CLUSTER, arrive, f"{arrive}\n  {arrive}", "cluster: a thread arrives for the second time")
    yield "access before a wait", replaced(
        WAITS, "  call", "  store float 2.0, ptr addrspace(1) %to, align 4\n  call",
        "griddepcontrol: an access of memory by a thread that has not waited for the kernel in front",
        at="store float 2.0")
    yield "block that is not there", replaced(
        CLUSTER, "%other = xor i32 %block, 1",
        "%is0 = icmp eq i32 %block, 0\n  %other = select i1 %is0, i32 2, i32 0",
        "cluster: expected a block below 2, got 2")
    yield "store to the barrier of another block", replaced(
        CLUSTER, "(ptr addrspace(3) %mine, i32 %other)", "(ptr addrspace(3) %b, i32 %other)",
        "mbarrier: an access of a barrier's bytes at offset")
    yield "store that nothing orders", replaced(
        CLUSTER, "store float %f", "%early = load float, ptr addrspace(3) %mine, align 4\n  "
        "store float %f", "race: ")

    yield "barrier without initialization", replaced(
        ARRIVE, INIT, "", "mbarrier: use of a barrier that was not initialized at offset 1000 of "
        "shared memory")
    yield "second initialization", replaced(
        ARRIVE, INIT, f"{INIT}\n  {INIT}", "mbarrier: initialization of a barrier that is in use")
    yield "no arrivals", replaced(ARRIVE, INIT, INIT.replace("64", "0"),
                                  "mbarrier: expected 1 to 1048575 arrivals, got 0")
    yield "too many arrivals", dataclasses.replace(
        NEVER, body=NEVER.body.replace("i32 2)", "i32 1)\n  call void "
        "@mbarrier.expect.tx.scope.cta.space.cta(ptr addrspace(3) %b, i32 16)").replace(
        "  %a =", "  %a0 = call i64 @mbarrier.arrive.shared(ptr addrspace(3) %b)\n  %a ="),
        says="mbarrier: more arrivals than the 1 that are expected of a barrier")
    yield "too many bytes", dataclasses.replace(
        NEVER, body=NEVER.body.replace("i32 2)", "i32 2)" + "\n  call void "
        "@mbarrier.expect.tx.scope.cta.space.cta(ptr addrspace(3) %b, i32 600000)" * 2),
        says="mbarrier: expected at most 1048575 bytes, got 600000 more than 600000")
    yield "a phase without an end", dataclasses.replace(
        NEVER, says=r"deadlock: 63 threads have ended; 1 \(the first is 0\) wait for the end of a "
                    r"phase of parity 0 at offset 1000 of shared memory, which lacks 1 of 2 "
                    r"arrivals and 0 bytes")
    yield "misplaced barrier", dataclasses.replace(
        ARRIVE, body=ARRIVE.body.replace("at @s, 1000", "at @s, 1004"),
        says="alignment: a barrier of 8 bytes at offset 1004 of shared memory is not aligned to 8")
    yield "store to a barrier", replaced(
        ARRIVE, "store float 1.0, ptr addrspace(3) @s", "store float 1.0, ptr addrspace(3) %b",
        "mbarrier: a store of a barrier's bytes at offset 1000")
    yield "a barrier that others do not see", replaced(ARRIVE, "BARRIER", "",
                                                       "race: |mbarrier: use of")
    yield "bytes that do not come", dataclasses.replace(
        NEVER, body=once("""
  call void @mbarrier.init.shared(ptr addrspace(3) @s, i32 1)
  %e = call i64 @expect_tx(ptr addrspace(3) @s, i32 16)"""),
        says="mbarrier: a block ends while the barrier at offset 0 of shared memory lacks 0 of 1 "
             "arrivals and 16 bytes")
    yield "copies that are left", dataclasses.replace(
        BOXES, body=re.split(r".*try_wait", BOXES.body)[0],
        says="copy: a block ends before its copies")
    yield "bytes that are not expected", replaced(
        BOXES, "i32 9216)", "i32 9200)", "mbarrier: 16 bytes more than were expected came")
    yield "no fence of a barrier", replaced(
        BOXES, "call void @fence.mbarrier_init.release.cluster()", "",
        "mbarrier: no fence of its initialization")
    yield "place of a box", replaced(
        BOXES, "%x4 = add i64 %x3, 0", "%x4 = add i64 %x3, 128",
        "alignment: a copy of a box of 8192 bytes at .* is not aligned to 1024",
        shared=11 * 1024)
    yield "box outside", dataclasses.replace(
        BOXES, shared=9000, says="bounds: a barrier of 8 bytes|bounds: a copy of a box")
    yield "box that is not waited for", dataclasses.replace(
        BOXES, body=re.sub(r"call void asm[^\n]*try_wait[^\n]*", "", BOXES.body),
        says="race: a product's read at .* a copy")

    yield "registers without a fence", replaced(
        BOXES, "call void @wgmma.fence.sync.aligned()", "",
        "wgmma: no wgmma.fence after a thread's own access of registers")
    yield "registers too early", replaced(
        BOXES, "call void @wgmma.wait_group.sync.aligned(i64 0)",
        "call void @wgmma.wait_group.sync.aligned(i64 1)",
        "wgmma: a read of a product's register, whose group was not waited for",
        at="%v = fadd float %c0, %c1")
    yield "registers of a wait", replaced(
        REGISTERS, "wgmma.wait_group.sync.aligned 0;", "wgmma.wait_group.sync.aligned 1;",
        "wgmma: a read of a product's register, whose group was not waited for",
        at="%v = fadd float %w0, %w1")
    yield "no group", replaced(
        BOXES, "call void @wgmma.commit_group.sync.aligned()", "",
        "wgmma: a read of a product's register, whose group is not committed")
    yield "sums changed by a thread", dataclasses.replace(
        BOXES, body=BOXES.body.replace("float %a0, float %a1", "float %y, float %a1").replace(
            "  %c = call", "  %y = fadd float %a0, 1.0\n  %c = call"),
        says="wgmma: a read of a product's register, whose group is not committed")
    yield "products that are left", dataclasses.replace(
        BOXES, body=BOXES.body[: BOXES.body.index("  call void @wgmma.wait_group")],
        says="wgmma: a thread ends before 2 of its products, of which 0 are in no group")
    yield "operand outside", replaced(
        BOXES, "%left.2 = lshr i64 %left.1, 4", "%left.3 = lshr i64 %left.1, 4\n"
        "  %left.2 = add i64 %left.3, 512", "bounds: a matrix's element of 2 bytes")
    yield "operand that is not permuted", dataclasses.replace(
        BOXES, body=BOXES.body.replace(str(1 << 62 | 64 << 32 | 1 << 16),
                                       str(64 << 32 | 1 << 16)),
        says="wgmma: a matrix that is not permuted by 128 bytes")
    yield "no fence of stores", replaced(
        STORED, 'call void asm sideeffect "fence.proxy.async.shared::cta;", ""()', "",
        r"fence.proxy.async: a product's read at offset \d+ of shared memory, to which thread \d+ "
        "stored, without a fence between them")


    more = "  call void @setmaxnreg.inc.sync.aligned.u32(i32 {})\n"
    yield "number of registers", dataclasses.replace(
        SHUFFLE, body=more.format(20),
        says="registers: expected a multiple of 8 from 24 to 256, got 20")
    yield "fewer registers", dataclasses.replace(
        SHUFFLE, body=more.format(240), threads=128, bytes=2048,
        says="registers: expected at least the 248 that a thread has, got 240")
    yield "registers that nobody gives", dataclasses.replace(
        SHUFFLE, body=more.format(240), threads=384, bytes=6144,
        says="deadlock: .* wait for registers that others give")


FAULTS = dict(faults())
