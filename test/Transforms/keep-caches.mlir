// RUN: fx-opt %s --split-input-file --fx-keep-caches=capacity=32 | FileCheck %s

// Both caches become states, of one length, which is the last input. Outputs
// that are no caches stay.
// CHECK-DAG: fx.state @k : !fx.tensor<[1, 2, 32, 4], f32> = dense<0> : tensor<1024xui8>
// CHECK-DAG: fx.state @v : !fx.tensor<[1, 2, 32, 4], f32> = dense<0> : tensor<1024xui8>
// CHECK-LABEL: fx.graph @main symbols [s0 in [0, 100], s2 in [1, 8]]
// CHECK-DAG: %[[K:.+]] = placeholder "k" buffer @k : !fx.tensor<[1, 2, 32, 4], f32>
// CHECK-DAG: %[[V:.+]] = placeholder "v" buffer @v : !fx.tensor<[1, 2, 32, 4], f32>
// CHECK-DAG: %[[X:.+]] = placeholder "x" : !fx.tensor<[1, 2, s2, 4], f32>
// CHECK: %[[N:.+]] = placeholder "cache_length" : !fx.sym_int<s0>
// CHECK: guard "s0 + s2 <= 32" : le(s0 + s2, 32)
// CHECK: %[[T:.+]] = call_function @aten.sym_size.int(%[[X]], 2)
// CHECK: %[[END:.+]] = call_function @_operator.add(%[[N]], %[[T]]) : {{.*}} -> !fx.sym_int<s0 + s2>
// CHECK: %[[SK:.+]] = call_function @aten.slice_scatter.default(%[[K]], %[[X]], 2, %[[N]], %[[END]])
// CHECK: %[[ALL:.+]] = call_function @aten.slice.Tensor(%[[SK]], 2, 0, %[[END]]) : {{.*}} -> !fx.tensor<[1, 2, s0 + s2, 4], f32>
// CHECK: %[[SV:.+]] = call_function @aten.slice_scatter.default(%[[V]],
// CHECK: %[[Y:.+]] = call_function @aten.mul.Tensor(%[[ALL]], %{{.+}}) : (!fx.tensor<[1, 2, s0 + s2, 4], f32>, !fx.tensor<[1, 2, s0 + s2, 4], f32>)
// CHECK: output(%[[SK]], %[[SV]], %[[Y]]) signature [#fx.output_spec<buffer_mutation, "k">, #fx.output_spec<buffer_mutation, "v">, #fx.output_spec<user_output>]
fx.graph @main symbols [s0 in [0, 100], s1 in [0, 100], s2 in [1, 8]] attributes {functional} {
  %k = placeholder "k" : !fx.tensor<[1, 2, s0, 4], f32>
  %v = placeholder "v" : !fx.tensor<[1, 2, s1, 4], f32>
  %x = placeholder "x" : !fx.tensor<[1, 2, s2, 4], f32>
  guard "k and v" : eq(s0 + s2, s1 + s2)
  %cat = call_function @aten.cat.default([%k, %x], 2) : (!fx.tensor<[1, 2, s0, 4], f32>, !fx.tensor<[1, 2, s2, 4], f32>) -> !fx.tensor<[1, 2, s0 + s2, 4], f32>
  %cat_1 = call_function @aten.cat.default([%v, %x], -2) : (!fx.tensor<[1, 2, s1, 4], f32>, !fx.tensor<[1, 2, s2, 4], f32>) -> !fx.tensor<[1, 2, s1 + s2, 4], f32>
  %mul = call_function @aten.mul.Tensor(%cat, %cat_1) : (!fx.tensor<[1, 2, s0 + s2, 4], f32>, !fx.tensor<[1, 2, s1 + s2, 4], f32>) -> !fx.tensor<[1, 2, s0 + s2, 4], f32>
  output(%mul, %cat, %cat_1) : (!fx.tensor<[1, 2, s0 + s2, 4], f32>, !fx.tensor<[1, 2, s0 + s2, 4], f32>, !fx.tensor<[1, 2, s1 + s2, 4], f32>)
}

// -----

// Other uses of the input read the rows in use. Mutations stay in front.
// CHECK-LABEL: fx.graph @main
// CHECK: %[[K:.+]] = placeholder "k" buffer @k : !fx.tensor<[32, 4], f32>
// CHECK: %[[N:.+]] = placeholder "cache_length" : !fx.sym_int<s0>
// CHECK: %[[OLD:.+]] = call_function @aten.slice.Tensor(%[[K]], start = 0, end = %[[N]]) : {{.*}} -> !fx.tensor<[s0, 4], f32>
// CHECK: %[[S:.+]] = call_function @aten.slice_scatter.default(%[[K]], %{{.+}}, start = %[[N]], end = %{{.+}})
// CHECK: %[[SUM:.+]] = call_function @aten.sum.default(%[[OLD]])
// CHECK: output(%[[S]], %{{.+}}, %[[SUM]]) signature [#fx.output_spec<buffer_mutation, "k">, #fx.output_spec<buffer_mutation, "b">, #fx.output_spec<user_output>]
fx.state @b : !fx.tensor<[1, 4], f32>
fx.graph @main symbols [s0 in [0, 100]] attributes {functional} {
  %b = placeholder "b" buffer @b : !fx.tensor<[1, 4], f32>
  %k = placeholder "k" : !fx.tensor<[s0, 4], f32>
  %x = placeholder "x" : !fx.tensor<[1, 4], f32>
  %add = call_function @aten.add.Tensor(%b, %x) : (!fx.tensor<[1, 4], f32>, !fx.tensor<[1, 4], f32>) -> !fx.tensor<[1, 4], f32>
  %cat = call_function @aten.cat.default([%k, %add]) : (!fx.tensor<[s0, 4], f32>, !fx.tensor<[1, 4], f32>) -> !fx.tensor<[s0 + 1, 4], f32>
  %sum = call_function @aten.sum.default(%k) : (!fx.tensor<[s0, 4], f32>) -> !fx.tensor<[], f32>
  output(%add, %cat, %sum) signature [#fx.output_spec<buffer_mutation, "b">, #fx.output_spec<user_output>, #fx.output_spec<user_output>] : (!fx.tensor<[1, 4], f32>, !fx.tensor<[s0 + 1, 4], f32>, !fx.tensor<[], f32>)
}
