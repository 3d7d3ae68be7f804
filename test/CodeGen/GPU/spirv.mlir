// RUN: fx-opt %s --fx-gpu-spirv | FileCheck %s

// CHECK: spirv.module @{{.*}} PhysicalStorageBuffer64 GLSL450 requires #spirv.vce<v1.5, [
// CHECK-SAME: Shader
// CHECK-SAME: StorageBuffer16BitAccess
// CHECK-SAME: SignedZeroInfNanPreserve
// CHECK-SAME: PhysicalStorageBufferAddresses], []>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    // The push constant is the address of the kernel's arguments, 8 bytes each.
    // CHECK-DAG: spirv.GlobalVariable @[[PARAMS:.*]] : !spirv.ptr<!spirv.struct<(i64 [0])>, PushConstant>
    // CHECK-DAG: spirv.GlobalVariable @sum_shared_0 : !spirv.ptr<!spirv.array<8 x f32>, Workgroup>
    // CHECK-DAG: spirv.GlobalVariable @sum_exchange : !spirv.ptr<!spirv.array<64 x i32>, Workgroup>
    // CHECK-LABEL: spirv.func @sum()
    gpu.func @sum(%x: !llvm.ptr<1> {llvm.noalias}, %n: index, %on: i8) workgroup(%s: memref<8xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c16 = arith.constant 16 : i32
      %c32 = arith.constant 32 : i32
      %zero = arith.constant 0.0 : f32
      %c0_i64 = llvm.mlir.constant(0 : i64) : i64
      %c1_i64 = llvm.mlir.constant(1 : i64) : i64
      %n_i64 = arith.index_cast %n : index to i64
      %d0 = llvm.mlir.poison : !llvm.struct<(ptr<1>, ptr<1>, i64, array<1 x i64>, array<1 x i64>)>
      %d1 = llvm.insertvalue %x, %d0[0] : !llvm.struct<(ptr<1>, ptr<1>, i64, array<1 x i64>, array<1 x i64>)>
      %d2 = llvm.insertvalue %x, %d1[1] : !llvm.struct<(ptr<1>, ptr<1>, i64, array<1 x i64>, array<1 x i64>)>
      %d3 = llvm.insertvalue %c0_i64, %d2[2] : !llvm.struct<(ptr<1>, ptr<1>, i64, array<1 x i64>, array<1 x i64>)>
      %d4 = llvm.insertvalue %n_i64, %d3[3, 0] : !llvm.struct<(ptr<1>, ptr<1>, i64, array<1 x i64>, array<1 x i64>)>
      %d5 = llvm.insertvalue %c1_i64, %d4[4, 0] : !llvm.struct<(ptr<1>, ptr<1>, i64, array<1 x i64>, array<1 x i64>)>
      %buffer = builtin.unrealized_conversion_cast %d5 : !llvm.struct<(ptr<1>, ptr<1>, i64, array<1 x i64>, array<1 x i64>)> to memref<?xbf16, 1>
      // CHECK: %[[P:.*]] = spirv.Load "PushConstant" %{{.*}} : i64
      // CHECK: %[[XP:.*]] = spirv.ConvertUToPtr %[[P]] : i64 to !spirv.ptr<i64, PhysicalStorageBuffer>
      // CHECK: %[[X:.*]] = spirv.Load "PhysicalStorageBuffer" %[[XP]] ["Aligned", 8] : i64
      // CHECK: %[[NP:.*]] = spirv.IAdd %[[P]], %cst8_i64
      // CHECK: spirv.ConvertUToPtr %[[NP]] : i64 to !spirv.ptr<i64, PhysicalStorageBuffer>
      // A boolean is loaded as a byte.
      // CHECK: spirv.Load "PhysicalStorageBuffer" %{{.*}} ["Aligned", 1] : i8
      %t = gpu.thread_id x
      // If the loop never runs, the sum is its initial value.
      // CHECK: spirv.mlir.loop {
      // CHECK: ^[[HEAD:.*]](%[[I:.*]]: i64, %[[ACC:.*]]: f32):
      // CHECK: spirv.Store "Function" %{{.*}}, %[[ACC]] : f32
      // CHECK: spirv.BranchConditional
      %sum = scf.for %i = %t to %n step %c2 iter_args(%acc = %zero) -> f32 {
        // bf16 is the upper half of f32.
        // CHECK: spirv.ConvertUToPtr %{{.*}} : i64 to !spirv.ptr<i16, PhysicalStorageBuffer>
        // CHECK: %[[HALF:.*]] = spirv.Load "PhysicalStorageBuffer" %{{.*}} ["Aligned", 2] : i16
        // CHECK: spirv.UConvert %[[HALF]] : i16 to i32
        // CHECK: spirv.ShiftLeftLogical
        %v = memref.load %buffer[%i] : memref<?xbf16, 1>
        %w = arith.extf %v : bf16 to f32
        // CHECK: spirv.FAdd %{{.*}} {no_contraction} : f32
        %next = arith.addf %acc, %w : f32
        scf.yield %next : f32
      }
      // CHECK: spirv.BitwiseXor
      // CHECK: spirv.Store "Workgroup"
      // CHECK: spirv.ControlBarrier <Workgroup>, <Workgroup>, <AcquireRelease|WorkgroupMemory>
      // CHECK: spirv.Load "Workgroup"
      // CHECK: spirv.ControlBarrier
      %r, %valid = gpu.shuffle xor %sum, %c16, %c32 : f32
      memref.store %r, %s[%c1] : memref<8xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %q = memref.load %s[%t] : memref<8xf32, #gpu.address_space<workgroup>>
      %h = arith.truncf %q : f32 to bf16
      %off = arith.trunci %on : i8 to i1
      scf.if %off {
        memref.store %h, %buffer[%t] : memref<?xbf16, 1>
      }
      gpu.return
    }

    // CHECK-LABEL: spirv.func @math()
    // CHECK-NOT: spirv.GL.RoundEven
    gpu.func @math(%x: f64, %y: f64, %out: !llvm.ptr<1>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c0_i64 = llvm.mlir.constant(0 : i64) : i64
      %d0 = llvm.mlir.poison : !llvm.struct<(ptr<1>, ptr<1>, i64)>
      %d1 = llvm.insertvalue %out, %d0[0] : !llvm.struct<(ptr<1>, ptr<1>, i64)>
      %d2 = llvm.insertvalue %out, %d1[1] : !llvm.struct<(ptr<1>, ptr<1>, i64)>
      %d3 = llvm.insertvalue %c0_i64, %d2[2] : !llvm.struct<(ptr<1>, ptr<1>, i64)>
      %buffer = builtin.unrealized_conversion_cast %d3 : !llvm.struct<(ptr<1>, ptr<1>, i64)> to memref<f64, 1>
      // An fma that may be contracted is one instruction; one that must round
      // once is expanded to many.
      // CHECK: spirv.GL.Fma
      // CHECK-NOT: spirv.GL.Fma
      // CHECK: spirv.FMul %{{.*}}, %cst_f64{{.*}} {no_contraction}
      %a = math.fma %x, %y, %x fastmath<contract> : f64
      %b = math.fma %a, %y, %x : f64
      %c = math.roundeven %b : f64
      // CHECK-DAG: spirv.GL.Ceil
      // CHECK-DAG: spirv.GL.Floor
      %d = math.trunc %c : f64
      memref.store %d, %buffer[] : memref<f64, 1>
      gpu.return
    }
    // CHECK: spirv.EntryPoint "GLCompute" @sum
    // CHECK: spirv.ExecutionMode @sum "LocalSize", 64, 1, 1
    // CHECK: spirv.ExecutionMode @sum "SignedZeroInfNanPreserve", 32
  }
}
