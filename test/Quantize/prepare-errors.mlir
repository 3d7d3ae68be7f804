// RUN: not fx-opt %s -fx-quantize-prepare=mode=fast 2>&1 | FileCheck %s --check-prefix=MODE
// RUN: not fx-opt %s -fx-quantize-prepare=observer=median 2>&1 | FileCheck %s --check-prefix=OBSERVER
// RUN: not fx-opt %s -fx-quantize-prepare=ops=linear,lstm 2>&1 | FileCheck %s --check-prefix=OPS
// RUN: not fx-opt %s -fx-quantize-prepare=weight-bits=5 2>&1 | FileCheck %s --check-prefix=BITS
// RUN: not fx-opt %s -fx-quantize-prepare=group-size=1 2>&1 | FileCheck %s --check-prefix=GROUP
// RUN: not fx-opt %s -fx-quantize-prepare="group-size=32 per-tensor" 2>&1 | FileCheck %s --check-prefix=TENSOR
// RUN: not fx-opt %s -fx-quantize-prepare=integer-ratio=0 2>&1 | FileCheck %s --check-prefix=RATIO
// RUN: not fx-opt %s -fx-quantize-prepare=peak=-1 2>&1 | FileCheck %s --check-prefix=PEAK
// RUN: not fx-opt %s -fx-quantize-prepare=bandwidth=inf 2>&1 | FileCheck %s --check-prefix=BANDWIDTH
// RUN: not fx-opt %s -fx-quantize-prepare 2>&1 | FileCheck %s --check-prefix=GRAPH
// RUN: not fx-opt %s -fx-quantize-calibrate=samples=%S 2>&1 | FileCheck %s --check-prefix=CALIBRATE
// RUN: not fx-opt %s -fx-quantize-convert 2>&1 | FileCheck %s --check-prefix=CONVERT

// MODE: error: expected mode 'static', 'dynamic' or 'weight-only', got 'fast'
// OBSERVER: error: expected observer 'min-max', 'moving-average', 'histogram' or 'kl', got 'median'
// OPS: error: expected operators 'linear', 'conv', 'matmul', 'add', 'pool' or 'cat', got 'lstm'
// BITS: error: expected weights of 8 or 4 bits, got 5
// GROUP: error: expected a group size of 2 or more, or 0, got 1
// TENSOR: error: groups lie within channels: expected one scale a channel, got one a tensor
// RATIO: error: expected an integer ratio above 0, got '0.00'
// PEAK: error: expected a peak above 0, got '-1.00'
// BANDWIDTH: error: expected a bandwidth above 0, got 'INF'
// GRAPH: error: expected a functional graph @main, got none
// CALIBRATE: error: expected a graph @main that is prepared for quantization, got none
// CONVERT: error: expected a functional graph that is prepared for quantization, got none
fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[1], f32>
  output(%x) : (!fx.tensor<[1], f32>)
}
