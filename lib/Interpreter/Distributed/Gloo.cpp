//===- Gloo.cpp - process groups over gloo --------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define USE_C10D_GLOO

#include "Gloo.h"
#include <cstdlib>
#include <sstream>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

using c10d::ProcessGroup;
using c10d::ProcessGroupGloo;

namespace fx::interp {

/// Returns the devices of the interfaces that the environment names.
static std::vector<std::shared_ptr<gloo::transport::Device>>
getDevices(bool isLocal) {
  std::vector<std::shared_ptr<gloo::transport::Device>> devices;
  const char *names = std::getenv("GLOO_SOCKET_IFNAME");
  std::istringstream list(names ? names : "");
  for (std::string name; std::getline(list, name, ',');)
    if (!name.empty())
      devices.push_back(ProcessGroupGloo::createDeviceForInterface(name));
  if (devices.empty())
    devices.push_back(
        isLocal ? ProcessGroupGloo::createDeviceForHostname("127.0.0.1")
                : ProcessGroupGloo::createDefaultDevice());
  return devices;
}

c10::intrusive_ptr<ProcessGroup>
makeGlooGroup(const std::string &name, c10::intrusive_ptr<c10d::Store> store,
              int rank, int size, std::chrono::milliseconds timeout,
              bool isLocal) {
  auto options = ProcessGroupGloo::Options::create(timeout);
  options->devices = getDevices(isLocal);
  // ProcessGroupGloo::runLoop stores the name of the operator that ended last
  // in a string of the group, without a lock: two threads free it twice.
  options->threads = 1;
  auto group = c10::make_intrusive<ProcessGroup>(store, rank, size);
  group->setGroupName(name);
  auto backend =
      c10::make_intrusive<ProcessGroupGloo>(store, rank, size, options);
  group->setBackend(c10::DeviceType::CPU, ProcessGroup::BackendType::GLOO,
                    c10::intrusive_ptr<c10d::Backend>(backend));
  group->setDefaultBackend(ProcessGroup::BackendType::GLOO);
  return group;
}

} // namespace fx::interp
