//===- FXCPUOps.td - calls of CPU kernels on tensors -------*- tablegen -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CPU_OPS
#define FX_CPU_OPS

include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def FXCPU_Dialect : Dialect {
  let name = "fx_cpu";
  let cppNamespace = "::fx::cpu";
  let summary = "what tensor-level CPU code generation needs beside linalg";
  let dependentDialects = [
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::func::FuncDialect", "::mlir::memref::MemRefDialect"
  ];
}

def FXCPU_InvokeOp : Op<FXCPU_Dialect, "invoke", [
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
    %r = fx_cpu.invoke @kernel_0 ins(%x, %w : tensor<8x4xf32>, tensor<4xf32>)
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

def FXCPU_StartEagerOp : Op<FXCPU_Dialect, "start_eager", [
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
    fx_cpu.start_eager 0 (%x) : tensor<4xf32>
    %k = fx_cpu.invoke @kernel_0 ...
    %y = fx.eager @mylib.slow.default(%x) {fx.slot = 0} : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins I64Attr:$slot, Variadic<AnyType>:$values);
  let assemblyFormat = "$slot `(` $values `)` attr-dict (`:` type($values)^)?";
}

#endif // FX_CPU_OPS
