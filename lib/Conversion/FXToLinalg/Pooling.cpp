//===- Pooling.cpp - stub -------------------------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Node.h"
namespace fx::lin { void registerPooling(Registry &) {} }
