// The torch dialect in generic form: every argument of the schema is present,
// immediates are constants.
// RUN: fx-opt %s --convert-fx-to-torch --allow-unregistered-dialect --split-input-file | FileCheck %s --implicit-check-not=fx.
// RUN: fx-opt %s --convert-fx-to-torch=embed-states --allow-unregistered-dialect --split-input-file | FileCheck %s --check-prefix=EMBED
// RUN: not fx-opt %s --convert-fx-to-torch --split-input-file 2>&1 | FileCheck %s --check-prefix=UNLINKED
// UNLINKED: error: the torch dialect is not linked: expected --allow-unregistered-dialect

fx.state @w : !fx.tensor<[2], f32> = dense<[0, 0, 128, 63, 0, 0, 0, 64]> : tensor<8xui8>
fx.state @n : !fx.tensor<[2], i64> = dense<[1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0]> : tensor<16xui8>

// CHECK: func.func @main(%[[X:.*]]: !torch.vtensor<[?,2],f32>, %[[W:.*]]: !torch.vtensor<[2],f32>, %[[N:.*]]: !torch.vtensor<[2],si64>) -> (!torch.vtensor<[?,2],f32>, !torch.vtensor<[?,1],f32>, !torch.int, !torch.vtensor<[?,2],bf16>, !torch.vtensor<[2],si64>)
// EMBED: func.func @main(%{{.*}}: !torch.vtensor<[?,2],f32>)
// EMBED-DAG: "torch.vtensor.literal"() {value = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>} : () -> !torch.vtensor<[2],f32>
// EMBED-DAG: "torch.vtensor.literal"() {value = dense<[1, 2]> : tensor<2xsi64>} : () -> !torch.vtensor<[2],si64>
fx.graph @main symbols [s0 in [2, 8]] attributes {functional} {
  %w = placeholder "w" parameter @w : !fx.tensor<[2], f32>
  %n = placeholder "n" buffer @n : !fx.tensor<[2], i64>
  %x = placeholder "x" : !fx.tensor<[s0, 2], f32>
  // CHECK: %[[ONE:.*]] = "torch.constant.int"() {value = 1 : i64} : () -> !torch.int
  // CHECK: "torch.aten.add.Tensor"(%[[X]], %[[W]], %[[ONE]]) : (!torch.vtensor<[?,2],f32>, !torch.vtensor<[2],f32>, !torch.int) -> !torch.vtensor<[?,2],f32>
  %add = call_function @aten.add.Tensor(%x, %w) : (!fx.tensor<[s0, 2], f32>, !fx.tensor<[2], f32>) -> !fx.tensor<[s0, 2], f32>
  // CHECK: "torch.prim.ListConstruct"(%{{.*}}) : (!torch.int) -> !torch.list<int>
  // CHECK: "torch.constant.bool"() {value = true}
  // CHECK: "torch.constant.none"() : () -> !torch.none
  // CHECK: "torch.aten.sum.dim_IntList"
  %sum = call_function @aten.sum.dim_IntList(%add, [1], true) : (!fx.tensor<[s0, 2], f32>) -> !fx.tensor<[s0, 1], f32>
  // CHECK: "torch.aten.size.int"(%[[X]], %{{.*}}) : (!torch.vtensor<[?,2],f32>, !torch.int) -> !torch.int
  %size = call_function @aten.sym_size.int(%x, 0) : (!fx.tensor<[s0, 2], f32>) -> !fx.sym_int<s0>
  // CHECK: "torch.aten.mul.int"
  %twice = call_function @_operator.mul(%size, 2) : (!fx.sym_int<s0>) -> !fx.sym_int<2*s0>
  // The dtype is an integer constant.
  // CHECK: "torch.constant.int"() {value = 15 : i64}
  // CHECK: "torch.aten._to_copy"
  %to = call_function @aten._to_copy.default(%add, dtype = bf16) : (!fx.tensor<[s0, 2], f32>) -> !fx.tensor<[s0, 2], bf16>
  // A list of tensors is unpacked.
  // CHECK: %[[L:.*]] = "torch.aten.split.Tensor"({{.*}}) : {{.*}} -> !torch.list<vtensor>
  // CHECK: "torch.prim.ListUnpack"(%[[L]]) : (!torch.list<vtensor>) -> (!torch.vtensor<[1],si64>, !torch.vtensor<[1],si64>)
  %a, %b = call_function @aten.split.Tensor(%n, 1) outs [[#fx.operand, #fx.operand]] : (!fx.tensor<[2], i64>) -> (!fx.tensor<[1], i64>, !fx.tensor<[1], i64>)
  // CHECK: "torch.prim.ListConstruct"({{.*}}) : (!torch.vtensor<[1],si64>, !torch.vtensor<[1],si64>) -> !torch.list<vtensor>
  %cat = call_function @aten.cat.default([%b, %a]) : (!fx.tensor<[1], i64>, !fx.tensor<[1], i64>) -> !fx.tensor<[2], i64>
  output(%add, %sum, %twice, %to, %cat) : (!fx.tensor<[s0, 2], f32>, !fx.tensor<[s0, 1], f32>, !fx.sym_int<2*s0>, !fx.tensor<[s0, 2], bf16>, !fx.tensor<[2], i64>)
}

// -----

// A number as a tensor argument becomes a tensor of rank 0. Its dtype is chosen
// so that torch's promotion gives the same result as with a number.
// CHECK: func.func @main(%{{.*}}: !torch.vtensor<[2],f64>
fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[2], f64>
  %h = placeholder "h" : !fx.tensor<[2], i8>
  // CHECK: %[[HALF:.*]] = "torch.vtensor.literal"() {value = dense<1.000000e-01> : tensor<f64>} : () -> !torch.vtensor<[],f64>
  // CHECK: "torch.aten.mul.Tensor"(%{{.*}}, %[[HALF]]) : (!torch.vtensor<[2],f64>, !torch.vtensor<[],f64>)
  %a = call_function @aten.mul.Tensor(%x, 0.1) : (!fx.tensor<[2], f64>) -> !fx.tensor<[2], f64>
  // CHECK: value = dense<2.000000e+00> : tensor<f64>
  %b = call_function @aten.mul.Tensor(%x, 2) : (!fx.tensor<[2], f64>) -> !fx.tensor<[2], f64>
  // CHECK: value = dense<-3> : tensor<si8>
  %c = call_function @aten.mul.Tensor(%h, -3) : (!fx.tensor<[2], i8>) -> !fx.tensor<[2], i8>
  // 300 does not fit in i8.
  // CHECK: value = dense<300> : tensor<si64>
  %d = call_function @aten.mul.Tensor(%h, 300) : (!fx.tensor<[2], i8>) -> !fx.tensor<[2], i8>
  // CHECK: value = dense<5.000000e-01> : tensor<f32>
  %e = call_function @aten.mul.Tensor(%h, 0.5) : (!fx.tensor<[2], i8>) -> !fx.tensor<[2], f32>
  // CHECK: value = dense<1> : tensor<si8>
  %f = call_function @aten.logical_and.default(%h, true) : (!fx.tensor<[2], i8>) -> !fx.tensor<[2], i1>
  output(%a, %b, %c, %d, %e, %f) : (!fx.tensor<[2], f64>, !fx.tensor<[2], f64>, !fx.tensor<[2], i8>, !fx.tensor<[2], i8>, !fx.tensor<[2], f32>, !fx.tensor<[2], i1>)
}

// -----

// CHECK: func.func @main(%{{.*}}: !torch.vtensor<[?],f32>)
fx.graph @main symbols [s0 in [2, 8]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[s0], f32>
  %n = call_function @aten.sym_size.int(%x, 0) : (!fx.tensor<[s0], f32>) -> !fx.sym_int<s0>
  // CHECK: %[[N:.*]] = "torch.prim.NumToTensor.Scalar"(%{{.*}}) : (!torch.int) -> !torch.vtensor<[],si64>
  // CHECK: "torch.aten.mul.Tensor"(%{{.*}}, %[[N]])
  %y = call_function @aten.mul.Tensor(%x, %n) : (!fx.tensor<[s0], f32>, !fx.sym_int<s0>) -> !fx.tensor<[s0], f32>
  output(%y) : (!fx.tensor<[s0], f32>)
}

// -----

// There is no boolean literal of rank 0, since torch-mlir does not lower it.
fx.state @on : !fx.tensor<[], i1> = dense<1> : tensor<1xui8>
// EMBED-NOT: tensor<i1>
// EMBED: %[[OFF:.*]] = "torch.vtensor.literal"() {value = dense<0> : tensor<si64>} : () -> !torch.vtensor<[],si64>
// EMBED: %[[ON:.*]] = "torch.aten.logical_not"(%[[OFF]]) : (!torch.vtensor<[],si64>) -> !torch.vtensor<[],i1>
// EMBED: "torch.aten.where.self"(%[[ON]],
fx.graph @main attributes {functional} {
  %on = placeholder "on" buffer @on : !fx.tensor<[], i1>
  %x = placeholder "x" : !fx.tensor<[2], f32>
  %y = placeholder "y" : !fx.tensor<[2], f32>
  %w = call_function @aten.where.self(%on, %x, %y) : (!fx.tensor<[], i1>, !fx.tensor<[2], f32>, !fx.tensor<[2], f32>) -> !fx.tensor<[2], f32>
  output(%w) : (!fx.tensor<[2], f32>)
}

// -----

// The dtype is that of all tensors, not of the first one.
// CHECK: func.func @main(%{{.*}}: !torch.vtensor<[2],i1>
fx.graph @main attributes {functional} {
  %c = placeholder "c" : !fx.tensor<[2], i1>
  %x = placeholder "x" : !fx.tensor<[2], f64>
  // CHECK: value = dense<1.000000e-01> : tensor<f64>
  %w = call_function @aten.where.self(%c, %x, 0.1) : (!fx.tensor<[2], i1>, !fx.tensor<[2], f64>) -> !fx.tensor<[2], f64>
  output(%w) : (!fx.tensor<[2], f64>)
}

// -----

// A complex state has two numbers an element.
fx.state @z : !fx.tensor<[1], complex<f32>> = dense<[0, 0, 128, 63, 0, 0, 0, 64]> : tensor<8xui8>
// EMBED: "torch.vtensor.literal"() {value = dense<(1.000000e+00,2.000000e+00)> : tensor<1xcomplex<f32>>}
fx.graph @main attributes {functional} {
  %z = placeholder "z" buffer @z : !fx.tensor<[1], complex<f32>>
  output(%z) : (!fx.tensor<[1], complex<f32>>)
}
