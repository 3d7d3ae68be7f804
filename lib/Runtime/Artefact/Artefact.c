/*===- Artefact.c - the runtime that is linked into each artefact ---------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime is one translation unit, so that fx-compile embeds one object.
//
//===----------------------------------------------------------------------===*/

/* The order matters: a file uses definitions of those before it. */
/* clang-format off */
#include "Features.c"
#include "Versions.c"
#include "Run.c"
#include "States.c"
#include "Outputs.c"
#include "Heap.c"
#include "Memory.c"
#include "Expr.c"
#include "Check.c"
#include "Affinity.c"
#include "Threads.c"
#include "Eager.c"
#include "Async.c"
#include "Helpers.c"
#include "Profile.c"
#include "Generator.c"
#include "Random.c"
#include "GpuDriver.c"
#include "CudaDriver.c"
#include "HipDriver.c"
#include "VulkanDevice.c"
#include "VulkanMemory.c"
#include "VulkanQueue.c"
#include "VulkanDriver.c"
#include "GpuMemory.c"
#include "GpuSequence.c"
#include "GpuLaunch.c"
#include "CudaOrder.c"
#include "CudaGraph.c"
#include "Gpu.c"
/* clang-format on */
