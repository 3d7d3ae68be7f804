// RUN: fx-compile --target=cuda %s --emit=gpu | FileCheck %s --check-prefix=GPU
// RUN: fx-compile --target=cuda:sm_80 %s --emit=nvvm | FileCheck %s --check-prefix=NVVM
// RUN: fx-compile --target=cuda:sm_80 %s --emit=ptx -o - | FileCheck %s --check-prefix=PTX

// softmax(x @ w + b) with a dynamic number of rows: two kernels and no copy
// between them. The second one has a version for operands that are not aligned.
// GPU: func.func @main
// GPU: call @fx_rt_arena
// GPU: call @kernel_0
// GPU: call @fx_rt_output
// GPU: call @kernel_1
// GPU: gpu.launch_func @kernels::@kernel_0
// GPU: scf.if
// GPU: gpu.launch_func @kernels::@kernel_1
// GPU: else
// GPU: gpu.launch_func @kernels::@kernel_1_1
// GPU-NOT: gpu.launch_func
// GPU: gpu.module @kernels

// NVVM: llvm.func @kernel_0({{.*}}!llvm.ptr<1> {llvm.noalias}
// NVVM-SAME: nvvm.kernel, nvvm.maxntid = array<i32: 128, 1, 1>
// NVVM: nvvm.read.ptx.sreg.ctaid.x
// NVVM: nvvm.barrier
// NVVM: llvm.func @kernel_1
// NVVM: nvvm.shfl.sync bfly
// NVVM-NOT: unrealized_conversion_cast

// PTX: .target sm_80
// PTX: .entry kernel_0(
// PTX: .maxntid 128, 1, 1
// PTX: ld.global.nc
// PTX: st.shared
// PTX: bar.sync
// PTX: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// PTX: fma.rn.f32
// PTX: st.global
// PTX: .entry kernel_1(
// PTX: shfl.sync.bfly
#row = affine_map<(m, n) -> (m)>
#id = affine_map<(m, n) -> (m, n)>
func.func @main(%x: tensor<?x33xf32> {fx.name = "x", fx.type = !fx.tensor<[s0, 33], f32>, fx.kind = "user_input"},
                %w: tensor<33x100xf32> {fx.name = "w", fx.type = !fx.tensor<[33, 100], f32>, fx.kind = "user_input"},
                %b: tensor<100xf32> {fx.name = "b", fx.type = !fx.tensor<[100], f32>, fx.kind = "user_input"})
    -> (tensor<?x100xf32> {fx.name = "y", fx.type = !fx.tensor<[s0, 100], f32>}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %n = tensor.dim %x, %c0 : tensor<?x33xf32>
  %e = tensor.empty(%n) : tensor<?x100xf32>
  %er = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x100xf32>) -> tensor<?x100xf32>
  %p = linalg.matmul ins(%x, %w : tensor<?x33xf32>, tensor<33x100xf32>) outs(%f : tensor<?x100xf32>) -> tensor<?x100xf32>
  %s = linalg.generic {indexing_maps = [#id, affine_map<(m, n) -> (n)>, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %b : tensor<?x100xf32>, tensor<100xf32>) outs(%e : tensor<?x100xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %0 = arith.addf %a, %c : f32
    linalg.yield %0 : f32
  } -> tensor<?x100xf32>
  %fm = linalg.fill ins(%least : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%s : tensor<?x100xf32>) outs(%fm : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.maximumf %a, %o : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %d = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %m : tensor<?x100xf32>, tensor<?xf32>) outs(%e : tensor<?x100xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %0 = arith.subf %a, %c : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x100xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %t = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%d : tensor<?x100xf32>) outs(%fs : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%d, %t : tensor<?x100xf32>, tensor<?xf32>) outs(%e : tensor<?x100xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %0 = arith.divf %a, %c : f32
    linalg.yield %0 : f32
  } -> tensor<?x100xf32>
  return %r : tensor<?x100xf32>
}
