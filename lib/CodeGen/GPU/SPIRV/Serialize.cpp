//===- Serialize.cpp - SPIR-V as it is given to a driver ------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/GPU/Device.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Target/SPIRV/Serialization.h"

using namespace mlir;

llvm::Expected<std::string> fx::spirv::emitSPIRV(ModuleOp module) {
  auto kernels = module.getOps<mlir::spirv::ModuleOp>();
  if (kernels.empty())
    return llvm::createStringError("the model has nothing to run on a GPU");
  SmallVector<uint32_t, 0> words;
  if (failed(mlir::spirv::serialize(*kernels.begin(), words)))
    return llvm::createStringError("the kernels cannot be written as SPIR-V");
  return std::string(reinterpret_cast<const char *>(words.data()),
                     words.size() * sizeof(uint32_t));
}
