// RUN: fx-opt %s --fx-gpu-nvvm | FileCheck %s

// A tensor map is passed by value in constant memory, and the launch gives the
// size of dynamic shared memory.
// CHECK: llvm.mlir.global external @__dynamic_shmem__0() {addr_space = 3 : i32
// CHECK: llvm.func @k(%arg0: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<16 x i64>, nvvm.grid_constant}, %arg1: !llvm.ptr<1> {llvm.noalias})
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%map: !llvm.ptr, %x: !llvm.ptr<1> {llvm.noalias}) kernel {
      %shared = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      %i = memref.extract_aligned_pointer_as_index %shared : memref<?xi8, #gpu.address_space<workgroup>> -> index
      %a = arith.index_cast %i : index to i64
      llvm.store %a, %x : i64, !llvm.ptr<1>
      nvvm.prefetch tensormap, %map : !llvm.ptr
      gpu.return
    }
  }
}
