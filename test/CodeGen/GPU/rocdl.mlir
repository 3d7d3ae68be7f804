// RUN: fx-opt %s --fx-gpu-rocdl | FileCheck %s
// RUN: fx-opt %s --fx-gpu-rocdl=chip=gfx90a | FileCheck %s
// RUN: not fx-opt %s --fx-gpu-rocdl=chip=gfx 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error: {{.*}}gfx

// The attributes of the pointers are kept. Shared memory is in its address
// space and has the requested alignment. The size of the block is passed on.
// CHECK: llvm.mlir.global internal @[[SHARED:.*]]() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<8 x f32>
// CHECK: llvm.func @k(%[[X:.*]]: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias}, %[[N:.*]]: i64)
// CHECK-SAME: rocdl.flat_work_group_size = "256,256", rocdl.kernel, rocdl.reqd_work_group_size = array<i32: 256, 1, 1>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: !llvm.ptr<1> {llvm.noalias, llvm.align = 16 : i64}, %n: index) workgroup(%s: memref<8xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
      %c4 = arith.constant 4 : i32
      %c32 = arith.constant 32 : i32
      // CHECK-DAG: rocdl.workitem.id.x range <i32, 0, 256>
      // CHECK-DAG: rocdl.workgroup.id.x
      %t = gpu.thread_id x
      %b = gpu.block_id x
      %i = arith.index_cast %t : index to i64
      %p = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
      %v = llvm.load %p : !llvm.ptr<1> -> f32
      // A wave has 64 threads, a shuffle 32. Only the lower five bits of the
      // lane, which is 0 to 63, change, so that each half of the wave stays
      // separate. A lane whose source is outside of its half takes its own
      // value. The range of the lane must not be below 32.
      // CHECK: %[[LOW:.*]] = rocdl.mbcnt.lo %{{.*}}, %{{.*}} : (i32, i32) -> i32
      // CHECK: %[[LANE:.*]] = rocdl.mbcnt.hi %{{.*}}, %[[LOW]] {{.*}}range<i32, 0, 64>
      // CHECK: %[[NEXT:.*]] = llvm.add %[[LANE]], %[[W:.*]] : i32
      // CHECK: %[[END:.*]] = llvm.and %[[NEXT]],
      // CHECK: %[[OTHER:.*]] = llvm.xor %[[LANE]],
      // CHECK: %[[IN:.*]] = llvm.icmp "slt" %[[OTHER]], %[[END]]
      // CHECK: %[[FROM:.*]] = llvm.select %[[IN]], %[[OTHER]], %[[LANE]]
      // CHECK: %[[BYTE:.*]] = llvm.shl %[[FROM]],
      // CHECK: rocdl.ds_bpermute %[[BYTE]],
      %r, %valid = gpu.shuffle xor %v, %c4, %c32 : f32
      memref.store %r, %s[%b] : memref<8xf32, #gpu.address_space<workgroup>>
      // CHECK: llvm.store {{.*}} : f32, !llvm.ptr<3>
      // CHECK: rocdl.barrier
      gpu.barrier
      // CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> f32
      %q = memref.load %s[%n] : memref<8xf32, #gpu.address_space<workgroup>>
      // Functions of ROCm's device library become calls.
      // CHECK: llvm.call @__ocml_floor_f32
      %f = math.floor %q : f32
      llvm.store %f, %p : f32, !llvm.ptr<1>
      // CHECK-NOT: unrealized_conversion_cast
      gpu.return
    }
  }
}
