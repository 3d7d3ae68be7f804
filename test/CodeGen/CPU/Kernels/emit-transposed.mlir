// RUN: fx-opt %s --fx-form-kernels --fx-cpu-select-schedules --fx-cpu-emit-kernels --cse --canonicalize | FileCheck %s

// Square blocks are loaded in memory order, transposed in registers and stored:
// sixteen loads, four rounds of shuffles, sixteen stores and no gathers.
// CHECK-LABEL: func.func private @kernel_0
// CHECK: scf.forall
// CHECK: scf.for
// CHECK-COUNT-16: vector.load
// CHECK-COUNT-64: vector.shuffle
// CHECK-COUNT-16: vector.store
// CHECK-NOT: vector.gather
// CHECK: return
func.func @even(%x: tensor<64x32xf32>) -> tensor<32x64xf32> {
  %e = tensor.empty() : tensor<32x64xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64x32xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<32x64xf32>
  return %0 : tensor<32x64xf32>
}

// Elements outside of whole squares are gathered.
// CHECK-LABEL: func.func private @kernel_1
// CHECK: arith.select
// CHECK-COUNT-64: vector.shuffle
// CHECK: vector.gather
// CHECK: return
func.func @odd(%x: tensor<50x33xf32>) -> tensor<33x50xf32> {
  %e = tensor.empty() : tensor<33x50xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<50x33xf32>) outs(%e : tensor<33x50xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<33x50xf32>
  return %0 : tensor<33x50xf32>
}

// Tensors narrower than a square are not transposed in registers.
// CHECK-LABEL: func.func private @kernel_2
// CHECK-NOT: vector.shuffle
// CHECK: return
func.func @narrow(%x: tensor<64x8xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64x8xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}

// bf16 is moved as integers, since a CPU without bf16 would move each element.
// CHECK-LABEL: func.func private @kernel_3
// CHECK-COUNT-16: arith.bitcast %{{.*}} : vector<16xbf16> to vector<16xi16>
// CHECK-COUNT-64: vector.shuffle %{{.*}} : vector<16xi16>, vector<16xi16>
// CHECK-COUNT-16: arith.bitcast %{{.*}} : vector<16xi16> to vector<16xbf16>
// CHECK: return
func.func @brain(%x: tensor<64x32xbf16>) -> tensor<32x64xbf16> {
  %e = tensor.empty() : tensor<32x64xbf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64x32xbf16>) outs(%e : tensor<32x64xbf16>) {
  ^bb0(%a: bf16, %o: bf16):
    linalg.yield %a : bf16
  } -> tensor<32x64xbf16>
  return %0 : tensor<32x64xbf16>
}
