//===- Node.h - a node in the course of lowering ----------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CONVERSION_FXTOLINALG_NODE_H
#define FX_CONVERSION_FXTOLINALG_NODE_H

#include "Builder.h"

#include "fx/Operators/View.h"

#include "llvm/ADT/StringSet.h"

namespace fx::lin {

class Graph;

/// A node whose lowering is being built: its arguments as lowered values, its
/// results, and a sticky failure. An accessor that fails notes why and gives a
/// harmless value; a lowering reads its arguments first and then asks
/// `failed()` once.
class Node {
public:
  Node(Graph &graph, NodeOpInterface op, Builder &b);

  Graph &graph;
  NodeOpInterface op;
  /// Null where the operator has no schema.
  OperatorView view;
  Builder &b;

  llvm::StringRef target() { return op.getTargetName(); }
  mlir::MLIRContext *context() { return op->getContext(); }

  //===--- arguments, by the names of the schema -------------------------===//
  // An argument that was left out has the schema's default. `otherwise` is what
  // an argument gives that is None, or that this operator does not have.
  Argument arg(ArgName name) const {
    return view ? view.getArg(name) : Argument();
  }
  /// Given, or with a default, and not None.
  bool has(ArgName name) const { return !arg(name).isNone(); }
  /// The one of `names` that this operator has; they mean the same.
  ArgName oneOf(std::initializer_list<ArgName> names);
  Tensor tensor(ArgName name) { return asTensor(arg(name)); }
  std::optional<Tensor> optionalTensor(ArgName name);
  llvm::SmallVector<Tensor> tensors(ArgName name);
  bool boolean(ArgName name, std::optional<bool> otherwise = std::nullopt);
  /// An integer known now.
  int64_t integer(ArgName name,
                  std::optional<int64_t> otherwise = std::nullopt);
  double real(ArgName name, std::optional<double> otherwise = std::nullopt);
  llvm::StringRef
  string(ArgName name, std::optional<llvm::StringRef> otherwise = std::nullopt);
  mlir::Type dtype(ArgName name, mlir::Type otherwise);
  /// A dimension of a tensor of `rank`, wrapped to [0, rank).
  int64_t dim(ArgName name, int64_t rank,
              std::optional<int64_t> otherwise = std::nullopt);
  /// Dimensions, wrapped; None or empty means all of them.
  llvm::SmallVector<int64_t> dims(ArgName name, int64_t rank,
                                  bool emptyIsAll = true);
  /// A list of `count` integers (0: of any length); one stands for all.
  llvm::SmallVector<int64_t>
  integers(ArgName name, unsigned count,
           std::optional<int64_t> otherwise = std::nullopt);
  /// A size: an integer or a symbolic one.
  ExprAttr size(ArgName name, std::optional<int64_t> otherwise = std::nullopt);
  Sizes sizes(ArgName name);
  /// A Python number, immediate or symbolic.
  Number number(ArgName name, std::optional<double> otherwise = std::nullopt);

  Tensor asTensor(const Argument &argument);
  Number asNumber(const Argument &argument);
  ExprAttr asSize(const Argument &argument);
  bool isTensor(const Argument &argument) const;

  //===--- results -------------------------------------------------------===//
  unsigned numResults() { return op->getNumResults(); }
  bool isUsed(unsigned i) { return !op->getResult(i).use_empty(); }
  /// The result's fx type; null where it is no tensor.
  FakeTensorType resultType(unsigned i = 0);
  mlir::Type resultDtype(unsigned i = 0);
  llvm::ArrayRef<ExprAttr> resultSizes(unsigned i = 0);
  /// Sets a result: the value must have the type's dtype and rank, and sizes
  /// that are not provably others; its sizes become the type's.
  mlir::LogicalResult set(unsigned i, Tensor t);
  mlir::LogicalResult set(unsigned i, Number n);
  mlir::LogicalResult result(Tensor t) { return set(0, std::move(t)); }

  /// Sets result `i` to one `linalg.generic` of its sizes and dtype.
  mlir::LogicalResult pointwise(unsigned i, llvm::ArrayRef<Tensor> operands,
                                mlir::Type compute, ScalarFn fn,
                                mlir::Type from = mlir::Type());
  /// Notes a failure unless `t` broadcasts to `sizes`.
  bool broadcasts(const Tensor &t, llvm::ArrayRef<ExprAttr> sizes);

  //===--- failure -------------------------------------------------------===//
  /// Notes why there is no lowering.
  mlir::LogicalResult fail(const llvm::Twine &reason);
  bool failed() const { return !reason.empty(); }
  std::string reason;

private:
  /// Where a complex tensor is lowered by parts: a number that its elements are
  /// made of has parts, too, and a real one the imaginary part 0.
  Number asPart(const Argument &argument, llvm::StringRef name);
  /// Notes that an argument without a value was read.
  void failToRead(ArgName name);
};

using LowerFn = mlir::LogicalResult (*)(Node &);

/// The lowerings by target. Each family adds its own.
class Registry {
public:
  static const Registry &get();
  LowerFn lookup(llvm::StringRef target) const { return table.lookup(target); }
  /// The lowering where operands or results are complex tensors; null if there
  /// is none.
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
  /// The same for lowerings that give the symbols of their results' sizes
  /// their values.
  void addCounting(llvm::ArrayRef<llvm::StringRef> targets, LowerFn fn) {
    add(targets, fn);
    for (llvm::StringRef target : targets)
      counting.insert(target);
  }
  bool countsElements(llvm::StringRef target) const {
    return counting.contains(target);
  }
  const llvm::StringMap<LowerFn> &all() const { return table; }

private:
  Registry();
  /// Ends the process where no schema has the operator: its arguments could not
  /// be read.
  static void addTo(llvm::StringMap<LowerFn> &table, llvm::StringRef target,
                    LowerFn fn);
  llvm::StringMap<LowerFn> table, complexTable;
  llvm::StringSet<> counting;
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

/// The dtype that torch's type promotion gives the operands of a comparison or
/// a bitwise operator.
mlir::Type promote(llvm::ArrayRef<Tensor> tensors,
                   llvm::ArrayRef<Number> numbers);

} // namespace fx::lin

#endif // FX_CONVERSION_FXTOLINALG_NODE_H
