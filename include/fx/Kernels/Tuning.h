//===- Tuning.h - schedules from measurements -------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tuning file is a module of `fx_kernel.tuned_schedule` ops:
//
//   module attributes {fx_kernel.tuning_version = 1 : i64} {
//     fx_kernel.tuned_schedule "5d41..." on "znver4" features "1f38..."
//         threads 1 uses #fx_kernel.rows<unroll = 8> for (...) -> ...
//   }
//
//===----------------------------------------------------------------------===//

#ifndef FX_KERNELS_TUNING_H
#define FX_KERNELS_TUNING_H

#include "fx/Kernels/IR/KernelDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

namespace fx::kernel {

/// The machine and the runs for which a schedule is the fastest.
struct TuningTarget {
  std::string cpu;      ///< LLVM's name: "znver4"
  std::string features; ///< the hash of LLVM's list of features
  int64_t threads = 1;  ///< 0: all CPUs

  /// Returns the target of a CPU with the list `features`.
  static TuningTarget get(llvm::StringRef cpu, llvm::StringRef features,
                          int64_t threads);
};

/// Returns a hash of what a kernel computes: its operations and types, without
/// the names of functions and nodes, locations, and its schedule. `kernel` is
/// on tensors.
std::string getSignature(mlir::func::FuncOp kernel);

/// The schedules of a tuning file.
class TuningFile {
public:
  /// Creates an empty file.
  explicit TuningFile(mlir::MLIRContext &context);
  /// Reads the file at `path`. The text of an error is
  /// `<path>[:<line>:<column>]: <what is wrong>`.
  static llvm::Expected<TuningFile> read(llvm::StringRef path,
                                         mlir::MLIRContext &context);
  /// Returns the entry of a kernel with `signature`; null if there is none for
  /// `target`. Of equal entries, the last one is valid.
  TunedScheduleOp lookup(llvm::StringRef signature, const TuningTarget &target);
  /// Adds an entry, which replaces the one that `lookup` returns.
  void add(llvm::StringRef signature, const TuningTarget &target,
           ScheduleAttrInterface schedule, mlir::FunctionType kernel);
  /// Removes the entry that `lookup` returns.
  void remove(llvm::StringRef signature, const TuningTarget &target);
  /// Writes a temporary file beside `path` and renames it.
  llvm::Error write(llvm::StringRef path);

private:
  explicit TuningFile(mlir::OwningOpRef<mlir::ModuleOp> module);
  mlir::OwningOpRef<mlir::ModuleOp> module;
  llvm::StringMap<TunedScheduleOp> entries;
};

} // namespace fx::kernel

#endif // FX_KERNELS_TUNING_H
