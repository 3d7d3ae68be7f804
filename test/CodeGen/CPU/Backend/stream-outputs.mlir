// RUN: fx-opt --fx-cpu-stream-outputs="least-bytes=4096" %s | FileCheck %s

func.func private @fx_rt_output(index, index) -> memref<?xi8>
func.func private @graph() -> memref<?xi8>

// The output of 4096 bytes is aligned in all calls, and its vectors are, too.
// CHECK-LABEL: func private @streamed
// CHECK: vector.store {{.*}} {alignment = 32 : i64, nontemporal = true}
// CHECK: vector.maskedstore
func.func private @streamed(%x: memref<1024xf32, strided<[1], offset: ?>>, %y: memref<1024xf32, strided<[1], offset: ?>>) attributes {fx.kernel, fx_kernel.schedule = #fx_kernel.pointwise} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %c1016 = arith.constant 1016 : index
  %mask = arith.constant dense<true> : vector<8xi1>
  %base, %offset, %size, %stride = memref.extract_strided_metadata %y : memref<1024xf32, strided<[1], offset: ?>> -> memref<f32>, index, index, index
  %flat = memref.reinterpret_cast %y to offset: [%offset], sizes: [1024], strides: [1] : memref<1024xf32, strided<[1], offset: ?>> to memref<1024xf32, strided<[1], offset: ?>>
  scf.forall (%row) in (15) {
    %start = arith.muli %row, %c64 : index
    scf.for %i = %c0 to %c64 step %c8 {
      %at = arith.addi %start, %i : index
      %v = vector.load %x[%at] : memref<1024xf32, strided<[1], offset: ?>>, vector<8xf32>
      vector.store %v, %flat[%at] : memref<1024xf32, strided<[1], offset: ?>>, vector<8xf32>
    }
  }
  %v = vector.load %x[%c1016] : memref<1024xf32, strided<[1], offset: ?>>, vector<8xf32>
  vector.maskedstore %flat[%c1016], %mask, %v : memref<1024xf32, strided<[1], offset: ?>>, vector<8xi1>, vector<8xf32>
  return
}

// A row of 9 elements: vectors are not aligned.
// CHECK-LABEL: func private @unaligned_rows
// CHECK-NOT: nontemporal
func.func private @unaligned_rows(%y: memref<1024xf32, strided<[1], offset: ?>>) attributes {fx.kernel, fx_kernel.schedule = #fx_kernel.pointwise} {
  %c9 = arith.constant 9 : index
  %v = arith.constant dense<1.0> : vector<8xf32>
  scf.forall (%row) in (100) {
    %at = arith.muli %row, %c9 : index
    vector.store %v, %y[%at] : memref<1024xf32, strided<[1], offset: ?>>, vector<8xf32>
  }
  return
}

// The kernel reads what it has stored.
// CHECK-LABEL: func private @read_again
// CHECK-NOT: nontemporal
func.func private @read_again(%y: memref<1024xf32, strided<[1], offset: ?>>) attributes {fx.kernel, fx_kernel.schedule = #fx_kernel.rows<>} {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<1.0> : vector<8xf32>
  vector.store %v, %y[%c0] : memref<1024xf32, strided<[1], offset: ?>>, vector<8xf32>
  %w = vector.load %y[%c0] : memref<1024xf32, strided<[1], offset: ?>>, vector<8xf32>
  vector.store %w, %y[%c0] : memref<1024xf32, strided<[1], offset: ?>>, vector<8xf32>
  return
}

// One call passes a view that begins at element 3.
// CHECK-LABEL: func private @unaligned_call
// CHECK-NOT: nontemporal
func.func private @unaligned_call(%y: memref<1024xf32, strided<[1], offset: ?>>) attributes {fx.kernel, fx_kernel.schedule = #fx_kernel.pointwise} {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<1.0> : vector<8xf32>
  vector.store %v, %y[%c0] : memref<1024xf32, strided<[1], offset: ?>>, vector<8xf32>
  return
}

// A graph may return memory of the caller, which may not be aligned.
// CHECK-LABEL: func private @memory_of_graph
// CHECK-NOT: nontemporal
func.func private @memory_of_graph(%y: memref<1024xf32, strided<[1], offset: ?>>) attributes {fx.kernel, fx_kernel.schedule = #fx_kernel.pointwise} {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<1.0> : vector<8xf32>
  vector.store %v, %y[%c0] : memref<1024xf32, strided<[1], offset: ?>>, vector<8xf32>
  return
}

// 1020 elements are too few.
// CHECK-LABEL: func private @small
// CHECK-NOT: nontemporal
func.func private @small(%y: memref<1020xf32, strided<[1], offset: ?>>) attributes {fx.kernel, fx_kernel.schedule = #fx_kernel.pointwise} {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<1.0> : vector<8xf32>
  vector.store %v, %y[%c0] : memref<1020xf32, strided<[1], offset: ?>>, vector<8xf32>
  return
}

// Tiles of contractions fill whole lines, too, if the results are not narrow.
// CHECK-LABEL: func private @tiles
// CHECK: vector.store {{.*}} {alignment = 64 : i64, nontemporal = true}
func.func private @tiles(%y: memref<1024xf32, strided<[1], offset: ?>>) attributes {fx.kernel, fx_kernel.schedule = #fx_kernel.contraction<rows = 8, vectors = 2>} {
  %c64 = arith.constant 64 : index
  %v = arith.constant dense<1.0> : vector<16xf32>
  vector.store %v, %y[%c64] : memref<1024xf32, strided<[1], offset: ?>>, vector<16xf32>
  return
}

// CHECK-LABEL: func private @narrow_tiles
// CHECK-NOT: nontemporal
func.func private @narrow_tiles(%y: memref<4096xf16, strided<[1], offset: ?>>) attributes {fx.kernel, fx_kernel.schedule = #fx_kernel.contraction<rows = 8, vectors = 2>} {
  %c64 = arith.constant 64 : index
  %v = arith.constant dense<1.0> : vector<16xf16>
  vector.store %v, %y[%c64] : memref<4096xf16, strided<[1], offset: ?>>, vector<16xf16>
  return
}

func.func @main(%x: memref<1024xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c8192 = arith.constant 8192 : index
  %bytes = func.call @fx_rt_output(%c8192, %c0) : (index, index) -> memref<?xi8>
  %view = memref.view %bytes[%c64][] : memref<?xi8> to memref<1024xf32>
  %y = memref.cast %view : memref<1024xf32> to memref<1024xf32, strided<[1], offset: ?>>
  %xc = memref.cast %x : memref<1024xf32> to memref<1024xf32, strided<[1], offset: ?>>
  func.call @streamed(%xc, %y) : (memref<1024xf32, strided<[1], offset: ?>>, memref<1024xf32, strided<[1], offset: ?>>) -> ()
  func.call @unaligned_rows(%y) : (memref<1024xf32, strided<[1], offset: ?>>) -> ()
  func.call @read_again(%y) : (memref<1024xf32, strided<[1], offset: ?>>) -> ()
  func.call @unaligned_call(%y) : (memref<1024xf32, strided<[1], offset: ?>>) -> ()
  %large = memref.view %bytes[%c0][] : memref<?xi8> to memref<1027xf32>
  %part = memref.subview %large[3] [1024] [1] : memref<1027xf32> to memref<1024xf32, strided<[1], offset: 3>>
  %z = memref.cast %part : memref<1024xf32, strided<[1], offset: 3>> to memref<1024xf32, strided<[1], offset: ?>>
  func.call @unaligned_call(%z) : (memref<1024xf32, strided<[1], offset: ?>>) -> ()
  %halves = memref.view %bytes[%c0][] : memref<?xi8> to memref<4096xf16>
  %h = memref.cast %halves : memref<4096xf16> to memref<4096xf16, strided<[1], offset: ?>>
  func.call @narrow_tiles(%h) : (memref<4096xf16, strided<[1], offset: ?>>) -> ()
  func.call @tiles(%y) : (memref<1024xf32, strided<[1], offset: ?>>) -> ()
  %other = func.call @graph() : () -> memref<?xi8>
  %returned = memref.view %other[%c0][] : memref<?xi8> to memref<1024xf32>
  %r = memref.cast %returned : memref<1024xf32> to memref<1024xf32, strided<[1], offset: ?>>
  func.call @memory_of_graph(%r) : (memref<1024xf32, strided<[1], offset: ?>>) -> ()
  %few = memref.view %bytes[%c0][] : memref<?xi8> to memref<1020xf32>
  %s = memref.cast %few : memref<1020xf32> to memref<1020xf32, strided<[1], offset: ?>>
  func.call @small(%s) : (memref<1020xf32, strided<[1], offset: ?>>) -> ()
  return
}
