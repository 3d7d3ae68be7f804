// RUN: fx-opt %s -fx-quantize-prepare=min-gain=1 | FileCheck %s --check-prefix=INTEGER
// RUN: fx-opt %s -fx-quantize-prepare="min-gain=1 integer-ratio=1" | FileCheck %s --check-prefix=RATIO
// RUN: fx-opt %s -fx-quantize-prepare="min-gain=1 integer-ratio=1 bandwidth=1" | FileCheck %s --check-prefix=INTEGER
// RUN: fx-opt %s -fx-quantize-prepare="min-gain=1 integer-ratio=1 bandwidth=1 peak=1" | FileCheck %s --check-prefix=PEAK

// A layer gains time on a CPU with VNNI, or if it is bound by the bandwidth.
// INTEGER: %y = {{.*}}fx.quantize = array<i64: 0, 1>
// RATIO: %y = {{.*}}fx.float = "it would gain too little: about 43.91 us on integers, 41.94 us in float"
// PEAK: %y = {{.*}}fx.float = "it would gain too little: about 4390.91 us on integers, 4194.30 us in float"
fx.state @w : !fx.tensor<[512, 64], f32>
fx.graph @main attributes {functional} {
  %w = placeholder "w" parameter @w : !fx.tensor<[512, 64], f32>
  %x = placeholder "x" : !fx.tensor<[64, 64], f32>
  %y = call_function @aten.linear.default(%x, %w) : (!fx.tensor<[64, 64], f32>, !fx.tensor<[512, 64], f32>) -> !fx.tensor<[64, 512], f32>
  output(%y) : (!fx.tensor<[64, 512], f32>)
}
