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
    How a kernel is computed: `fx_kernel.schedule` of its function or of the op
    that its loops are made of. The attribute's class is that of the kernel, its
    parameters are what was chosen for the target.
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
    A register tile is `rows` rows by `vectors` vectors of the result's columns.
    `row_block` rows of the left operand stay in the cache while the panels of
    the right one pass; 0: all. With `rows_first` all panels stay there while
    the rows pass. `prefetch` tiles share the work of fetching the next panel;
    1: the only tile fetches ahead of itself, 0: nothing is fetched.

    ```mlir
    #fx_kernel.contraction<rows = 8, vectors = 2, row_block = 128, prefetch = 16>
    ```
  }];
  let parameters = (ins
    "int64_t":$rows, "int64_t":$vectors,
    DefaultValuedParameter<"int64_t", "0">:$row_block,
    DefaultValuedParameter<"bool", "false">:$rows_first,
    DefaultValuedParameter<"int64_t", "0">:$prefetch);
}

def FXKernel_RowsAttr : FXKernel_SimpleSchedule<"Rows", "rows"> {
  let summary = "reductions along rows, and pointwise ops around them";
  let description = [{
    Softmax, layer norm and their like: a row is reduced by vectors, then its
    elements are computed. On GPUs a block computes a row.
  }];
}

def FXKernel_WindowAttr : FXKernel_SimpleSchedule<"Window", "window"> {
  let summary = "reductions whose neighbouring results lie side by side";
  let description = [{
    Pooling and sums over outer dimensions: vectors along the last dimension of
    the result.
  }];
}

def FXKernel_PackAttr : FXKernel_SimpleSchedule<"Pack", "pack"> {
  let summary = "`linalg.pack` of a weight";
}

def FXKernel_PointwiseAttr : FXKernel_SimpleSchedule<"Pointwise", "pointwise"> {
  let summary = "elements of their own, by vectors";
}

//===----------------------------------------------------------------------===//
// GPUs
//===----------------------------------------------------------------------===//

def FXKernel_ElementwiseAttr : FXKernel_SimpleSchedule<"Elementwise", "elements"> {
  let summary = "one thread for each element of the result";
}

def FXKernel_TransposeAttr : FXKernel_SimpleSchedule<"Transpose", "transpose"> {
  let summary = "pointwise kernels with operands in another order";
  let description = [{
    A block copies tiles of 32 by 32 elements of these operands to shared
    memory, and reads them by columns.
  }];
}

def FXKernel_AttentionAttr : FXKernel_SimpleSchedule<"Attention", "attention"> {
  let summary = "softmax(Q K^T) V of half types in one kernel";
  let description = "FlashAttention-2 (Dao, 2023) on tensor cores.";
}

def FXKernel_MatMulAttr : FXKernel_TiledSchedule<"MatMul", "matmul"> {
  let summary = "contractions by tiles in shared memory, in f32";
  let description = [{
    A block computes `m` by `n` results from tiles of `k` terms; a thread
    `thread_m` by `thread_n` of them.
  }];
  let parameters = (ins "int64_t":$m, "int64_t":$n, "int64_t":$k,
                        "int64_t":$thread_m, "int64_t":$thread_n);
}

def FXKernel_TensorCoreAttr : FXKernel_TiledSchedule<"TensorCore", "tensorcore"> {
  let summary = "contractions of half types by mma.sync";
  let description = [{
    A block of `warps_m` by `warps_n` warps computes `m` by `n` results. Tiles
    of `k` terms are copied `stages` ahead.
  }];
  let parameters = (ins "int64_t":$m, "int64_t":$n, "int64_t":$k,
                        "int64_t":$warps_m, "int64_t":$warps_n,
                        "int64_t":$stages);
}

def FXKernel_WarpgroupAttr : FXKernel_TiledSchedule<"Warpgroup", "warpgroup"> {
  let summary = "contractions of half types by wgmma";
  let description = [{
    Blocks of 128 rows by `columns` columns; tiles are copied `stages` ahead by
    the tensor memory accelerator. 0 columns: the class is not taken.
  }];
  let parameters = (ins "int64_t":$columns, "int64_t":$stages);
}

def FXKernel_ProblemAttr : AttrDef<FXKernel_Dialect, "Problem"> {
  let summary = "the sizes of a contraction: `m` by `n` sums of `k` terms";
  let description = "A size of -1 is not known at compile time.";
  let mnemonic = "problem";
  let parameters = (ins "int64_t":$m, "int64_t":$n, "int64_t":$k);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif // FX_KERNEL_ATTRS
