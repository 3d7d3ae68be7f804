//===- NodeLowering.h - the lowering of a node ------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CONVERSION_FXTOLINALG_NODELOWERING_H
#define FX_CONVERSION_FXTOLINALG_NODELOWERING_H

#include "Builder.h"

#include "fx/Operators/View.h"

#include "llvm/ADT/StringSet.h"

namespace fx::lin {

class GraphLowering;

/// A node whose lowering is being built: its arguments as lowered values, its
/// results, and a sticky failure. An accessor that fails records the reason and
/// returns a placeholder value. A lowering reads its arguments first and then
/// checks `failed()` once.
class NodeLowering {
public:
  NodeLowering(GraphLowering &graph, NodeOpInterface op, Builder &b);

  GraphLowering &graph;
  NodeOpInterface op;
  /// Null if the operator has no schema.
  OperatorView view;
  Builder &b;

  llvm::StringRef target() { return op.getTargetName(); }
  mlir::MLIRContext *context() { return op->getContext(); }

  //===--- arguments, by the names of the schema -------------------------===//
  // An argument that was left out has the schema's default. `otherwise` is the
  // value if the argument is None or the operator has no such argument; without
  // it, these cases fail.
  Argument arg(ArgName name) const {
    return view ? view.getArg(name) : Argument();
  }
  /// Returns true if the argument has a value, given or default, that is not
  /// None.
  bool has(ArgName name) const { return !arg(name).isNone(); }
  /// Returns the first of `names` that the operator declares. They are names of
  /// one argument in different schemas.
  ArgName oneOf(std::initializer_list<ArgName> names);
  Tensor tensor(ArgName name) { return asTensor(arg(name)); }
  std::optional<Tensor> optionalTensor(ArgName name);
  llvm::SmallVector<Tensor> tensors(ArgName name);
  bool boolean(ArgName name, std::optional<bool> otherwise = std::nullopt);
  /// Returns an integer; fails unless it is known at compile time.
  int64_t integer(ArgName name,
                  std::optional<int64_t> otherwise = std::nullopt);
  double real(ArgName name, std::optional<double> otherwise = std::nullopt);
  llvm::StringRef
  string(ArgName name, std::optional<llvm::StringRef> otherwise = std::nullopt);
  mlir::Type dtype(ArgName name, mlir::Type otherwise);
  /// Returns a dimension of a tensor of `rank`, wrapped to [0, rank).
  int64_t dim(ArgName name, int64_t rank,
              std::optional<int64_t> otherwise = std::nullopt);
  /// Returns dimensions, wrapped. With `emptyIsAll`, None or an empty list
  /// means all dimensions.
  llvm::SmallVector<int64_t> dims(ArgName name, int64_t rank,
                                  bool emptyIsAll = true);
  /// Returns a list of `count` integers (any number if `count` is 0). A single
  /// integer is repeated.
  llvm::SmallVector<int64_t>
  integers(ArgName name, unsigned count,
           std::optional<int64_t> otherwise = std::nullopt);
  /// Returns a size, static or symbolic.
  ExprAttr size(ArgName name, std::optional<int64_t> otherwise = std::nullopt);
  Sizes sizes(ArgName name);
  /// Returns a Python number, immediate or symbolic.
  Number number(ArgName name, std::optional<double> otherwise = std::nullopt);

  Tensor asTensor(const Argument &argument);
  Number asNumber(const Argument &argument);
  ExprAttr asSize(const Argument &argument);
  bool isTensor(const Argument &argument) const;

  //===--- positions in a dimension of `size` ----------------------------===//
  /// Returns the position `at`, counted from the end if it is negative.
  ExprAttr wrapPosition(ExprAttr at, ExprAttr size);
  /// Returns the position `at` as slicing interprets it: counted from the end
  /// if negative, then clamped to [0, size].
  ExprAttr clampPosition(ExprAttr at, ExprAttr size);
  /// Checks that 0 <= first and last < size: now if that is known, else by an
  /// assertion at run time. `last` is null if it overflows.
  mlir::LogicalResult checkInside(ExprAttr first, ExprAttr last, ExprAttr size,
                                  llvm::StringRef message);

  //===--- results -------------------------------------------------------===//
  unsigned numResults() { return op->getNumResults(); }
  bool isUsed(unsigned i) { return !op->getResult(i).use_empty(); }
  /// Returns the result's fx type; null if the result is no tensor. While a
  /// complex tensor is lowered by parts, the dtype is that of a part.
  FakeTensorType resultType(unsigned i = 0);
  mlir::Type resultDtype(unsigned i = 0);
  llvm::ArrayRef<ExprAttr> resultSizes(unsigned i = 0);
  /// Sets a result. Fails if the rank of `t` is not the type's or a size is
  /// provably different. Casts `t` to the type's dtype and gives it the type's
  /// sizes.
  mlir::LogicalResult set(unsigned i, Tensor t);
  mlir::LogicalResult set(unsigned i, Number n);
  mlir::LogicalResult result(Tensor t) { return set(0, std::move(t)); }

  /// Sets result `i` to one `linalg.generic` over the result's sizes. For
  /// `compute` and `from`, see Builder::pointwise.
  mlir::LogicalResult pointwise(unsigned i, llvm::ArrayRef<Tensor> operands,
                                mlir::Type compute, ScalarFn fn,
                                mlir::Type from = mlir::Type());
  /// Returns true if `t` broadcasts to `sizes`; records a failure otherwise.
  bool broadcasts(const Tensor &t, llvm::ArrayRef<ExprAttr> sizes);

  //===--- failure -------------------------------------------------------===//
  /// Records why the node has no lowering; the first reason is kept.
  mlir::LogicalResult fail(const llvm::Twine &reason);
  bool failed() const { return !reason.empty(); }
  std::string reason;

private:
  /// Returns a number. While complex tensors are lowered by parts, returns the
  /// part of a number that goes into the elements (`isElementArgument`); the
  /// imaginary part of a real number is 0.
  Number asPart(const Argument &argument, llvm::StringRef name);
  /// Records that an argument without a value was read.
  void failToRead(ArgName name);
};

using LowerFn = mlir::LogicalResult (*)(NodeLowering &);

/// The lowerings by target. Each file of lowerings registers its own.
class Registry {
public:
  static const Registry &get();
  LowerFn lookup(llvm::StringRef target) const { return table.lookup(target); }
  /// Returns the lowering for complex operands or results; null if there is
  /// none.
  LowerFn lookupComplex(llvm::StringRef target) const {
    return complexTable.lookup(target);
  }
  void addComplex(llvm::StringRef target, LowerFn fn) {
    addTo(complexTable, target, fn);
  }
  void addComplex(llvm::ArrayRef<llvm::StringRef> targets, LowerFn fn) {
    for (llvm::StringRef target : targets)
      addComplex(target, fn);
  }
  void add(llvm::StringRef target, LowerFn fn) { addTo(table, target, fn); }
  void add(llvm::ArrayRef<llvm::StringRef> targets, LowerFn fn) {
    for (llvm::StringRef target : targets)
      add(target, fn);
  }
  /// Adds lowerings of operators with data-dependent shapes. They bind the
  /// symbols in the sizes of their results.
  void addCounting(llvm::ArrayRef<llvm::StringRef> targets, LowerFn fn) {
    add(targets, fn);
    for (llvm::StringRef target : targets)
      counting.insert(target);
  }
  bool countsElements(llvm::StringRef target) const {
    return counting.contains(target);
  }
  /// Adds lowerings that take tensors of eight-bit floats, too, which they move
  /// or convert. Other lowerings never see such tensors.
  void addWithFloat8(llvm::ArrayRef<llvm::StringRef> targets, LowerFn fn) {
    add(targets, fn);
    takeFloat8(targets);
  }
  /// Says that operators whose lowerings were added take such tensors.
  void takeFloat8(llvm::ArrayRef<llvm::StringRef> targets) {
    for (llvm::StringRef target : targets)
      float8.insert(target);
  }
  bool takesFloat8(llvm::StringRef target) const {
    return float8.contains(target);
  }
  const llvm::StringMap<LowerFn> &all() const { return table; }

private:
  Registry();
  /// Reports a fatal error if no schema declares the operator, since a lowering
  /// could not read its arguments.
  static void addTo(llvm::StringMap<LowerFn> &table, llvm::StringRef target,
                    LowerFn fn);
  llvm::StringMap<LowerFn> table, complexTable;
  llvm::StringSet<> counting, float8;
};

void registerActivations(Registry &);
void registerAdaptivePooling(Registry &);
void registerAntialias(Registry &);
void registerArithmetic(Registry &);
void registerAttention(Registry &);
void registerBessel(Registry &);
void registerCholesky(Registry &);
void registerCombinations(Registry &);
void registerComplex(Registry &);
void registerControlFlow(Registry &);
void registerConvolutions(Registry &);
void registerCopies(Registry &);
void registerDataDependent(Registry &);
void registerEmbeddings(Registry &);
void registerFactories(Registry &);
void registerFactorizations(Registry &);
void registerFactorSolvers(Registry &);
void registerFloat8(Registry &);
void registerFourier(Registry &);
void registerGradient(Registry &);
void registerHistograms(Registry &);
void registerHouseholder(Registry &);
void registerIncompleteGamma(Registry &);
void registerIndexing(Registry &);
void registerLoops(Registry &);
void registerLosses(Registry &);
void registerMarginLosses(Registry &);
void registerMatMuls(Registry &);
void registerMatrixExponential(Registry &);
void registerNormalizations(Registry &);
void registerNorms(Registry &);
void registerPadding(Registry &);
void registerPointwise(Registry &);
void registerPolynomials(Registry &);
void registerPooling(Registry &);
void registerProducts(Registry &);
void registerQuantization(Registry &);
void registerRandom(Registry &);
void registerRearrangements(Registry &);
void registerRecurrent(Registry &);
void registerReductions(Registry &);
void registerResampling(Registry &);
void registerScans(Registry &);
void registerScatter(Registry &);
void registerScatterElements(Registry &);
void registerSegments(Registry &);
void registerShortTime(Registry &);
void registerSingularValues(Registry &);
void registerSorting(Registry &);
void registerSpecial(Registry &);
void registerStrided(Registry &);
void registerSymbolic(Registry &);
void registerViews(Registry &);
void registerWindows(Registry &);

/// Returns the dtype to which PyTorch's type promotion converts the operands of
/// a comparison or a bitwise operator. Requires at least one tensor.
mlir::Type promote(llvm::ArrayRef<Tensor> tensors,
                   llvm::ArrayRef<Number> numbers);

} // namespace fx::lin

#endif // FX_CONVERSION_FXTOLINALG_NODELOWERING_H
