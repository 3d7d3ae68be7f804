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
    Before its code is emitted the function takes and returns tensors, in
    destination-passing style: its last arguments are the tensors that the
    results replace. After emission it takes memrefs and returns nothing; every
    element of every output is then written and none is read.

    One-shot bufferization turns the op into a `func.call`. Operands whose
    buffers are not contiguous in row-major order are copied first: kernels
    rely on it. Booleans are passed as `memref<..xi8>`, one byte an element,
    because a vector of i1 is packed by bits in LLVM.

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
  let summary = "starts an fx.eager beside what follows";
  let description = [{
    From here on the `fx.eager` with the same `fx.slot` may run in another
    thread; that op, further down in the block, awaits it and has the results.
    It has the same operands, so that their buffers stay as they are in between.

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
  let summary = "fills a tensor with numbers of the model's random generator";
  let description = [{
    Draws the elements of `output` in row-major order, as PyTorch's generator
    and kernels of the CPU do: one seed gives the same values. `dtype` is that
    of PyTorch, with a sign. The order of these ops is the order in which they
    take their numbers, so none is dead, moved or equal to another.

    `distribution` says what `first` and `second`, two f64 or two i64, are:

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

    `strided_normal` is what PyTorch draws for a tensor that is not contiguous.
    `any_integers` are all of the dtype that are not negative, `words` all of
    64 bits, `permutation` the numbers below the vector's size in any order.

    On buffers the op has no result.

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
    /// The number of the distribution in the run-time (Desc.h); -1 if unknown.
    static int64_t getDistributionNumber(::llvm::StringRef name);
  }];
}

#endif // FX_KERNEL_OPS
