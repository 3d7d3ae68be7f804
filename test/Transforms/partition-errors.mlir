// RUN: fx-opt %s -fx-partition=by=annotation -split-input-file -verify-diagnostics
// RUN: not fx-opt %s -fx-partition=by=color -split-input-file 2>&1 | FileCheck %s --check-prefix=BY
// RUN: not fx-opt %s -fx-partition=parts=0 -split-input-file 2>&1 | FileCheck %s --check-prefix=PARTS
// RUN: not fx-opt %s -fx-partition='by=cost sizes=2' -split-input-file 2>&1 | FileCheck %s --check-prefix=SIZES
// RUN: not fx-opt %s -fx-partition=by=cost -split-input-file 2>&1 | FileCheck %s --check-prefix=COST
// RUN: not fx-opt %s -fx-partition='by=cost peak=0' -split-input-file 2>&1 | FileCheck %s --check-prefix=PEAK
// RUN: not fx-opt %s -fx-partition='by=annotation modules=layer' -split-input-file 2>&1 | FileCheck %s --check-prefix=MODULE
// RUN: not fx-opt %s -fx-partition='by=device report=%t/no/file' -split-input-file 2>&1 | FileCheck %s --check-prefix=FILE

// BY: error: expected 'native', 'device', 'annotation' or 'cost' to partition by, got 'color'
// PARTS: error: expected 'parts' and 'min-size' of at least 1, got 0
// SIZES: error: expected sizes as 'symbol=integer', got '2'
// COST: error: expected a cost that is a number; 'sizes' gives integers for symbols
// PEAK: error: expected a positive 'peak' and 'bandwidth'
// MODULE: error: expected modules that the graph has, got 'layer'
// FILE: error: {{.*}}/no/file: cannot write: No such file or directory
fx.graph @main symbols [s0 in [2, 64]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[s0], f32>
  %a = call_function @aten.exp.default(%x) : (!fx.tensor<[s0], f32>) -> !fx.tensor<[s0], f32>
  output(%a) : (!fx.tensor<[s0], f32>)
}

// -----

// expected-error @+1 {{expected a functional graph; 'fx-functionalize' makes one}}
fx.graph @main {
  %x = placeholder "x" : !fx.tensor<[2], f32>
  output(%x) : (!fx.tensor<[2], f32>)
}

// -----

fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[2], f32>
  // expected-error @+1 {{expected a name in 'fx.partition', got 3 : i64}}
  %a = call_function @aten.exp.default(%x) {fx.partition = 3} : (!fx.tensor<[2], f32>) -> !fx.tensor<[2], f32>
  output(%a) : (!fx.tensor<[2], f32>)
}

// -----

// expected-error @+1 {{expected an 'fx.graph @main'}}
module {}
