//===- Interpreter.h - running fx graphs on ATen ----------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interpreter runs a graph node by node on LibTorch. It is the reference
// for compiled code and runs every graph that can be imported. It is part of
// libFXTorch.so, which is loaded when it is first needed, so that other
// libraries do not depend on LibTorch:
//
//   auto interpreter = fx::loadInterpreter(module, options);   // Expected<>
//   llvm::SmallVector<fx::HostValue> outputs;
//   llvm::Error error = (*interpreter)->run(inputs, outputs);
//
//===----------------------------------------------------------------------===//

#ifndef FX_INTERPRETER_INTERPRETER_H
#define FX_INTERPRETER_INTERPRETER_H

#include "fx/Runtime/model.h"
#include "fx/Support/HostTensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectInterface.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace fx {

struct DistributedOptions;
class DistributedSession;

struct InterpreterOptions {
  /// The number of threads of ATen's pool, which the process shares; 0 leaves
  /// it as it is.
  int threads = 0;
  /// Called after a node has run, with the node and the values of its results
  /// in order. The value of a result that is neither a tensor nor a scalar is
  /// absent.
  std::function<void(mlir::Operation *, llvm::ArrayRef<HostValue>)> observer;
  /// Selects the nodes for which the observer is called; null: all nodes. The
  /// values of other nodes need not be copied.
  std::function<bool(mlir::Operation *)> isObserved;
};

class Interpreter {
public:
  virtual ~Interpreter();

  /// Runs @main on the flattened (args, kwargs) leaves; None and str leaves
  /// are absent. `outputs` receives the flattened user outputs; None and str
  /// are absent. Mutations of buffers persist for later runs. Errors are
  /// `LocatedError`s at the node or input. Not thread-safe.
  virtual llvm::Error run(llvm::ArrayRef<HostValue> inputs,
                          llvm::SmallVectorImpl<HostValue> &outputs) = 0;

  /// Seeds torch's generator, like torch.manual_seed.
  virtual void seed(uint64_t value) = 0;

  /// Returns the current value of state `name`, in C order.
  virtual llvm::Expected<HostTensor> getState(llvm::StringRef name) = 0;
};

/// The functions of libFXTorch.so, which exports them by one symbol.
struct TorchLibrary {
  /// Must be increased when this structure or Interpreter changes.
  static constexpr uint32_t kVersion = 6;
  uint32_t version;
  llvm::Expected<std::unique_ptr<Interpreter>> (*createInterpreter)(
      mlir::ModuleOp module, const InterpreterOptions &options);
  /// Returns the schema of an operator in torch's notation; nullopt if torch's
  /// dispatcher does not have the operator.
  std::optional<std::string> (*getSchema)(llvm::StringRef target);
  llvm::Expected<std::unique_ptr<DistributedSession>> (*joinProcessGroups)(
      const DistributedOptions &options);
};

/// Loads libFXTorch.so once for the process, from the path in the environment
/// variable FX_TORCH_LIBRARY or else from the folder of libFX.so. Queries the
/// context's TorchPreparationInterface first. A null context has none.
llvm::Expected<const TorchLibrary *>
loadTorchLibrary(mlir::MLIRContext *context = nullptr);

/// Lets a program load its own LibTorch before a pass on the context loads
/// libFXTorch.so, which would load another one.
class TorchPreparationInterface
    : public mlir::DialectInterface::Base<TorchPreparationInterface> {
public:
  TorchPreparationInterface(mlir::Dialect *dialect, FXPrepareTorchFn prepare)
      : Base(dialect), prepare(prepare) {}
  /// Returns an error if LibTorch cannot be used.
  llvm::Error run() const;

private:
  FXPrepareTorchFn prepare;
};

/// Attaches a TorchPreparationInterface that calls `prepare`. A registry takes
/// the first one only.
void registerTorchPreparation(mlir::DialectRegistry &registry,
                              FXPrepareTorchFn prepare);

/// Loads a library that registers operators or classes with torch, as
/// torch.ops.load_library does. The interpreter and the fallback can then use
/// them. The libraries in the environment variable FX_OPERATOR_LIBRARIES, a
/// list separated by ':', are loaded at the first lookup of an operator. Error
/// texts begin with the path.
llvm::Error loadOperatorLibrary(llvm::StringRef path);

/// Returns an interpreter for the module's graph @main. The module must outlive
/// it and must not change, except that the tensors of tensor subclasses become
/// inputs (fx-unwrap-subclasses). Fails if a node cannot run: an unknown
/// operator, arguments that do not fit the schema, or a state without a value.
llvm::Expected<std::unique_ptr<Interpreter>>
loadInterpreter(mlir::ModuleOp module, const InterpreterOptions &options);

/// Attaches a SchemaSourceInterface that looks up schemas in LibTorch's
/// dispatcher if fx-mlir does not know them. It is active if LibTorch is loaded
/// in the process or if FX_OPERATOR_LIBRARIES is set.
void registerTorchSchemas(mlir::DialectRegistry &registry);

/// Attaches a ConstantEvaluatorInterface that runs graphs by `loadInterpreter`.
/// Its evaluation fails if LibTorch is missing.
void registerConstantEvaluator(mlir::DialectRegistry &registry);

} // namespace fx

#endif // FX_INTERPRETER_INTERPRETER_H
