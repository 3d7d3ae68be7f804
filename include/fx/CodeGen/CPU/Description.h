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
#include "fx/Kernels/TargetInfo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fx::cpu {

/// The postfix code of a symbolic expression, which fx/Runtime/Desc.h defines.
using ExprCode = llvm::SmallVector<int64_t, 8>;

/// An input or output of the model (FXValueInfo).
struct ValueDescription {
  std::string name;
  int kind = 0; ///< FXValueKind
  int leaf = 0;
  kernel::Dtype dtype{};
  bool isMutated = false;
  llvm::SmallVector<ExprAttr> sizes;
  ExprAttr value;                ///< the expression of an int input
  int64_t result = -1, bits = 0; ///< fields of an output, see FXrtOutput
};

/// An argument of the compiled function (FXrtArg).
struct FunctionArgDescription {
  enum Kind { Input, Constant, Mutable } kind = Input;
  /// The index among the inputs, or among the mutable states of all methods.
  int64_t index = 0;
  llvm::SmallVector<int64_t> sizes; ///< sizes of a state or prepared tensor
  int64_t bytes = 0, offset = 0;    ///< offset -1: a state of zeros
  std::string state;                ///< the name of a state
  int64_t prepared = -1;            ///< the number of the result of @prepare
  kernel::Dtype dtype{};
  bool isUsed = true;
  bool isPrepared = false; ///< the argument is a state that @prepare reads
  /// The state_dict has the state: a parameter or a persistent buffer.
  bool isPersistent = false;
};

struct ConditionDescription {
  ExprCode code;
  std::string text, python;
  bool isRange = false;
  std::optional<int64_t> min, max;
};

/// The kernels for one kind of GPU (FXrtImage).
struct ImageDescription {
  bool isBinary = false;
  int chip = 0, family = 0; ///< FXrtChipFamily
  bool overlaps = false;
  std::string bytes;
};

/// A kernel for a GPU (FXrtKernel).
struct KernelDescription {
  std::string name;
  int chip = 0; ///< the only chip whose images contain the kernel; 0: all
  /// The nodes that the kernel computes, "add (model.py:12)", for messages.
  std::string nodes;
};

/// The structures of the arguments and of the result of a program, as
/// `treespec_dumps` of torch.utils._pytree prints them.
struct CallSpec {
  std::string in, out;
};

/// The properties of a model that the run-time checks and reports.
struct ModelDescription {
  std::string name, cpu, features;
  /// The name of the method; empty if the model has one method without a name.
  std::string method;
  /// The suffix of the symbols of the model's code: the artefact may contain
  /// versions of the model for other CPUs.
  std::string suffix;
  /// The element types that the code multiplies in tiles.
  kernel::TileKinds tiles;
  int inputLeaves = 0;
  llvm::SmallVector<ValueDescription> inputs, outputs;
  llvm::SmallVector<FunctionArgDescription> args;
  llvm::SmallVector<int64_t> resultRanks;
  llvm::SmallVector<std::string> symbols;
  llvm::SmallVector<ConditionDescription> conditions;
  std::vector<std::string> fallbacks;
  /// The states of the program that are no arguments.
  std::vector<std::string> unusedStates;
  /// Whether an operator may draw random numbers.
  bool drawsRandom = false;
  int64_t arenaBytes = 0;
  uint64_t weightBytes = 0;
  /// Whether the artefact contains @prepare as `fx_prepare`. If so, the states
  /// that it reads, as indices of `args`, and the sizes and dtypes of the
  /// tensors that it writes.
  bool keepsPrepare = false;
  llvm::SmallVector<int64_t> prepareArgs;
  std::vector<llvm::SmallVector<int64_t>> preparedSizes;
  llvm::SmallVector<kernel::Dtype> preparedDtypes;
  /// The compiler's report as one line of JSON.
  std::string report;
  /// The target of the kernels, "cuda:sm_90a"; empty: the CPU. For a GPU, the
  /// images with the code, the best first, and the kernels by number.
  std::string target;
  std::vector<ImageDescription> images;
  std::vector<KernelDescription> kernels;
  /// The Python texts of guards that the compiled code does not check.
  std::vector<std::string> unchecked;
  /// For a package that LibTorch loads (FXrtCallSpec); else absent.
  std::optional<CallSpec> callSpec;
};

/// Reads the description from the attributes of `main` in the linalg contract.
mlir::FailureOr<ModelDescription> describeModel(mlir::func::FuncOp main);

/// Compiles an expression to postfix code. The code refers to symbols by their
/// index in `symbols`; new symbols are appended. Fails for reals and unknown
/// functions, which the run-time cannot evaluate.
mlir::FailureOr<ExprCode>
compileExpr(ExprAttr expr, llvm::SmallVectorImpl<std::string> &symbols);

/// Returns the infix form of an expression, for messages and tables.
std::string getText(ExprAttr expr);

/// Numbers the mutable states of the methods of one version together: states of
/// the same name get the same number. Fails if their types differ.
llvm::Error numberStates(llvm::ArrayRef<ModelDescription *> methods);

/// Emits an LLVM module that contains the tables of the versions of a model,
/// the most demanding one first. Each version has `methods` methods, one after
/// the other. The tables refer to `fx_entry` with the suffix of each of them.
std::unique_ptr<llvm::Module>
emitDescriptions(llvm::ArrayRef<const ModelDescription *> models,
                 int64_t methods, llvm::LLVMContext &context,
                 const CPUOptions &options);

} // namespace fx::cpu

#endif // FX_CODEGEN_CPU_DESCRIPTION_H
