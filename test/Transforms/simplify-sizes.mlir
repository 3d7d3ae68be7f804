// RUN: fx-opt %s --fx-simplify-sizes | FileCheck %s

// CHECK-LABEL: fx.graph @bias symbols [s0 in [1, 63], s1 in [2, 1000], u0 in [0, 8]]
fx.graph @bias symbols [s0 in [1, 63], s1 in [2, 1000], u0 in [0, 8]] {
  %x = placeholder "x" : !fx.tensor<[4, s0], f32>
  %t = placeholder "t" : !fx.tensor<[4, s1], f32>
  // CHECK: placeholder "b" : !fx.tensor<[1, s0, max(s1, 64), u0, s1], f32>
  %b = placeholder "b" : !fx.tensor<[-1*max(-1*s0 + 1, 0) + 1, -1*max(-1*s0 + 64, 0) + 64, max(s1, 64), min(u0, 8), max(s1, 1, floordiv(s0, 64))], f32>
  // A size that is known only at run time may be 0.
  // CHECK: placeholder "c" : !fx.tensor<[max(u0, 1), min(s0, s1)], f32>
  %c = placeholder "c" : !fx.tensor<[max(u0, 1), min(s0, s1)], f32>
  // Expressions that no range decides stay, and so do guards.
  // CHECK: guard {{.*}} : eq(max(
  guard "L['x'].size()[1] == 61" : eq(max(-1*s0 + 64, 0), 3)
  output(%x) : (!fx.tensor<[4, s0], f32>)
}

// CHECK-LABEL: fx.graph @unknown
fx.graph @unknown symbols [s0 in [0, ?]] {
  // CHECK: placeholder "x" : !fx.tensor<[s0, max(-1*s0 + 64, 0), 9223372036854775807*max(s0, 3)], f32>
  %x = placeholder "x" : !fx.tensor<[max(s0, 0), max(-1*s0 + 64, 0), 9223372036854775807*max(s0, 3)], f32>
  output(%x) : (!fx.tensor<[max(s0, 0), max(-1*s0 + 64, 0), 9223372036854775807*max(s0, 3)], f32>)
}
