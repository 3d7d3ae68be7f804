// RUN: not fx-opt %s -fx-cost='format=html' 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not fx-opt %s -fx-cost='sizes=s0' 2>&1 | FileCheck %s --check-prefix=SIZES
// RUN: not fx-opt %s -fx-cost='output=%t.none/x' 2>&1 | FileCheck %s --check-prefix=OUTPUT
// RUN: not fx-opt %s -fx-cost='output=/dev/full' 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: not fx-opt %s -fx-shape-prop='sizes=s0=1x' 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not fx-opt %s -fx-shape-prop='sizes=s0=100' 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not fx-opt %s -fx-shape-prop='sizes=s1=4' 2>&1 | FileCheck %s --check-prefix=SYMBOL
// RUN: not fx-opt %s -fx-shape-prop='sizes=s0=2' 2>&1 | FileCheck %s --check-prefix=GUARD

// FORMAT: error: expected the format 'table' or 'json', got 'html'
// SIZES: error: expected sizes as 'symbol=integer', got 's0'
// OUTPUT: error: {{.*}}.none/x: cannot write: No such file or directory
// FULL: error: /dev/full: cannot write: No space left on device
// NUMBER: error: expected sizes as 'symbol=integer', got 's0=1x'
// RANGE: error: expected s0 in [2, 64], got 100
// SYMBOL: error: expected a symbol of the graph, got 's1'
// GUARD: error: guard does not hold: x.size(0) > 3
fx.graph @main symbols [s0 in [2, 64]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[s0, 8], f32>
  guard "x.size(0) > 3" : gt(s0, 3)
  output(%x) : (!fx.tensor<[s0, 8], f32>)
}
