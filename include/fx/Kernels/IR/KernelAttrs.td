//===- KernelAttrs.td - schedules of kernels ---------------*- tablegen -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_KERNEL_ATTRS
#define FX_KERNEL_ATTRS

include "fx/Kernels/IR/KernelDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/Interfaces.td"

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

def FXKernel_ScheduleInterface : AttrInterface<"ScheduleAttrInterface"> {
  let cppNamespace = "::fx::kernel";
  let description = [{
    The schedule of a kernel: the attribute `fx_kernel.schedule` of its function
    or of the op from which its loops are generated. The class of the attribute
    is the class of the kernel. Its parameters are chosen for the target.
  }];
  let methods = [
    InterfaceMethod<"The class of kernels, as reports name it.",
      "::llvm::StringRef", "getKernelClass", (ins), "", [{
        return ConcreteAttr::getMnemonic();
      }]>,
    InterfaceMethod<"Calls `fn` with the name and value of each parameter.",
      "void", "walkParameters",
      (ins "::llvm::function_ref<void(::llvm::StringRef, ::mlir::Attribute)>":$fn),
      "", "(void)fn;">
  ];
}

/// A schedule without parameters.
class FXKernel_SimpleSchedule<string name, string kernelClass>
    : AttrDef<FXKernel_Dialect, name, [FXKernel_ScheduleInterface]> {
  let mnemonic = kernelClass;
}

/// A schedule whose parameters are all numbers, printed by name.
class FXKernel_TiledSchedule<string name, string kernelClass>
    : AttrDef<FXKernel_Dialect, name,
              [DeclareAttrInterfaceMethods<FXKernel_ScheduleInterface,
                                           ["walkParameters"]>]> {
  let mnemonic = kernelClass;
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// CPUs
//===----------------------------------------------------------------------===//

def FXKernel_ContractionAttr : FXKernel_TiledSchedule<"Contraction", "contraction"> {
  let summary = "contractions by register tiles";
  let description = [{
    A register tile computes `rows` rows by `vectors` vectors of columns of the
    result. `row_block` rows of the left operand (0: all) stay in the cache
    while the panels of the right operand stream through it. With `rows_first`,
    all panels stay in the cache while the rows stream through it. The first
    `prefetch` tiles of a panel each prefetch an equal part of the next panel.
    If `prefetch` is 1, the only tile prefetches its own panel; if it is 0,
    nothing is prefetched.

    With `terms`, all rows of a block multiply a part of a panel, of at most
    that many terms, before the next part is read, so that it stays in the
    first-level cache. Their sums are in memory meanwhile. This applies to
    packed panels of f32, bf16 and f16.

    With `tiles`, the sums are in AMX tiles: two by `vectors` times the lanes of
    a vector, divided by 16, tiles of 16 rows and 16 columns. `rows` is 16 or 32.

    ```mlir
    #fx_kernel.contraction<rows = 8, vectors = 2, row_block = 128, prefetch = 16>
    ```
  }];
  let parameters = (ins
    "int64_t":$rows, "int64_t":$vectors,
    DefaultValuedParameter<"int64_t", "0">:$row_block,
    DefaultValuedParameter<"bool", "false">:$rows_first,
    DefaultValuedParameter<"int64_t", "0">:$prefetch,
    DefaultValuedParameter<"bool", "false">:$tiles,
    DefaultValuedParameter<"int64_t", "0">:$terms);
}

def FXKernel_WinogradAttr : FXKernel_TiledSchedule<"Winograd", "winograd"> {
  let summary = "3 x 3 convolutions by Winograd's method";
  let description = [{
    F(`tile` x `tile`, 3 x 3): a tile has `tile` x `tile` results. A task
    transforms the pixels of `block` tiles, multiplies them by the transformed
    filters of one of `groups` parts of the columns, and transforms the products
    to results. The products are computed by register tiles of up to `rows`
    tiles by `vectors` vectors of columns.

    ```mlir
    #fx_kernel.winograd<tile = 4, block = 24, groups = 1, rows = 6, vectors = 2>
    ```
  }];
  let parameters = (ins "int64_t":$tile, "int64_t":$block, "int64_t":$groups,
                        "int64_t":$rows, "int64_t":$vectors);
}

/// A schedule with the parameter `unroll`, which need not be given.
class FXKernel_UnrolledSchedule<string name, string kernelClass>
    : AttrDef<FXKernel_Dialect, name,
              [DeclareAttrInterfaceMethods<FXKernel_ScheduleInterface,
                                           ["walkParameters"]>]> {
  let mnemonic = kernelClass;
  let parameters = (ins DefaultValuedParameter<"int64_t", "0">:$unroll);
  let assemblyFormat = "(`<` struct(params)^ `>`)?";
  let genVerifyDecl = 1;
}

def FXKernel_RowsAttr : FXKernel_UnrolledSchedule<"Rows", "rows"> {
  let summary = "reductions along rows, with adjacent pointwise ops";
  let description = [{
    Softmax, layer norm and similar kernels: a row is reduced by vectors, then
    its elements are computed. `unroll` is the number of vectors with separate
    accumulators (0: four). On GPUs a block computes one or
    more rows, and `unroll` is 0.
  }];
}

def FXKernel_WindowAttr : FXKernel_UnrolledSchedule<"Window", "window"> {
  let summary = "reductions by vectors along the last result dimension";
  let description = [{
    Pooling, sums over outer dimensions, and sums of rows of at most four
    elements. `unroll` is the number of vectors of columns that are reduced at
    the same time (0: the emitter chooses it). If a window slides over an image,
    it is the number of adjacent pixels of a row instead.
  }];
}

def FXKernel_PackAttr : FXKernel_SimpleSchedule<"Pack", "pack"> {
  let summary = "`linalg.pack` of a weight";
}

def FXKernel_PointwiseAttr : FXKernel_SimpleSchedule<"Pointwise", "pointwise"> {
  let summary = "pointwise ops, by vectors";
}

def FXKernel_SortAttr : FXKernel_SimpleSchedule<"Sort", "sort"> {
  let summary = "sorting networks, a row in each lane";
}

def FXKernel_ScanAttr : FXKernel_SimpleSchedule<"Scan", "scan"> {
  let summary = "scans along a dimension, a row or a column in each lane";
}

//===----------------------------------------------------------------------===//
// GPUs
//===----------------------------------------------------------------------===//

def FXKernel_ElementwiseAttr : FXKernel_SimpleSchedule<"Elementwise", "elements"> {
  let summary = "runs of elements of the result in each thread";
}

def FXKernel_ColumnsAttr : FXKernel_SimpleSchedule<"Columns", "columns"> {
  let summary = "reductions over outer dimensions";
  let description = [{
    A thread reduces a run of neighbouring columns over some of the rows. The
    threads of a block that have the same columns combine their results.
  }];
}

def FXKernel_TransposeAttr : FXKernel_SimpleSchedule<"Transpose", "transpose"> {
  let summary = "pointwise kernels with transposed operands";
  let description = [{
    A block copies tiles of 32 by 32 elements of the transposed operands to
    shared memory and reads them by columns.
  }];
}

def FXKernel_AttentionAttr : FXKernel_TiledSchedule<"Attention", "attention"> {
  let summary = "softmax(Q K^T) V in one kernel";
  let description = [{
    On GPUs on tensor cores. By mma.sync, after FlashAttention-2 (Dao, 2023), up
    to `parts` blocks compute the same rows, each with a part of the keys. With
    `warpgroups`, after FlashAttention-3 (Shah et al., 2024), by wgmma: so many
    warpgroups of a block compute 64 rows each, with `keys` keys at a time. With
    `turns`, they start their products in turns.

    ```mlir
    #fx_kernel.attention<warpgroups = 2, keys = 128, turns = true>
    ```
  }];
  let parameters = (ins DefaultValuedParameter<"int64_t", "1">:$parts,
                        DefaultValuedParameter<"int64_t", "0">:$warpgroups,
                        DefaultValuedParameter<"int64_t", "0">:$keys,
                        DefaultValuedParameter<"bool", "false">:$turns);
  let assemblyFormat = "(`<` struct(params)^ `>`)?";
}

def FXKernel_GemvAttr : FXKernel_TiledSchedule<"Gemv", "gemv"> {
  let summary = "contractions with at most 16 rows";
  let description = [{
    A thread loads `width` elements of the right operand at once, and `unroll`
    such vectors before it multiplies. With `along_k` they are terms of one
    column: a warp computes `columns` columns, and `warps` warps of a block
    share them. Otherwise they are columns: `columns` lanes of a warp take
    different ones, and the other lanes of `warps` warps take other terms.
  }];
  let parameters = (ins "int64_t":$width, "int64_t":$columns, "int64_t":$unroll,
                        "int64_t":$warps, "bool":$along_k);
}

def FXKernel_MatMulAttr : FXKernel_TiledSchedule<"MatMul", "matmul"> {
  let summary = "contractions by tiles in shared memory, in f32";
  let description = [{
    A block computes `m` by `n` results from tiles of `k` terms. A thread
    computes `thread_m` by `thread_n` of these results.
  }];
  let parameters = (ins "int64_t":$m, "int64_t":$n, "int64_t":$k,
                        "int64_t":$thread_m, "int64_t":$thread_n);
}

def FXKernel_TensorCoreAttr : FXKernel_TiledSchedule<"TensorCore", "tensorcore"> {
  let summary = "contractions of half types, f32 and bytes by mma.sync";
  let description = [{
    A block of `warps_m` by `warps_n` warps computes `m` by `n` results. The
    copies of tiles of `k` terms to shared memory form a pipeline of `stages`
    stages. `parts` blocks each compute the sums of a part of K.
  }];
  let parameters = (ins "int64_t":$m, "int64_t":$n, "int64_t":$k,
                        "int64_t":$warps_m, "int64_t":$warps_n,
                        "int64_t":$stages,
                        DefaultValuedParameter<"int64_t", "1">:$parts);
}

def FXKernel_MatrixCoreAttr : FXKernel_TiledSchedule<"MatrixCore", "matrixcore"> {
  let summary = "contractions of half types, f32 and signed bytes by v_mfma";
  let description = [{
    A block of `waves_m` by `waves_n` waves of 64 threads computes `m` by `n`
    results from tiles of `k` terms. `parts` blocks each compute the sums of a
    part of K.
  }];
  let parameters = (ins "int64_t":$m, "int64_t":$n, "int64_t":$k,
                        "int64_t":$waves_m, "int64_t":$waves_n,
                        DefaultValuedParameter<"int64_t", "1">:$parts);
}

def FXKernel_WarpgroupAttr : FXKernel_TiledSchedule<"Warpgroup", "warpgroup"> {
  let summary = "contractions of half types and bytes by wgmma";
  let description = [{
    A block computes tiles of 128 rows by `columns` columns. The tensor memory
    accelerator copies tiles to shared memory in a pipeline of `stages` stages.
    `parts` blocks each compute the sums of a part of K. `warpgroups`
    warpgroups share a tile: 2, or 1 if each of the two has tiles of its own.
    `cluster` neighbouring blocks compute tiles that share an operand, and each
    copies a part of it for all of them; or, if there are as many `parts`, they
    compute the parts of one tile. In `fx_kernel.tiles`, 0 columns disable this
    class, or with a `cluster` of 2 make the compiler consider clusters.
  }];
  let parameters = (ins "int64_t":$columns, "int64_t":$stages,
                        DefaultValuedParameter<"int64_t", "1">:$parts,
                        DefaultValuedParameter<"int64_t", "2">:$warpgroups,
                        DefaultValuedParameter<"int64_t", "1">:$cluster);
}

def FXKernel_ProblemAttr : AttrDef<FXKernel_Dialect, "Problem"> {
  let summary = "the sizes of a contraction: `m` by `n` sums of `k` terms";
  let description = "A size of -1 is not known at compile time.";
  let mnemonic = "problem";
  let parameters = (ins "int64_t":$m, "int64_t":$n, "int64_t":$k);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif // FX_KERNEL_ATTRS
