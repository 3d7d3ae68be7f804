// RUN: not fx-opt %s -fx-fuse -split-input-file 2>&1 | FileCheck %s
// RUN: not fx-opt %s -fx-fuse=min-size=1 -split-input-file 2>&1 | FileCheck %s --check-prefix=SIZE

// SIZE: error: expected a 'min-size' of at least 2 and a 'max-size' of at least that, got 1 and 40
fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  output(%x) : (!fx.tensor<[4], f32>)
}

// -----

// CHECK: error: expected a functional graph; 'fx-functionalize' makes one
fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  output(%x) : (!fx.tensor<[4], f32>)
}

// -----

// CHECK: error: expected an 'fx.graph @main'
fx.graph private @other attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[4], f32>
  output(%x) : (!fx.tensor<[4], f32>)
}
