//===- Registry.cpp - the lowerings by target -----------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Node.h"

namespace fx::lin {

const Registry &Registry::get() {
  static const Registry registry;
  return registry;
}

Registry::Registry() {
  registerActivations(*this);
  registerAttention(*this);
  registerControlFlow(*this);
  registerConvolutions(*this);
  registerCopies(*this);
  registerFactories(*this);
  registerIndexing(*this);
  registerLoops(*this);
  registerMatMuls(*this);
  registerNormalizations(*this);
  registerPointwise(*this);
  registerPooling(*this);
  registerReductions(*this);
  registerScatter(*this);
  registerSymbolic(*this);
  registerViews(*this);
}

} // namespace fx::lin
