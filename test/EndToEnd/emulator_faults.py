"""Kernels with one planted fault, which the emulator must report."""

import dataclasses
import re

from emulator_kernels import (ACROSS, ALLOCA, AMD_BARRIER, ARRIVE, ATOMIC, BOXES, CLUSTER, FRESH,
                              HALVES, Kernel, LANES, MATRIX, NAMED, PART, PIXELS, REGISTERS, SHUFFLE,
                              STORED, SWAP, WAIT, WAITS, WARP, once, replaced, two_products)

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


def amd_faults():
    """The same of kernels for AMD GPUs."""
    def split(first, second):
        """Returns code of two halves of a wave."""
        return f"""
  %isFirst = icmp ult i32 %t, 32
  br i1 %isFirst, label %first, label %second
first:
{first}
  ret void
second:
{second}"""

    product = two_products("f32.16x16x16f16")
    one = "  %{} = call <4 x float> @mfma.f32.16x16x4f32(float 1.0, float 1.0, <4 x float> " \
          "zeroinitializer, i32 0, i32 0, i32 0)"
    yield "modifier", replaced(
        product, "i32 0, i32 0, i32 0)", "i32 0, i32 0, i32 1)",
        "mfma: expected no modifiers, got cbsz 0, abid 0, blgp 1")
    yield "product by a part of a wave", dataclasses.replace(
        product, threads=96, says="mfma: expected a block of a multiple of 64 threads, got 96")
    yield "two products of a wave", dataclasses.replace(
        HALVES, body=split(one.format("a"), one.format("b")),
        says="divergence: threads of a wave are at different instructions, another one at "
             "'%[ab] = ")
    yield "product by half of a wave", dataclasses.replace(
        HALVES, body=split("", one.format("b")),
        says="divergence: 32 of 64 threads of a wave are at '%b = ")
    yield "product beside a barrier", dataclasses.replace(
        HALVES, body=split("BARRIER", one.format("b") + "\n  BARRIER"),
        says="divergence: 32 of 64 threads of a wave are at '%b = ")
    yield "product beside a loop", dataclasses.replace(
        product, body=product.body.replace("  %c1 =", """
  %isFirst = icmp ult i32 %t, 32
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %j, %loop ]
  %c1 =""").replace("  %c2 =", """
  %j = add i32 %i, 1
  %n = select i1 %isFirst, i32 1, i32 2
  %isMore = icmp ult i32 %j, %n
  br i1 %isMore, label %loop, label %end
end:
  %c2 ="""), says="divergence: threads of a wave are at different instructions")
    yield "shuffle across the halves of a wave", replaced(
        LANES, "i32 %lane, 9", "i32 %lane, 41",
        r"shuffle: expected a thread of the same half of the wave, got \d+ in thread \d+ of the "
        "wave",
        at="%v = call i32 @llvm.amdgcn.ds.bpermute(i32 %address, i32 %t)")
    yield "half of a wave shuffles across the halves", dataclasses.replace(
        ACROSS, body=ACROSS.body.replace("  %from = xor i32 %lane, 32", """
  %isFirst = icmp ult i32 %lane, 32
  %other = xor i32 %lane, 32
  %from = select i1 %isFirst, i32 %other, i32 %lane"""),
        says="divergence: 32 of 64 threads of a wave are at '%v = ")
    yield "two barriers of a wave", dataclasses.replace(
        HALVES, body=split("  BARRIER", "  BARRIER"),
        says="divergence: threads of a wave are at different barriers")
    yield "race of halves", replaced(HALVES, "BARRIER", "", "race: ")
    yield "race in a part of a wave", replaced(PART, "BARRIER", "", "race: ")
    release, barrier, acquire = AMD_BARRIER.split("\n  ")
    for name, fences in [("no", ["", ""]), ("no release", ["", acquire]),
                         ("narrow release", [release.replace("workgroup", "wavefront"), acquire]),
                         ("acquire before the barrier", [acquire, acquire])]:
        yield f"{name} fence of a barrier", replaced(
            HALVES, "BARRIER", f"{fences[0]}\n  {barrier}\n  {fences[1]}",
            "fence: a barrier without a release fence after the thread's last access of shared "
            "memory")
    yield "no acquire fence of a barrier", replaced(
        HALVES, "BARRIER", f"{release}\n  {barrier}",
        "fence: an access of shared memory without an acquire fence after the last barrier")


FAULTS = {**dict(faults()), **dict(amd_faults())}
