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
  registerAdaptivePooling(*this);
  registerArithmetic(*this);
  registerNorms(*this);
  registerRearrangements(*this);
  registerResampling(*this);
  registerScans(*this);
  registerAttention(*this);
  registerBessel(*this);
  registerCholesky(*this);
  registerCombinations(*this);
  registerComplex(*this);
  registerControlFlow(*this);
  registerConvolutions(*this);
  registerCopies(*this);
  registerDataDependent(*this);
  registerEmbeddings(*this);
  registerFactories(*this);
  registerFactorSolvers(*this);
  registerFactorizations(*this);
  registerFourier(*this);
  registerGradient(*this);
  registerHistograms(*this);
  registerHouseholder(*this);
  registerIndexing(*this);
  registerLoops(*this);
  registerLosses(*this);
  registerMarginLosses(*this);
  registerMatMuls(*this);
  registerNormalizations(*this);
  registerPadding(*this);
  registerPointwise(*this);
  registerPolynomials(*this);
  registerPooling(*this);
  registerProducts(*this);
  registerQuantization(*this);
  registerRecurrent(*this);
  registerReductions(*this);
  registerScatter(*this);
  registerScatterElements(*this);
  registerSegments(*this);
  registerSingularValues(*this);
  registerSorting(*this);
  registerSpecial(*this);
  registerStrided(*this);
  registerSymbolic(*this);
  registerViews(*this);
}

} // namespace fx::lin
