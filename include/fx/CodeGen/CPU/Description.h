//===- Description.h - what an artefact says of its model -------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CODEGEN_CPU_DESCRIPTION_H
#define FX_CODEGEN_CPU_DESCRIPTION_H

#include "fx/CodeGen/CPU/Backend.h"
#include "fx/IR/FXDialect.h"
#include "fx/Kernels/IR/Dtypes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fx::cpu {

/// Code for a symbolic expression, as fx/Runtime/Desc.h defines it.
using ExprCode = llvm::SmallVector<int64_t, 8>;

/// An input or output of the model (FXValueInfo).
struct ValueDescription {
  std::string name;
  int kind = 0; ///< FXValueKind
  int leaf = 0;
  kernel::Dtype dtype{};
  bool isMutated = false;
  llvm::SmallVector<ExprAttr> sizes;
  ExprAttr value;                ///< of an int input
  int64_t result = -1, bits = 0; ///< of an output: see FXrtOutput
};

/// An argument of the compiled function (FXrtArg).
struct ArgDescription {
  enum Kind { Input, Constant, Mutable } kind = Input;
  int64_t index = 0;
  llvm::SmallVector<int64_t> sizes; ///< of states and prepared tensors
  int64_t bytes = 0, offset = 0;
  std::string state;     ///< name, of a state
  int64_t prepared = -1; ///< result of @prepare
  kernel::Dtype dtype{};
  bool isUsed = true;
  bool isPrepared = false; ///< a state that @prepare reads
};

struct ConditionDescription {
  ExprCode code;
  std::string text, python;
  bool isRange = false;
  std::optional<int64_t> min, max;
};

/// Kernels for one kind of GPU (FXrtImage).
struct ImageDescription {
  bool isBinary = false;
  int chip = 0, family = 0; ///< FXrtChipFamily
  std::string bytes;
};

/// A kernel for a GPU (FXrtKernel).
struct KernelDescription {
  std::string name;
  int chip = 0; ///< only images of this chip alone have it; 0: all
  /// What it computes, "add (model.py:12)", for messages.
  std::string nodes;
};

/// All that the run-time checks and tells of a model.
struct ModelDescription {
  std::string name, cpu, features;
  int inputLeaves = 0;
  llvm::SmallVector<ValueDescription> inputs, outputs;
  llvm::SmallVector<ArgDescription> args;
  llvm::SmallVector<int64_t> resultRanks;
  llvm::SmallVector<std::string> symbols;
  llvm::SmallVector<ConditionDescription> conditions;
  std::vector<std::string> fallbacks;
  /// An operator may draw random numbers.
  bool drawsRandom = false;
  int64_t arenaBytes = 0;
  uint64_t weightBytes = 0;
  /// Of @prepare where the artefact keeps it, as `fx_prepare`: the states that
  /// it takes, as indices of `args`, and the tensors that it writes.
  bool keepsPrepare = false;
  llvm::SmallVector<int64_t> prepareArgs;
  std::vector<llvm::SmallVector<int64_t>> preparedSizes;
  llvm::SmallVector<kernel::Dtype> preparedDtypes;
  /// The compiler's report as one line of JSON.
  std::string report;
  /// What runs the kernels, "cuda:sm_90a"; empty: the CPU. Then their
  /// code, the best first, and the kernels by number.
  std::string target;
  std::vector<ImageDescription> images;
  std::vector<KernelDescription> kernels;
  /// Guards that no code was made for: their Python text.
  std::vector<std::string> unchecked;
};

/// Reads the attributes of the linalg contract off `main`.
mlir::FailureOr<ModelDescription> describeModel(mlir::func::FuncOp main);

/// Postfix code, with indices of symbols taken from (and added to) `symbols`.
/// Fails for what the run-time cannot evaluate: reals and unknown functions.
mlir::FailureOr<ExprCode>
compileExpr(ExprAttr expr, llvm::SmallVectorImpl<std::string> &symbols);

/// Returns the infix form of an expression, for messages and tables.
std::string getText(ExprAttr expr);

/// An LLVM module that holds the tables of the description and refers to
/// `fx_entry`.
std::unique_ptr<llvm::Module> emitDescription(const ModelDescription &model,
                                              llvm::LLVMContext &context,
                                              const CPUOptions &options);

} // namespace fx::cpu

#endif // FX_CODEGEN_CPU_DESCRIPTION_H
