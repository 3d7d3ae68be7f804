//===- Probe.h - what a machine can do ------------------------ -*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_RUN_PROBE_H
#define FX_LIB_RUN_PROBE_H

namespace fx {

/// Measured rates of some threads together.
struct MachineRates {
  double flops = 0; ///< f32 multiplications and additions per second
  double bytes = 0; ///< bytes per second that are read from memory
};

/// Measures the rates of `threads` threads that work at the same time; 0: all
/// CPUs. Takes 128 MiB, or 16 MiB for each thread if this is more.
MachineRates probeMachine(int threads);

} // namespace fx

#endif // FX_LIB_RUN_PROBE_H
