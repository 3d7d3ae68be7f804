//===- VariantModel.h - a model with several schedules ----------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model that contains some kernels in several variants, one for each schedule
// to compare. An additional input says which variant of each kernel a run uses.
// Runs with different schedules can therefore alternate, in one process and on
// the same weights and buffers.
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_PIPELINES_VARIANTMODEL_H
#define FX_LIB_PIPELINES_VARIANTMODEL_H

#include "Codegen.h"
#include "TuneInputs.h"
#include "fx/CodeGen/CPU/Backend.h"
#include "fx/CodeGen/CPU/KernelPasses.h"
#include "fx/Runtime/Loader.h"
#include "fx/Support/UnlinkedFile.h"

#include <map>

namespace fx {

/// A kernel and the schedules of its variants. Variant 0 is the kernel of the
/// model.
struct KernelVariants {
  std::string name; ///< "kernel_5"
  llvm::SmallVector<kernel::ScheduleAttrInterface> schedules;
};

/// The times of a run: of all of it, and of all calls of each kernel by the N
/// of `kernel_N`.
struct RunTimes {
  double seconds = 0;
  std::map<int64_t, double> kernels;
};

class VariantModel {
public:
  /// Compiles `formed`, in which kernels are formed but not emitted, with the
  /// variants of `kernels`, and loads the result. Its inputs are random floats
  /// and zeros; `options.tuneSizes` are the values of the symbols.
  static llvm::Expected<std::unique_ptr<VariantModel>>
  create(mlir::ModuleOp formed, std::vector<KernelVariants> kernels,
         const CompileOptions &options, const cpu::CPUOptions &cpu,
         ErrorCatcher &errors);

  llvm::ArrayRef<KernelVariants> getKernels() const { return kernels; }
  /// Returns false if the class could not emit this variant.
  bool isAvailable(size_t kernel, size_t variant) const;
  /// Runs the model with a variant of each kernel.
  llvm::Expected<RunTimes> run(llvm::ArrayRef<int64_t> variants);

private:
  VariantModel(std::vector<KernelVariants> kernels, UnlinkedFile file)
      : kernels(std::move(kernels)), file(std::move(file)) {}
  void addVariants(mlir::ModuleOp module, const cpu::KernelOptions &options);
  llvm::Error describe(mlir::ModuleOp module, const CompileOptions &options,
                       ErrorCatcher &errors);
  llvm::Error selectVariants(mlir::ModuleOp module);

  std::vector<KernelVariants> kernels;
  /// For each kernel the numbers of the variants that exist.
  std::vector<llvm::SmallVector<int64_t>> available;
  UnlinkedFile file;
  std::unique_ptr<CompiledModel> model;
  int threads = 1;
  bool isMutable = false;
  std::vector<TuneInput> inputs;
  std::vector<DLTensor> tensors;
};

/// Returns the N of `kernel_N`.
int64_t getKernelNumber(llvm::StringRef name);

} // namespace fx

#endif // FX_LIB_PIPELINES_VARIANTMODEL_H
