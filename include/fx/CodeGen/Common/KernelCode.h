//===- KernelCode.h - emission of kernels on memrefs ------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel function on tensors is a small graph of linalg ops. Its code is
// emitted on demand. To store a vector of an output, the tensor is evaluated
// at the coordinates of this vector. This recursively evaluates the operands of
// the op that defines the tensor, down to loads from the kernel's arguments.
// Emitters provide the values of roots, such as the accumulators of a
// contraction or the result of a reduction, by `KernelCode::know`. All vectors
// are one-dimensional: one coordinate varies by lane.
//
//===----------------------------------------------------------------------===//

#ifndef FX_CODEGEN_COMMON_KERNELCODE_H
#define FX_CODEGEN_COMMON_KERNELCODE_H

#include "fx/Kernels/TargetInfo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <functional>
#include <map>
#include <optional>

namespace fx::kernel {
class LoopLabels;
class UnpackOp;
} // namespace fx::kernel

namespace fx::codegen {

/// The sum `value` + `constant` of type index; a null value is 0.
struct Index {
  mlir::Value value;
  int64_t constant = 0;
  Index() = default;
  Index(mlir::Value value, int64_t constant = 0)
      : value(value), constant(constant) {}
  static Index of(int64_t constant) { return Index(mlir::Value(), constant); }
  bool isStatic() const { return !value; }
  bool operator==(const Index &o) const {
    return value == o.value && constant == o.constant;
  }
};

/// The product `constant` * `value`; a null value is 1.
struct Stride {
  int64_t constant = 0;
  mlir::Value value;
  bool isStatic(int64_t c) const { return !value && constant == c; }
};

/// One coordinate of an element or of a vector of elements. The coordinate of
/// lane i is `base` + i * `lane`. If `lane` is 0, it is the same in all lanes.
struct Coord {
  Index base;
  int64_t lane = 0;
};
using Coords = llvm::SmallVector<Coord, 6>;

/// The memory of a tensor: element c is flat[sum of c_i * strides_i].
struct Buffer {
  mlir::Value flat;
  llvm::SmallVector<Stride, 6> strides;
  mlir::Type element; ///< of the tensor; i1 is stored as i8
};

/// The values that are known in a block. A scope is the body of `loop`; without
/// a loop it is a part of its parent's block.
struct Scope {
  Scope *parent = nullptr;
  mlir::Operation *loop = nullptr;
  /// Forbids hoisting to the parent, because elements that are evaluated in
  /// this scope may not exist outside.
  bool isGuarded = false;
  /// The tensors of which elements are given by `know`. Values that depend on
  /// them are not hoisted to the parent.
  llvm::SmallPtrSet<void *, 4> given;
  /// A tensor and its coordinates.
  using Key = std::pair<void *, std::vector<std::pair<void *, int64_t>>>;
  std::map<Key, mlir::Value> known;
};

/// Emits one kernel. If some op cannot be emitted, `error` is the reason and
/// the code is discarded.
class KernelCode {
public:
  KernelCode(mlir::func::FuncOp source, const kernel::TargetInfo &machine);

  mlir::func::FuncOp source; ///< the function on tensors
  mlir::func::FuncOp target; ///< the new function on memrefs
  mlir::OpBuilder b;
  mlir::Location loc;
  kernel::TargetInfo machine;
  int64_t lanes; ///< the number of lanes of `machine`
  /// The active lanes as a vector of i1; null if all are active.
  mlir::Value mask;
  std::string error;

  bool failed() const { return !error.empty(); }
  void fail(const llvm::Twine &why) {
    if (error.empty())
      error = why.str();
  }

  /// The values that the function returns, and the arguments to which they are
  /// stored.
  unsigned numOutputs();
  mlir::Value output(unsigned i);
  mlir::BlockArgument outputArg(unsigned i);

  //===--- indices -------------------------------------------------------===//
  mlir::Value constant(int64_t c);
  mlir::Value materialize(const Index &i);
  Index add(const Index &a, const Index &b);
  Index sub(const Index &a, const Index &b);
  Index mul(const Index &a, const Stride &s);
  Index mul(const Index &a, const Index &c);
  Stride scale(const Stride &s, int64_t c);
  /// Computes floor(a / c), or ceil(a / c), for a >= 0.
  Index floorDiv(const Index &a, int64_t c);
  Index ceilDiv(const Index &a, int64_t c);
  Index min(const Index &a, const Index &b);

  //===--- tensors -------------------------------------------------------===//
  Index size(mlir::Value tensor, int64_t dim);
  Index loopSize(mlir::linalg::LinalgOp op, unsigned loop);
  /// Returns the memory of `tensor` if it is an argument, a view of one, or has
  /// a buffer by `setBuffer`; else null.
  const Buffer *buffer(mlir::Value tensor);
  /// Sets the memory of `tensor`. From now on its elements are loaded.
  void setBuffer(mlir::Value tensor, Buffer buffer);
  /// Adds an argument to the target function: memory that the kernel uses
  /// between its launches. Its callers pass tensors of the types in
  /// `workspaces` as further outputs.
  mlir::Value addWorkspace(int64_t elements, mlir::Type element);
  llvm::SmallVector<mlir::RankedTensorType> workspaces;
  /// Dimensions of padded tensors of which the next coordinates are all inside
  /// of the source (true), or all outside. If this does not hold for the whole
  /// kernel, whoever sets it evaluates in a scope that is guarded.
  llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, bool> padded;
  /// Returns the scalar of the target function for a scalar of the source
  /// function.
  mlir::Value scalar(mlir::Value value);

  //===--- elements ------------------------------------------------------===//
  /// Evaluates `tensor` at `coords`, in the outermost scope that has all its
  /// coordinates. Returns a scalar, or a vector of `lanes` elements if a
  /// coordinate varies by lane.
  mlir::Value eval(Scope &scope, mlir::Value tensor,
                   llvm::ArrayRef<Coord> coords);
  /// Sets the value of `tensor` at `coords` for `scope` and nested scopes.
  void know(Scope &scope, mlir::Value tensor, llvm::ArrayRef<Coord> coords,
            mlir::Value value);
  /// Adds a value that `eval` would also compute in `scope`. In contrast to
  /// `know`, values that depend on it may be hoisted.
  void remember(Scope &scope, mlir::Value tensor, llvm::ArrayRef<Coord> coords,
                mlir::Value value);
  /// If set, loads an element and may `remember` others that it loads with it.
  /// `home` is the scope of the loaded value. Returns null if `load` should
  /// load the element. A `tensor` that `fx_kernel.unpack` defines is given the
  /// memory of its source.
  std::function<mlir::Value(Scope &home, mlir::Value tensor, const Buffer &,
                            llvm::ArrayRef<Coord> coords)>
      loadRun;
  mlir::Value load(const Buffer &buffer, llvm::ArrayRef<Coord> coords);
  void store(const Buffer &buffer, llvm::ArrayRef<Coord> coords,
             mlir::Value value);
  /// Prefetches the cache line of an element, which will be read, into all
  /// caches; into the second level only if `isFarAhead`.
  void prefetch(const Buffer &buffer, llvm::ArrayRef<Coord> coords,
                bool isFarAhead = false);
  /// Evaluates `result`, a value of the body of `op`, in iteration `loops`.
  mlir::Value evalBody(Scope &scope, mlir::linalg::GenericOp op,
                       mlir::Value result, llvm::ArrayRef<Coord> loops);
  mlir::VectorType vectorType(mlir::Type element);
  mlir::Value splat(mlir::Value v);
  mlir::Value splatConstant(mlir::TypedAttr element);
  /// Returns a mask of the lanes below `count`.
  mlir::Value maskBelow(const Index &count);

  //===--- loops ---------------------------------------------------------===//
  /// Creates an scf.for with an empty body and the initial values `carried`,
  /// and sets the insertion point to its body.
  mlir::scf::ForOp beginFor(Scope &outer, Scope &inner, const Index &from,
                            const Index &to, int64_t step,
                            mlir::ValueRange carried = {});
  /// Ends the body of `loop`, which yields `carried`, and sets the insertion
  /// point behind the loop.
  void endFor(mlir::scf::ForOp loop, mlir::ValueRange carried = {});
  /// Creates loops for the reduction loops of `op`, with the initial values
  /// `acc`. `body` builds the body: it replaces the carried values by those of
  /// the next iteration. The elements of `at` for the reduction loops are set
  /// to the induction variables. Returns the final values.
  ///
  /// If `merge` is given, `acc` are neutral values, and long loops are divided
  /// into blocks that begin with them. `merge` combines the values of the
  /// blocks before with those of a block. Errors of sums then grow with the
  /// number of blocks and with that of the elements of a block, and not with
  /// their product. A dynamic loop counts as long.
  llvm::SmallVector<mlir::Value> forReduction(
      Scope &outer, mlir::linalg::LinalgOp op, llvm::MutableArrayRef<Index> at,
      mlir::ValueRange acc,
      llvm::function_ref<void(Scope &, llvm::MutableArrayRef<mlir::Value>)>
          body,
      llvm::function_ref<void(llvm::MutableArrayRef<mlir::Value>,
                              mlir::ValueRange)>
          merge = nullptr);
  /// Creates an scf.forall over `sizes` and sets the insertion point to its
  /// body, until `endForall`. Creates no loop and returns null if all sizes are
  /// 1. `ivs` are the indices of the iteration. `work` is the approximate
  /// number of elements that an iteration computes (0: unknown). It determines
  /// `fx.grain`, the least number of iterations for a thread.
  mlir::Operation *beginForall(Scope &outer, Scope &inner,
                               llvm::ArrayRef<Index> sizes,
                               llvm::SmallVectorImpl<Index> &ivs,
                               int64_t work = 0);
  void endForall(mlir::Operation *forall);
  /// Calls `body` to build the code of `region`, a branch of `op`, and ends it
  /// by a yield without values if `body` does not end it. What is evaluated
  /// there is not hoisted out of the branch, because it may not exist outside.
  /// Sets the insertion point behind `op`.
  void fillRegion(Scope &outer, mlir::Operation *op, mlir::Region &region,
                  llvm::function_ref<void(Scope &)> body);
  /// Calls `body(scope, at)` to build the code for the vectors from `from` to
  /// `to`: once in a loop over full vectors, once for the masked remainder. If
  /// `unroll` is more than 1, also in a loop over that many vectors at a time.
  void forVectors(Scope &outer, const Index &from, const Index &to,
                  llvm::function_ref<void(Scope &, const Index &)> body,
                  int64_t unroll = 1);

private:
  void addView(mlir::Value value);
  mlir::Value evalGeneric(Scope &scope, mlir::linalg::GenericOp op,
                          unsigned result, llvm::ArrayRef<Coord> coords);
  mlir::Value compute(Scope &scope, mlir::Value tensor,
                      llvm::ArrayRef<Coord> coords);
  mlir::Value evalPad(Scope &scope, mlir::tensor::PadOp op,
                      llvm::ArrayRef<Coord> coords);
  mlir::Value evalUnpack(Scope &scope, kernel::UnpackOp op,
                         llvm::ArrayRef<Coord> coords);
  mlir::Value
  evalExtract(Scope &scope, mlir::tensor::ExtractOp op,
              llvm::function_ref<mlir::Value(mlir::Value)> get,
              llvm::function_ref<std::optional<Coord>(mlir::Value)> linear,
              llvm::function_ref<std::optional<Index>(mlir::Value)> falling);
  /// Evaluates values of one body in one iteration.
  struct BodyEvaluator;
  /// Returns the vector of i * `step`, for lane i.
  mlir::Value laneSteps(int64_t step);
  bool canLoadApart(const Stride &stride) const;
  mlir::Value loadApart(mlir::VectorType type, mlir::Value flat,
                        mlir::Value offset, int64_t stride);
  Index linearize(const Buffer &buffer, llvm::ArrayRef<Coord> coords,
                  Stride &lane);
  Scope::Key key(mlir::Value tensor, llvm::ArrayRef<Coord> coords) const;
  const llvm::SmallPtrSet<void *, 8> &dependencies(mlir::Value tensor);

  llvm::DenseMap<mlir::Value, Buffer> buffers;
  llvm::DenseMap<mlir::Value, mlir::Value> scalars;
  llvm::DenseMap<mlir::Value, llvm::SmallPtrSet<void *, 8>> dependsOn;
  mlir::Block *entry = nullptr;
  mlir::Operation *prologueEnd = nullptr;
};

/// Evaluates an indexing expression at the loop coordinates `loops`. Returns
/// nullopt if the result is no Coord, for example if a lane is multiplied.
std::optional<Coord> applyExpr(KernelCode &code, mlir::AffineExpr expr,
                               llvm::ArrayRef<Coord> loops);

/// Labels the loops of a pointwise kernel by the dimensions of its first
/// output, and sets `ops` to its ops. Returns nullopt if a generic does not
/// define each output, or if a loop corresponds to no dimension.
std::optional<kernel::LoopLabels>
labelOutput(KernelCode &code, llvm::SmallVectorImpl<mlir::Operation *> &ops);

/// Returns the number of trailing dimensions of a pointwise kernel's first
/// output that can be merged into one loop, because they are adjacent in all
/// operands. Returns 0 if the output has rank 0.
int64_t countMergedDims(KernelCode &code);

} // namespace fx::codegen

#endif // FX_CODEGEN_COMMON_KERNELCODE_H
