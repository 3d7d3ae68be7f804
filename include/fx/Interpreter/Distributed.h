//===- Distributed.h - process groups of a program --------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collectives of a program name a process group. A process of torchrun joins
// the others and makes these groups:
//
//   auto options = fx::readDistributedEnvironment();    // of torchrun
//   auto session = fx::joinProcessGroups(**options);
//   llvm::Error error = (*session)->compare(collectives);
//   ...                                                  // run the program
//   error = (*session)->leave();
//
// c10d does the communication: its TCPStore, ProcessGroupGloo and registry of
// groups. A process that has called init_process_group in Python has groups
// already, and needs nothing of this file.
//
//===----------------------------------------------------------------------===//

#ifndef FX_INTERPRETER_DISTRIBUTED_H
#define FX_INTERPRETER_DISTRIBUTED_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fx {

/// A process group other than that of all processes.
struct ProcessGroupOptions {
  std::string name;
  std::vector<int> ranks;
};

struct DistributedOptions {
  /// The address and port of the store, which rank 0 opens.
  std::string address;
  int port = 0;
  int rank = 0;
  int worldSize = 1;
  int localRank = 0;
  /// The launcher has opened the store.
  bool hasStore = false;
  /// Precedes all keys in the store.
  std::string prefix;
  /// How long a process waits for another one, in seconds.
  double timeout = 300;
  /// The groups beside "0", PyTorch's name of the group of all processes. Those
  /// without this rank are ignored.
  std::vector<ProcessGroupOptions> groups;
};

/// Reads the variables of torchrun: MASTER_ADDR, MASTER_PORT, RANK, WORLD_SIZE
/// and LOCAL_RANK. Returns nullopt if one of the first four is not set, and an
/// error if one has no valid value.
llvm::Expected<std::optional<DistributedOptions>> readDistributedEnvironment();

/// Parses "NAME=0,1".
llvm::Expected<ProcessGroupOptions> parseProcessGroup(llvm::StringRef text);

/// A collective of a program, as it must be in the programs of all ranks of its
/// group.
struct Collective {
  std::string group;
  /// "all_reduce(sum) float32 [2, 8]". Sizes that may differ between ranks are
  /// left out.
  std::string text;
};

/// Returns the collectives of a compiled model, from the texts of its fallbacks
/// (FXModelInfo::fallbacks), in order.
std::vector<Collective> listCollectives(llvm::ArrayRef<const char *> fallbacks);
/// Returns the collectives of graph @main, in order.
std::vector<Collective> listCollectives(mlir::ModuleOp module);

/// The process groups of this process. The destructor leaves without a word,
/// which the other processes take for a failure.
class DistributedSession {
public:
  virtual ~DistributedSession();

  /// Compares the program of this rank with those of the other ranks of each
  /// group. Every rank must call it once. The error names the rank and the
  /// first collective that differs.
  virtual llvm::Error compare(llvm::ArrayRef<Collective> collectives) = 0;

  /// Tells the other ranks of an error of this one. Returns what to report: the
  /// error itself, or that of another rank that is its cause.
  virtual llvm::Error fail(llvm::Error error) = 0;

  /// Waits until all ranks have ended, and destroys the groups.
  virtual llvm::Error leave() = 0;
};

/// Joins the other processes, and makes and registers the groups. Fails if a
/// process does not join in time.
llvm::Expected<std::unique_ptr<DistributedSession>>
joinProcessGroups(const DistributedOptions &options,
                  mlir::MLIRContext *context = nullptr);

} // namespace fx

#endif // FX_INTERPRETER_DISTRIBUTED_H
