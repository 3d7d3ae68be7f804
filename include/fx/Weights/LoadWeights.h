//===- LoadWeights.h - weights of compiled models from files ----*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_WEIGHTS_LOADWEIGHTS_H
#define FX_WEIGHTS_LOADWEIGHTS_H

#include "fx/Runtime/Loader.h"
#include "fx/Weights/WeightFile.h"

#include <optional>
#include <vector>

namespace fx {

/// Says which tensor of a file is a weight of the program.
struct WeightBinding {
  /// The name of the weight; empty: the tensor is ignored.
  std::string state;
  std::string tensor;
  /// If not 0: the rows of each of this many heads are pairs (0, 1), (2, 3), …
  /// and become two halves, the first elements and the second ones. llama.cpp
  /// stores the rows of queries and keys so.
  int64_t rotaryHeads = 0;
  /// Added to the values.
  double offset = 0;
};

struct LoadWeightsOptions {
  /// Every parameter and persistent buffer of the model must be in the file,
  /// and every tensor of the file in the program.
  bool strict = true;
  /// Other weights have their own names in the file.
  std::vector<WeightBinding> bindings;
};

/// A weight that takes its value from a file.
struct WeightTarget {
  std::string name;
  /// Other names of the same weight.
  std::vector<std::string> otherNames;
  /// Absent if it is no dtype of a file.
  std::optional<DType> dtype;
  std::vector<int64_t> sizes;
  /// The state_dict has it.
  bool isPersistent = true;
  bool isSettable = true;
};

/// The value of `targets[index]`. The receiver calls the deleter.
struct WeightValue {
  size_t index;
  DLManagedTensor *value;
};

/// Reads the values of `targets` from files, by name, as loadWeights does.
/// `unused` are names of weights that the program does not use: the files may
/// have them.
llvm::Expected<std::vector<WeightValue>>
readWeights(llvm::ArrayRef<WeightTarget> targets,
            llvm::ArrayRef<std::string> unused,
            llvm::ArrayRef<std::shared_ptr<const WeightFile>> files,
            const LoadWeightsOptions &options = {});

/// Replaces the weights of a model by the tensors of a file, by name. If all
/// names of the model or of the file begin with the same additional prefix, it
/// is found. The model keeps the file and reads tensors from it without a copy
/// where it can; the file must not change.
///
/// - float16 and bfloat16 become float32, and quantized blocks their values, if
///   the model has float32.
/// - A weight `w` that fx-quantize made `w_q`, `w_scale` and `w_zero_point` is
///   set from blocks of Q4_0 or Q8_0 of the same values, if its groups have 32
///   elements.
///
/// If this fails, the model does not change. The error lists all problems.
llvm::Error loadWeights(CompiledModel &model,
                        std::shared_ptr<const WeightFile> file,
                        const LoadWeightsOptions &options = {});

/// Returns the values of a tensor of the file as float32. Fails for integers.
llvm::Expected<HostTensor> readFloats(const WeightTensor &tensor);

/// Makes a tensor that keeps `owner`.
DLManagedTensor *makeManaged(DType dtype, llvm::ArrayRef<int64_t> sizes,
                             const char *data,
                             std::shared_ptr<const void> owner);

} // namespace fx

#endif // FX_WEIGHTS_LOADWEIGHTS_H
