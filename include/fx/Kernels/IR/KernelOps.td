//===- KernelOps.td - calls of kernels on tensors ----------*- tablegen -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_KERNEL_OPS
#define FX_KERNEL_OPS

include "fx/Kernels/IR/KernelDialect.td"
include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def FXKernel_InvokeOp : Op<FXKernel_Dialect, "invoke", [
    AttrSizedOperandSegments, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<BufferizableOpInterface,
      ["bufferizesToMemoryRead", "bufferizesToMemoryWrite",
       "getAliasingValues", "bufferize"]>]> {
  let summary = "runs a kernel in destination-passing style";
  let description = [{
    Calls the private function `callee` with `inputs` followed by `outputs`.
    Before the code of the kernel is emitted, the function is on tensors, in
    destination-passing style: its last arguments are the destinations of the
    results. After emission it takes memrefs and returns nothing. It then writes
    every element of every output and reads none of them.

    One-shot bufferization converts the op to a `func.call`. Kernels need
    operands that are contiguous in row-major order; other buffers are copied
    first. The attribute `fx_kernel.strided` of the function lists the arguments
    whose dynamic strides may be any. Booleans are passed as `memref<..xi8>`, one byte per element, because
    LLVM packs a vector of i1 into bits.

    ```mlir
    %r = fx_kernel.invoke @kernel_0 ins(%x, %w : tensor<8x4xf32>, tensor<4xf32>)
           outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$inputs,
                       Variadic<AnyRankedTensor>:$outputs);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $callee (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    `outs` `(` $outputs `:` type($outputs) `)` attr-dict `->` type($results)
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getOutputsMutable();
    }
  }];
  let hasVerifier = 1;
}

def FXKernel_StartEagerOp : Op<FXKernel_Dialect, "start_eager", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<BufferizableOpInterface,
      ["bufferizesToMemoryRead", "bufferizesToMemoryWrite",
       "getAliasingValues", "bufferize"]>]> {
  let summary = "starts an fx.eager asynchronously";
  let description = [{
    Allows the `fx.eager` with the same `fx.slot`, which follows in the same
    block, to run in another thread from this point on. The `fx.eager` waits for
    the end of this run and returns its results. Both ops have the same
    operands, so that the buffers of the operands are not changed in between.

    ```mlir
    fx_kernel.start_eager 0 (%x) : tensor<4xf32>
    %k = fx_kernel.invoke @kernel_0 ...
    %y = fx.eager @mylib.slow.default(%x) {fx.slot = 0} : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins I64Attr:$slot, Variadic<AnyType>:$values);
  let assemblyFormat = "$slot `(` $values `)` attr-dict (`:` type($values)^)?";
}

def FXKernel_RandomOp : Op<FXKernel_Dialect, "random", [
    AllTypesMatch<["first", "second"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<BufferizableOpInterface,
      ["bufferizesToMemoryRead", "bufferizesToMemoryWrite",
       "getAliasingValues", "bufferize"]>]> {
  let summary = "fills a tensor with random numbers of the model's generator";
  let description = [{
    Draws the elements of `output` in row-major order. The algorithm is that of
    PyTorch's generator and kernels for the CPU, so that the same seed gives the
    same values. `dtype` is PyTorch's dtype, with signedness. The ops draw from
    the generator in program order, so they must not be erased, moved or merged.

    `distribution` determines the meaning of `first` and `second`, which are two
    f64 or two i64:

    | distribution     | first       | second             |
    |------------------|-------------|--------------------|
    | `uniform`        | low         | high               |
    | `normal`         | mean        | standard deviation |
    | `bernoulli`      | probability |                    |
    | `exponential`    | rate        |                    |
    | `geometric`      | probability |                    |
    | `cauchy`         | median      | scale              |
    | `log_normal`     | mean        | standard deviation |
    | `strided_normal` | mean        | standard deviation |
    | `integers`       | low         | high, exclusive    |
    | `any_integers`   |             |                    |
    | `words`          |             |                    |
    | `permutation`    |             |                    |

    `strided_normal` draws the values that PyTorch draws for a tensor that is
    not contiguous. `any_integers` draws from all non-negative integers of the
    dtype, `words` from all integers of 64 bits. `permutation` draws a random
    permutation of the integers that are less than the size of the vector.

    The op has no result on buffers.

    ```mlir
    %r = fx_kernel.random "uniform" of f32 (%low, %high : f64) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
    ```
  }];
  let arguments = (ins StrAttr:$distribution, TypeAttr:$dtype,
                       AnyType:$first, AnyType:$second, AnyShaped:$output);
  let results = (outs Optional<AnyRankedTensor>:$result);
  let assemblyFormat = [{
    $distribution `of` $dtype `(` $first `,` $second `:` type($first) `)`
    `outs` `(` $output `:` type($output) `)` attr-dict (`->` type($result)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Returns the number of the distribution in the run-time (Desc.h); -1 if
    /// it is unknown.
    static int64_t getDistributionNumber(::llvm::StringRef name);
  }];
}

def FXKernel_TunedScheduleOp : Op<FXKernel_Dialect, "tuned_schedule"> {
  let summary = "an entry of a tuning file";
  let description = [{
    The schedule that was the fastest in measurements of a kernel. A kernel is
    identified by `signature`, a hash of its operations and types without names.
    `kernel` is its type, for the reader. The entry is valid for the CPU `cpu`
    whose list of features has the hash `features`, and for runs with `threads`
    threads.

    ```mlir
    fx_kernel.tuned_schedule "5d41402abc4b2a76" on "znver4" features "1f3870be"
        threads 1 uses #fx_kernel.rows<unroll = 8>
        for (tensor<8x4xf32>, tensor<8xf32>) -> tensor<8xf32>
    ```
  }];
  let arguments = (ins StrAttr:$signature, StrAttr:$cpu, StrAttr:$features,
                       I64Attr:$threads, AnyAttr:$schedule, TypeAttr:$kernel);
  let assemblyFormat = [{
    $signature `on` $cpu `features` $features `threads` $threads
    `uses` $schedule `for` $kernel attr-dict
  }];
  let hasVerifier = 1;
}

def FXKernel_UnpackOp : Op<FXKernel_Dialect, "unpack", [Pure]> {
  let summary = "the plain form of a packed weight";
  let description = [{
    The inverse of `linalg.pack` with the same tiles and permutation, without the
    padding. `sizes` are the dynamic sizes of the result.

    A kernel that reads the result gets a copy of the op, and the code of the
    kernel reads the panels. Elsewhere, `fx-cpu-emit-kernels` and
    `fx-gpu-emit-kernels` expand the op to linalg ops. Unlike `linalg.unpack`,
    the op does not fold with the `linalg.pack` that defines its source.

    With `nibbles`, the source holds numbers of four bits, two in a byte. The
    innermost of the outer dimensions is half as large, and the innermost tile
    has four numbers. Byte b of tile t holds number b of tile 2t in its low half
    and number b of tile 2t + 1 in its high half. The result holds the numbers
    with their sign.

    A source of f16 or bf16 may have a result of f32: the elements are extended.

    ```mlir
    %u = fx_kernel.unpack %p outer_dims_perm = [0, 1] inner_dims_pos = [0]
           inner_tiles = [32] : tensor<4x64x32xf32> -> tensor<100x64xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, Variadic<Index>:$sizes,
                       DenseI64ArrayAttr:$outer_dims_perm,
                       DenseI64ArrayAttr:$inner_dims_pos,
                       DenseI64ArrayAttr:$inner_tiles, UnitAttr:$nibbles);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source (`sizes` `(` $sizes^ `)`)? `outer_dims_perm` `=` $outer_dims_perm
    `inner_dims_pos` `=` $inner_dims_pos `inner_tiles` `=` $inner_tiles
    (`nibbles` $nibbles^)? attr-dict `:` type($source) `->` type($result)
  }];
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedSizes();

    /// Creates linalg ops that compute the result, in front of the op.
    ::mlir::Value expand(::mlir::OpBuilder &b);

    /// Returns the number in the high or the low half of `byte`, an i8, with its
    /// sign.
    static ::mlir::Value extractNibble(::mlir::OpBuilder &b,
                                       ::mlir::Location loc, ::mlir::Value byte,
                                       ::mlir::Value isHigh);
  }];
  let hasVerifier = 1;
}

def FXKernel_UntransformOp : Op<FXKernel_Dialect, "untransform", [Pure]> {
  let summary = "the filter of a convolution that is computed by Winograd's method";
  let description = [{
    The inverse of the transform `G w G^T` of the filters of F(`tile` x `tile`,
    3 x 3). The source has n x n positions, n = `tile` + 2, by channels by
    columns. The result has 3 x 3 by channels by columns. See
    fx/Kernels/IR/Winograd.h for the matrices.

    A convolution that reads its filter through this op may be computed by
    Winograd's method, from the transformed filter. A kernel that reads the
    result gets a copy of the op. Elsewhere, `fx-cpu-emit-kernels` expands it to
    linalg, which computes the filter up to rounding.

    ```mlir
    %w = fx_kernel.untransform %u tile = 4 : tensor<36x64x128xf32> -> tensor<3x3x64x128xf32>
    ```
  }];
  let arguments = (ins RankedTensorOf<[F32]>:$source, I64Attr:$tile);
  let results = (outs RankedTensorOf<[F32]>:$result);
  let assemblyFormat = [{
    $source `tile` `=` $tile attr-dict `:` type($source) `->` type($result)
  }];
  let extraClassDeclaration = [{
    /// Creates linalg ops that compute the result, in front of the op.
    ::mlir::Value expand(::mlir::OpBuilder &b);
  }];
  let hasVerifier = 1;
}

def FXKernel_SortOp : Op<FXKernel_Dialect, "sort", [
    Pure, DestinationStyleOpInterface, AllTypesMatch<["values", "sorted"]>,
    AllTypesMatch<["order", "indices"]>]> {
  let summary = "the first elements of each sorted row";
  let description = [{
    Sorts each row of `x` stably and returns the first k elements of its order
    and their indices in the row, where k is the last size of the outputs. A NaN
    is greater than any number. The rows have at most 2048 elements, of 32 bits
    or less. If `unsigned_order`, integers are unsigned.

    The conversion creates the op only for targets that have kernels for it.

    ```mlir
    %v, %i = fx_kernel.sort %x outs(%e, %f : tensor<?x5xf32>, tensor<?x5xi64>)
               {descending} : tensor<?x100xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$x, AnyRankedTensor:$values,
                       AnyRankedTensor:$order, UnitAttr:$descending,
                       UnitAttr:$unsigned_order);
  let results = (outs AnyRankedTensor:$sorted, AnyRankedTensor:$indices);
  let assemblyFormat = [{
    $x `outs` `(` $values `,` $order `:` type($values) `,` type($order) `)`
    attr-dict `:` type($x)
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Value":$x, "::mlir::Value":$values,
                   "::mlir::Value":$order, "bool":$descending,
                   "bool":$isUnsigned)>
  ];
  let extraClassDeclaration = [{
    /// The longest row.
    static constexpr int64_t kMaxLength = 2048;

    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return ::mlir::MutableOperandRange(getOperation(), 1, 2);
    }
  }];
  let hasVerifier = 1;
}

def FXKernel_ScanOp : Op<FXKernel_Dialect, "scan", [
    Pure, AttrSizedOperandSegments, SingleBlock, DestinationStyleOpInterface]> {
  let summary = "accumulates elements along a dimension";
  let description = [{
    The inputs and outputs have the dimensions outer, length and inner. For each
    outer and inner index, `body` is computed for the indices 0 to length - 1,
    or in the reverse order if `reverse`. Its arguments are the index, the
    element of each input, and the carried values, which are those of `start`
    first. It yields an element for each output, then the next carried values.
    If an output has wider integers, the element is sign-extended.

    All ops of the body are elementwise, so that vectors compute several rows at
    the same time. The conversion creates the op only for targets that have
    kernels for it.

    ```mlir
    %y = fx_kernel.scan ins(%x : tensor<1x8x4xf32>) start(%zero : f64)
           outs(%e : tensor<1x8x4xf32>) {
    ^bb0(%i: index, %a: f32, %sum: f64):
      %wide = arith.extf %a : f32 to f64
      %next = arith.addf %sum, %wide : f64
      %out = arith.truncf %next : f64 to f32
      fx_kernel.yield %out, %next : f32, f64
    } -> tensor<1x8x4xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs,
                       Variadic<AnyType>:$start,
                       Variadic<AnyRankedTensor>:$outputs, UnitAttr:$reverse);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `ins` `(` $inputs `:` type($inputs) `)`
    `start` `(` $start `:` type($start) `)`
    `outs` `(` $outputs `:` type($outputs) `)`
    attr-dict-with-keyword $body `->` type($results)
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getOutputsMutable();
    }
  }];
  let hasVerifier = 1;
}

def FXKernel_YieldOp : Op<FXKernel_Dialect, "yield", [
    Pure, Terminator, HasParent<"ScanOp">]> {
  let summary = "ends the body of a scan";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

#endif // FX_KERNEL_OPS
