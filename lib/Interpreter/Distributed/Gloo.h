//===- Gloo.h - process groups over gloo ------------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_INTERPRETER_DISTRIBUTED_GLOO_H
#define FX_LIB_INTERPRETER_DISTRIBUTED_GLOO_H

#include <chrono>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

namespace fx::interp {

/// Returns a process group for tensors on the CPU that connects to the other
/// ranks through `store`. GLOO_SOCKET_IFNAME names the network interface, as in
/// PyTorch; `isLocal` selects the loopback interface otherwise.
c10::intrusive_ptr<c10d::ProcessGroup>
makeGlooGroup(const std::string &name, c10::intrusive_ptr<c10d::Store> store,
              int rank, int size, std::chrono::milliseconds timeout,
              bool isLocal);

} // namespace fx::interp

#endif // FX_LIB_INTERPRETER_DISTRIBUTED_GLOO_H
