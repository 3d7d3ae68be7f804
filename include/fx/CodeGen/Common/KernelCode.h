//===- KernelCode.h - emission of kernels on memrefs ------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel function on tensors is a small graph of linalg ops. Its code is
// emitted on demand: to store a vector of an output, the tensor is evaluated
// at the coordinates of that vector, which evaluates the operands of the op
// that defines it, down to loads from the kernel's arguments. Roots (the
// accumulators of a contraction, the result of a reduction) are given as known
// values. One-dimensional vectors only; one dimension varies by lane.
//
//===----------------------------------------------------------------------===//

#ifndef FX_CODEGEN_COMMON_KERNELCODE_H
#define FX_CODEGEN_COMMON_KERNELCODE_H

#include "fx/Kernels/TargetInfo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <map>
#include <optional>

namespace fx::kernel {
class LoopLabels;
} // namespace fx::kernel

namespace fx::codegen {

/// `value` (none: 0) + `constant`, of type index.
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

/// `constant` times `value` (none: 1).
struct Stride {
  int64_t constant = 0;
  mlir::Value value;
  bool isStatic(int64_t c) const { return !value && constant == c; }
};

/// One coordinate of an element, or of a vector of elements if `lane`: then
/// lane i is at `base` + i.
struct Coord {
  Index base;
  bool lane = false;
};
using Coords = llvm::SmallVector<Coord, 6>;

/// Where a tensor lies: element c is at flat[sum of c_i * strides_i].
struct Buffer {
  mlir::Value flat;
  llvm::SmallVector<Stride, 6> strides;
  mlir::Type element; // of the tensor; i1 is stored as i8
};

/// Values known in a block. A scope belongs to the body of `loop`; without one
/// it is a part of its parent's block.
struct Scope {
  Scope *parent = nullptr;
  mlir::Operation *loop = nullptr;
  /// Elements that exist only within: nothing is computed further out.
  bool isGuarded = false;
  /// Tensors of which elements were given: what depends on them stays here.
  llvm::SmallPtrSet<void *, 4> given;
  using Key = std::pair<void *, std::vector<std::pair<void *, int64_t>>>;
  std::map<Key, mlir::Value> known;
};

/// Emits one kernel. `failed` is set, with the reason, when something has no
/// code; what is built after that is thrown away.
class KernelCode {
public:
  KernelCode(mlir::func::FuncOp source, const kernel::TargetInfo &machine);

  mlir::func::FuncOp source; ///< the function on tensors
  mlir::func::FuncOp target; ///< the new function on memrefs
  mlir::OpBuilder b;
  mlir::Location loc;
  kernel::TargetInfo machine;
  int64_t lanes; ///< of `machine`
  /// The lanes in use, a vector of i1, or none if all are.
  mlir::Value mask;
  std::string error;

  bool failed() const { return !error.empty(); }
  void fail(const llvm::Twine &why) {
    if (error.empty())
      error = why.str();
  }

  /// Values that the function returns, and the argument each is stored to.
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
  /// floor(a / c), ceil(a / c) for a >= 0.
  Index floorDiv(const Index &a, int64_t c);
  Index ceilDiv(const Index &a, int64_t c);
  Index min(const Index &a, const Index &b);

  //===--- tensors -------------------------------------------------------===//
  Index size(mlir::Value tensor, int64_t dim);
  Index loopSize(mlir::linalg::LinalgOp op, unsigned loop);
  /// The memory of `tensor`, an argument or a view of one; null if it has none.
  const Buffer *buffer(mlir::Value tensor);
  /// Gives `tensor` a memory: from now on it is loaded from there.
  void setBuffer(mlir::Value tensor, Buffer buffer);
  /// The value of a number that the source function holds.
  mlir::Value scalar(mlir::Value value);

  //===--- elements ------------------------------------------------------===//
  /// The element, or vector of elements, of `tensor` at `coords`: a number or
  /// a vector of `lanes` numbers.
  mlir::Value eval(Scope &scope, mlir::Value tensor,
                   llvm::ArrayRef<Coord> coords);
  /// Says that `tensor` at `coords` is `value` in `scope` and within.
  void know(Scope &scope, mlir::Value tensor, llvm::ArrayRef<Coord> coords,
            mlir::Value value);
  mlir::Value load(const Buffer &buffer, llvm::ArrayRef<Coord> coords);
  void store(const Buffer &buffer, llvm::ArrayRef<Coord> coords,
             mlir::Value value);
  /// Evaluates the value that the body of `op` yields or computes as
  /// `result`, where loop i is at `loops[i]`.
  mlir::Value evalBody(Scope &scope, mlir::linalg::GenericOp op,
                       mlir::Value result, llvm::ArrayRef<Coord> loops);
  mlir::VectorType vectorType(mlir::Type element);
  mlir::Value splat(mlir::Value v);
  mlir::Value splatConstant(mlir::TypedAttr element);
  /// The lanes below `count`.
  mlir::Value maskBelow(const Index &count);

  //===--- loops ---------------------------------------------------------===//
  /// A sequential loop; its body is empty and the builder stands in it.
  /// `finish` it with the values carried.
  mlir::scf::ForOp beginFor(Scope &outer, Scope &inner, const Index &from,
                            const Index &to, int64_t step,
                            mlir::ValueRange carried = {});
  void endFor(mlir::scf::ForOp loop, mlir::ValueRange carried = {});
  /// Loops over the reduced ones of `op`, which set their places `at` and
  /// carry `acc`: `body` takes and leaves there the values of one step. Returns
  /// those of the last.
  llvm::SmallVector<mlir::Value> forReduction(
      Scope &outer, mlir::linalg::LinalgOp op, llvm::MutableArrayRef<Index> at,
      mlir::ValueRange acc,
      llvm::function_ref<void(Scope &, llvm::MutableArrayRef<mlir::Value>)>
          body);
  /// An scf.forall over `sizes`; no loop at all if there are none. The builder
  /// stands in the body; `endForall` leaves it. `work` is about how many
  /// elements an iteration computes (0: unknown): few are no thread's worth.
  mlir::Operation *beginForall(Scope &outer, Scope &inner,
                               llvm::ArrayRef<Index> sizes,
                               llvm::SmallVectorImpl<Index> &ivs,
                               int64_t work = 0);
  void endForall(mlir::Operation *forall);
  /// Runs `body(scope, at)` for vectors from `from` to `to`: full ones in a
  /// loop, the rest masked.
  void forVectors(Scope &outer, const Index &from, const Index &to,
                  llvm::function_ref<void(Scope &, const Index &)> body);

private:
  mlir::Value evalGeneric(Scope &scope, mlir::linalg::GenericOp op,
                          unsigned result, llvm::ArrayRef<Coord> coords);
  mlir::Value compute(Scope &scope, mlir::Value tensor,
                      llvm::ArrayRef<Coord> coords);
  mlir::Value evalPad(Scope &scope, mlir::tensor::PadOp op,
                      llvm::ArrayRef<Coord> coords);
  mlir::Value
  evalExtract(Scope &scope, mlir::tensor::ExtractOp op,
              llvm::function_ref<mlir::Value(mlir::Value)> get,
              llvm::function_ref<std::optional<Coord>(mlir::Value)> linear,
              llvm::function_ref<std::optional<Index>(mlir::Value)> falling);
  /// Evaluates values of one body at one place.
  struct BodyEvaluator;
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

/// The coordinate of an indexing expression over loop coordinates; none if it
/// has no such form.
std::optional<Coord> applyExpr(KernelCode &code, mlir::AffineExpr expr,
                               llvm::ArrayRef<Coord> loops);

/// The ops of a pointwise kernel, and which dimension of the first output each
/// of their loops is; none if an output is not a generic op's, or not every
/// loop is a dimension.
std::optional<kernel::LoopLabels>
labelOutput(KernelCode &code, llvm::SmallVectorImpl<mlir::Operation *> &ops);

/// How many trailing dimensions of a pointwise kernel's first output can be
/// walked as one: they lie together in all operands. 0 if it has none.
int64_t countMergedDims(KernelCode &code);

//===----------------------------------------------------------------------===//
} // namespace fx::codegen

#endif // FX_CODEGEN_COMMON_KERNELCODE_H
