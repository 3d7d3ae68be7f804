// RUN: fx-opt %s --fx-plan-arena --split-input-file | FileCheck %s

func.func private @use(memref<16xf32>)
func.func private @use8(memref<64xi8>)

// Two buffers that are never live together share bytes; the third is live with
// both.
// CHECK-LABEL: func.func @main()
// CHECK-SAME: fx.arena_bytes = 128
// CHECK: %[[TOTAL:.*]] = arith.constant 128 : index
// CHECK: %[[ARENA:.*]] = call @fx_rt_arena(%[[TOTAL]]) : (index) -> memref<?xi8>
// CHECK-NOT: memref.alloc
func.func @main() {
  %long = memref.alloc() : memref<16xf32>
  %a = memref.alloc() : memref<16xf32>
  call @use(%a) : (memref<16xf32>) -> ()
  %b = memref.alloc() : memref<16xf32>
  call @use(%b) : (memref<16xf32>) -> ()
  call @use(%long) : (memref<16xf32>) -> ()
  return
}

// -----

func.func private @use(memref<64xi1>)
func.func private @use8(memref<64xi8>)

// A buffer of booleans lives as long as its byte view.
// CHECK-LABEL: func.func @main()
// CHECK-SAME: fx.arena_bytes = 128
func.func @main() {
  %mask = memref.alloc() : memref<64xi1>
  call @use(%mask) : (memref<64xi1>) -> ()
  %bytes = builtin.unrealized_conversion_cast %mask : memref<64xi1> to memref<64xi8>
  %b = memref.alloc() : memref<64xi8>
  call @use8(%b) : (memref<64xi8>) -> ()
  call @use8(%bytes) : (memref<64xi8>) -> ()
  return
}

// -----

func.func private @use(memref<?x768xf32>)
func.func private @big(memref<?x3072xf32>)

// Dynamic buffers of the same symbol share the arena at multiples of the
// symbol, whichever argument the size is taken from: 4 * 3072 + 4 * 768 bytes
// for each unit of s0.
// CHECK-LABEL: func.func @main
// CHECK-SAME: fx.arena_bytes = -1
// CHECK-DAG: %[[UNITS:.*]] = arith.constant 15360 : index
// CHECK: arith.muli %[[UNITS]], %[[SIZE:.*]] : index
// CHECK: call @fx_rt_arena
// CHECK-NOT: memref.alloc
func.func @main(%x: memref<?x4xf32> {fx.type = !fx.tensor<[s0, 4], f32>},
                %y: memref<?xf32> {fx.type = !fx.tensor<[s0], f32>}) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x4xf32>
  %m = memref.dim %y, %c0 : memref<?xf32>
  %a = memref.alloc(%n) : memref<?x768xf32>
  call @use(%a) : (memref<?x768xf32>) -> ()
  %b = memref.alloc(%m) : memref<?x3072xf32>
  call @big(%b) : (memref<?x3072xf32>) -> ()
  %c = memref.alloc(%m) : memref<?x768xf32>
  call @use(%c) : (memref<?x768xf32>) -> ()
  call @big(%b) : (memref<?x3072xf32>) -> ()
  return
}

// -----

func.func private @use(memref<?xf32>)

// Buffers whose sizes depend on data, and buffers that a loop carries, are left
// to the run-time.
// CHECK-LABEL: func.func @main
// CHECK: memref.load
// CHECK: memref.alloc(%
// CHECK: scf.for
// CHECK: memref.alloc()
func.func @main(%x: memref<i64> {fx.written}, %n: index) {
  %v = memref.load %x[] : memref<i64>
  %s = arith.index_cast %v : i64 to index
  %a = memref.alloc(%s) : memref<?xf32>
  call @use(%a) : (memref<?xf32>) -> ()
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = memref.alloc() : memref<8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%old = %first) -> (memref<8xf32>) {
    %new = memref.alloc() : memref<8xf32>
    memref.copy %old, %new : memref<8xf32> to memref<8xf32>
    scf.yield %new : memref<8xf32>
  }
  %d = memref.cast %r : memref<8xf32> to memref<?xf32>
  call @use(%d) : (memref<?xf32>) -> ()
  return
}
