"""Kernels in LLVM IR for tests of the emulator itself."""

import dataclasses
import re

SHARED = "@s = internal addrspace(3) global [1024 x i8] undef, align 16\n"
HEADER = """
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
declare void @llvm.nvvm.mbarrier.arrive.scope.cluster.space.cluster(ptr addrspace(7), i32)
declare void @llvm.nvvm.setmaxnreg.inc.sync.aligned.u32(i32)
declare void @llvm.nvvm.wgmma.fence.sync.aligned()
declare void @llvm.nvvm.wgmma.commit_group.sync.aligned()
declare void @llvm.nvvm.wgmma.wait_group.sync.aligned(i64)
"""

#: Instructions of AMD's matrix cores: the rows and columns, k, and the types of the operands and
#: the sums.
PRODUCTS = {
    "f32.32x32x8bf16.1k": (32, 8, "<4 x i16>", "<16 x float>"),
    "f32.16x16x16bf16.1k": (16, 16, "<4 x i16>", "<4 x float>"),
    "f32.32x32x8f16": (32, 8, "<4 x half>", "<16 x float>"),
    "f32.16x16x16f16": (16, 16, "<4 x half>", "<4 x float>"),
    "f32.32x32x2f32": (32, 2, "float", "<16 x float>"),
    "f32.16x16x4f32": (16, 4, "float", "<4 x float>"),
    "i32.32x32x16.i8": (32, 16, "i64", "<16 x i32>"),
    "i32.16x16x32.i8": (16, 32, "i64", "<4 x i32>"),
}

AMD_HEADER = """
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
declare i32 @llvm.amdgcn.mbcnt.lo(i32, i32)
declare i32 @llvm.amdgcn.mbcnt.hi(i32, i32)
declare i32 @llvm.amdgcn.ds.bpermute(i32, i32)
""" + "".join(
    f"declare {sums} @llvm.amdgcn.mfma.{name}({operand}, {operand}, {sums}, "
    "i32 immarg, i32 immarg, i32 immarg)\n"
    for name, (_, _, operand, sums) in PRODUCTS.items())


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
    #: True if the kernel is for an AMD GPU.
    is_amd: bool = False
    #: The contents of the buffer, in hexadecimal digits; else 16-bit elements count up.
    data: str = ""


#: What `BARRIER` stands for in a kernel for an AMD GPU.
AMD_BARRIER = """fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire"""


def define(name: str, kernel: Kernel) -> str:
    body, dialect = kernel.body, "amdgcn" if kernel.is_amd else "nvvm"
    barrier = (AMD_BARRIER if kernel.is_amd else
               "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)")
    for short, long in [("BARRIER", barrier),
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
    body = re.sub(r"call (\S+|[{<].*?[}>]) @(?!llvm)", rf"call \1 @llvm.{dialect}.", body)
    maps = "".join(f', ptr byval([16 x i64]) align 64 "nvvm.grid_constant" %map{i}'
                   for i in range(len(kernel.maps)))
    cluster = f'"nvvm.cluster_dim"="{kernel.cluster},1,1" ' if kernel.cluster > 1 else ""
    convention = "amdgpu_kernel" if kernel.is_amd else "ptx_kernel"
    thread = "amdgcn.workitem.id.x" if kernel.is_amd else "nvvm.read.ptx.sreg.tid.x"
    return f"""define {convention} void @{name}({kernel.signature}{maps}) {cluster}{{
  %t = call i32 @llvm.{thread}()
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
  %b7 = call ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster(ptr addrspace(3) %b, i32 %other)
  call void @mbarrier.arrive.scope.cluster.space.cluster(ptr addrspace(7) %b7, i32 1)
  """ + WAIT.replace("PARITY", "0").replace("parity.shared.b64",
                                            "parity.acquire.cluster.shared::cta.b64") + """
  %v = load float, ptr addrspace(3) %mine, align 4
  %block8 = mul i32 %block, 8
  %out = at ptr addrspace(1) %to, i32 %block8
  store float %v, ptr addrspace(1) %out, align 4
  call void @barrier.cluster.arrive()
  call void @barrier.cluster.wait()""", grid=2, cluster=2, shared=11 * 1024)

#: The halves of a wave exchange the 16 bytes of each thread.
HALVES = Kernel(MINE + """
  %x = load <4 x float>, ptr addrspace(1) %to, align 16
  store <4 x float> %x, ptr addrspace(3) %mine, align 16
  BARRIER
  %other16 = xor i32 %t16, 512
  %other = at @s, i32 %other16
  %v = load <4 x float>, ptr addrspace(3) %other, align 16
  store <4 x float> %v, ptr addrspace(1) %to, align 16""", is_amd=True)

#: A block whose last wave has 32 threads.
PART = Kernel("""
  %t4 = mul i32 %t, 4
  %mine = at @s, i32 %t4
  store i32 %t, ptr addrspace(3) %mine, align 4
  BARRIER
  %other4 = sub i32 380, %t4
  %other = at @s, i32 %other4
  %v = load i32, ptr addrspace(3) %other, align 4
  store i32 %v, ptr addrspace(1) %to, align 4""", threads=96, bytes=1536, is_amd=True)

#: Each thread stores its number in the wave, and that of the thread from which it takes a value.
LANES = Kernel("""
  %low = call i32 @mbcnt.lo(i32 -1, i32 0)
  %lane = call i32 @mbcnt.hi(i32 -1, i32 %low)
  %from = xor i32 %lane, 9
  %address = mul i32 %from, 4
  %v = call i32 @ds.bpermute(i32 %address, i32 %t)
  %two.0 = insertelement <2 x i32> poison, i32 %lane, i32 0
  %two = insertelement <2 x i32> %two.0, i32 %v, i32 1
  store <2 x i32> %two, ptr addrspace(1) %to, align 8""", threads=128, bytes=2048, is_amd=True)

ACROSS = dataclasses.replace(LANES, body=LANES.body.replace("i32 %lane, 9", "i32 %lane, 32"))


def two_products(name: str) -> Kernel:
    """Returns a kernel of two waves, each of which adds two products of matrices to its sums. The
    buffer has for each thread: its parts of the operands, 8 bytes each, and its sums."""
    size, _, operand, sums = PRODUCTS[name]
    record, align = 32 + size * size // 16, 4 if operand == "float" else 8
    loads = "".join(f"""
  %at{i} = at ptr addrspace(1) %mine, {8 * i}
  %x{i} = load {operand}, ptr addrspace(1) %at{i}, align {align}""" for i in range(4))
    return Kernel(f"""
  %begin = mul i32 %t, {record}
  %mine = at ptr addrspace(1) %p, i32 %begin
  %sums = at ptr addrspace(1) %mine, 32{loads}
  %c0 = load {sums}, ptr addrspace(1) %sums, align 16
  %c1 = call {sums} @mfma.{name}({operand} %x0, {operand} %x1, {sums} %c0, i32 0, i32 0, i32 0)
  %c2 = call {sums} @mfma.{name}({operand} %x2, {operand} %x3, {sums} %c1, i32 0, i32 0, i32 0)
  store {sums} %c2, ptr addrspace(1) %sums, align 16""", threads=128, bytes=128 * record,
                  is_amd=True)


AMD = {"halves": HALVES, "part": PART, "lanes": LANES,
       "across": ACROSS,
       **{f"product {name}": two_products(name) for name in PRODUCTS}}

CORRECT = {"twice": TWICE, "fresh": FRESH, "permuted": PERMUTED, "swap": SWAP,
           "alloca": ALLOCA, "atomic": ATOMIC, "matrix": MATRIX, "warp": WARP,
           "named": NAMED, "shuffle": SHUFFLE, "arrive": ARRIVE, "boxes": BOXES, "registers": REGISTERS,
           "stored": STORED, "pixels": PIXELS, "cluster": CLUSTER,
           "waits": WAITS, **AMD}
