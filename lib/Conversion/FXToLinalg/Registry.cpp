//===- Registry.cpp - the lowerings by target -----------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeLowering.h"

#include "llvm/Support/ErrorHandling.h"

namespace fx::lin {

const Registry &Registry::get() {
  static const Registry registry;
  return registry;
}

void Registry::addTo(llvm::StringMap<LowerFn> &table, llvm::StringRef target,
                     LowerFn fn) {
  // Higher-order operators, whose names have no dot, have no schemas.
  if (target.contains('.') && !lookupOperator(target))
    llvm::report_fatal_error(
        "a lowering is registered for the unknown operator " + target);
  table[target] = fn;
}

Registry::Registry() {
  registerActivations(*this);
  registerAdaptivePooling(*this);
  registerAntialias(*this);
  registerArithmetic(*this);
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
  registerFactorizations(*this);
  registerFactorSolvers(*this);
  registerFloat8(*this);
  registerFourier(*this);
  registerGradient(*this);
  registerHistograms(*this);
  registerHouseholder(*this);
  registerIncompleteGamma(*this);
  registerIndexing(*this);
  registerLoops(*this);
  registerLosses(*this);
  registerMarginLosses(*this);
  registerMatMuls(*this);
  registerMatrixExponential(*this);
  registerNormalizations(*this);
  registerNorms(*this);
  registerPadding(*this);
  registerPointwise(*this);
  registerPolynomials(*this);
  registerPooling(*this);
  registerProducts(*this);
  registerQuantization(*this);
  registerRandom(*this);
  registerRearrangements(*this);
  registerRecurrent(*this);
  registerReductions(*this);
  registerResampling(*this);
  registerScans(*this);
  registerScatter(*this);
  registerScatterElements(*this);
  registerSegments(*this);
  registerShortTime(*this);
  registerSingularValues(*this);
  registerSorting(*this);
  registerSpecial(*this);
  registerStrided(*this);
  registerSymbolic(*this);
  registerViews(*this);
  registerWindows(*this);
}

} // namespace fx::lin
