// Bytecode files that must not change, one for each version of the dialect: all contain this program.
// A new version adds its file, made from program.mlir, and keeps the others.
// RUN: fx-opt %S/Inputs/bytecode/program.mlir > %t.want
// RUN: fx-opt %S/Inputs/bytecode/v1.mlirbc > %t.v1 && diff %t.want %t.v1
// RUN: fx-opt %S/Inputs/bytecode/v2.mlirbc > %t.v2 && diff %t.want %t.v2
// RUN: fx-opt %S/Inputs/bytecode/program.mlir --emit-bytecode | fx-opt > %t.now && diff %t.want %t.now
// An attribute was renamed after the first version. The file contains the old
// name and is upgraded.
// RUN: grep -q fx.single_output %S/Inputs/bytecode/v1.mlirbc && FileCheck %s < %t.v1
// CHECK: fx.graph private @yes attributes {fx.single_return}
// A program of a later version is rejected.
// RUN: not fx-opt %S/Inputs/bytecode/v3.mlirbc 2>&1 | FileCheck %s --check-prefix=NEWER
// NEWER: expected version 1 to 2 of the fx dialect, got 3
