// Immediates of every kind are converted to the types of the schema.
// RUN: rm -rf %t && %npy write %t/in 'arange(6, dtype="f4").reshape(2, 3)' 'int64(2)' 'float64(0.5)' 'bool_(True)'
// RUN: fx-run %s --inputs %t/in --outputs %t/out
// RUN: %npy show %t/out | FileCheck %s

fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[2, 3], f32>
  %i = placeholder "i" : !fx.sym_int<s0>
  %f = placeholder "f" : !fx.sym_float
  %b = placeholder "b" : !fx.sym_bool

  // dtype, device, layout and pin_memory by name
  // CHECK: out_0: float16[2] [1.5, 1.5]
  %full = call_function @aten.full.default([2], 1.5, dtype = f16, layout = #fx.layout<"strided">, device = #fx.device<"cpu">, pin_memory = false) : () -> !fx.tensor<[2], f16>
  // A symbolic int in a list of ints; -1 and None beside it.
  // CHECK-NEXT: out_1: float32[3, 2]
  %view = call_function @aten.view.default(%x, [-1, %i]) : (!fx.tensor<[2, 3], f32>, !fx.sym_int<s0>) -> !fx.tensor<[3, 2], f32>
  // One int for int[2]; an int for a float.
  // CHECK-NEXT: out_2: float32[2] [3.0, 12.0]
  %sum = call_function @aten.sum.dim_IntList(%x, 1) : (!fx.tensor<[2, 3], f32>) -> !fx.tensor<[2], f32>
  // A number as a tensor argument takes part in promotion as a number: float32,
  // not float64.
  // CHECK-NEXT: out_3: float32[2, 3] {{\[\[}}0.5, 1.5, 2.5]
  %add = call_function @aten.add.Tensor(%x, %f) : (!fx.tensor<[2, 3], f32>, !fx.sym_float) -> !fx.tensor<[2, 3], f32>
  // A list of optional tensors with a None.
  // CHECK-NEXT: out_4: float32[2, 1] {{\[\[}}2.0], [5.0]]
  %at = call_function @aten.full.default([1], %i, dtype = i64) : (!fx.sym_int<s0>) -> !fx.tensor<[1], i64>
  %index = call_function @aten.index.Tensor(%x, [None, %at]) : (!fx.tensor<[2, 3], f32>, !fx.tensor<[1], i64>) -> !fx.tensor<[2, 1], f32>
  // A string; a keyword argument after omitted defaults.
  // CHECK-NEXT: out_5: float32[2, 3] {{\[\[}}0.0, 0.0, 1.0], [1.0, 2.0, 2.0]]
  %div = call_function @aten.div.Tensor_mode(%x, 2, rounding_mode = "floor") : (!fx.tensor<[2, 3], f32>) -> !fx.tensor<[2, 3], f32>
  // A memory format.
  // CHECK-NEXT: out_6: float32[2, 3]
  %clone = call_function @aten.clone.default(%x, memory_format = #fx.memory_format<"contiguous_format">) : (!fx.tensor<[2, 3], f32>) -> !fx.tensor<[2, 3], f32>
  // A runtime bool as a Scalar; inf.
  // CHECK-NEXT: out_7: float32[2] [inf, inf]
  %inf = call_function @aten.full.default([2], inf) : () -> !fx.tensor<[2], f32>
  // CHECK-NEXT: out_8: bool[2] [True, True]
  %bools = call_function @aten.full.default([2], %b) : (!fx.sym_bool) -> !fx.tensor<[2], i1>
  // Outputs of dtypes that numpy lacks are raw bytes.
  // CHECK-NEXT: out_9: |V2[2] c03fc03f
  %bf16 = call_function @aten._to_copy.default(%full, dtype = bf16) : (!fx.tensor<[2], f16>) -> !fx.tensor<[2], bf16>
  // CHECK-NEXT: out_10: |V1[2] 3c3c
  %f8 = call_function @aten._to_copy.default(%full, dtype = f8E4M3FN) : (!fx.tensor<[2], f16>) -> !fx.tensor<[2], f8E4M3FN>
  // CHECK-NEXT: out_11: complex64[2] [(1.5+0j), (1.5+0j)]
  %c = call_function @aten._to_copy.default(%full, dtype = complex<f32>) : (!fx.tensor<[2], f16>) -> !fx.tensor<[2], complex<f32>>
  // A lazy conjugate is resolved in the output.
  // CHECK-NEXT: out_12: complex64[2] [(0.5-2j), (0.5-2j)]
  %c2 = call_function @aten.full.default([2], #fx.complex<0.5, 2.0>, dtype = complex<f32>) : () -> !fx.tensor<[2], complex<f32>>
  %conj = call_function @aten._conj.default(%c2) : (!fx.tensor<[2], complex<f32>>) -> !fx.tensor<[2], complex<f32>>
  output(%full, %view, %sum, %add, %index, %div, %clone, %inf, %bools, %bf16, %f8, %c, %conj) : (!fx.tensor<[2], f16>, !fx.tensor<[3, 2], f32>, !fx.tensor<[2], f32>, !fx.tensor<[2, 3], f32>, !fx.tensor<[2, 1], f32>, !fx.tensor<[2, 3], f32>, !fx.tensor<[2, 3], f32>, !fx.tensor<[2], f32>, !fx.tensor<[2], i1>, !fx.tensor<[2], bf16>, !fx.tensor<[2], f8E4M3FN>, !fx.tensor<[2], complex<f32>>, !fx.tensor<[2], complex<f32>>)
}
