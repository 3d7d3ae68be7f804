//===- Schedules.cpp - how kernels are computed ---------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Kernels/IR/KernelDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fx::kernel;

#include "fx/Kernels/IR/KernelAttrInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "fx/Kernels/IR/KernelAttrs.cpp.inc"

void FXKernelDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "fx/Kernels/IR/KernelAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

using ParameterFn = llvm::function_ref<void(StringRef, Attribute)>;
using Parameter = std::pair<StringRef, int64_t>;

static void walkNumbers(MLIRContext *ctx, ArrayRef<Parameter> parameters,
                        ParameterFn fn) {
  Builder b(ctx);
  for (auto [name, value] : parameters)
    fn(name, b.getI64IntegerAttr(value));
}

void ContractionAttr::walkParameters(ParameterFn fn) const {
  walkNumbers(getContext(),
              {{"rows", getRows()},
               {"vectors", getVectors()},
               {"row_block", getRowBlock()}},
              fn);
  if (getRowsFirst())
    fn("rows_first", UnitAttr::get(getContext()));
  if (getPrefetch())
    walkNumbers(getContext(), {{"prefetch", getPrefetch()}}, fn);
  if (getTiles())
    fn("tiles", UnitAttr::get(getContext()));
  if (getTerms())
    walkNumbers(getContext(), {{"terms", getTerms()}}, fn);
}
void RowsAttr::walkParameters(ParameterFn fn) const {
  if (getUnroll())
    walkNumbers(getContext(), {{"unroll", getUnroll()}}, fn);
}
void WindowAttr::walkParameters(ParameterFn fn) const {
  if (getUnroll())
    walkNumbers(getContext(), {{"unroll", getUnroll()}}, fn);
}
void WinogradAttr::walkParameters(ParameterFn fn) const {
  walkNumbers(getContext(),
              {{"tile", getTile()},
               {"block", getBlock()},
               {"groups", getGroups()},
               {"rows", getRows()},
               {"vectors", getVectors()}},
              fn);
}
void AttentionAttr::walkParameters(ParameterFn fn) const {
  if (getParts() != 1)
    walkNumbers(getContext(), {{"parts", getParts()}}, fn);
  if (getWarpgroups())
    walkNumbers(getContext(),
                {{"warpgroups", getWarpgroups()},
                 {"keys", getKeys()},
                 {"turns", getTurns()}},
                fn);
}
void MatMulAttr::walkParameters(ParameterFn fn) const {
  walkNumbers(getContext(),
              {{"m", getM()},
               {"n", getN()},
               {"k", getK()},
               {"thread_m", getThreadM()},
               {"thread_n", getThreadN()}},
              fn);
}
void GemvAttr::walkParameters(ParameterFn fn) const {
  walkNumbers(getContext(),
              {{"width", getWidth()},
               {"columns", getColumns()},
               {"unroll", getUnroll()},
               {"warps", getWarps()}},
              fn);
  if (getAlongK())
    fn("along_k", UnitAttr::get(getContext()));
}
void TensorCoreAttr::walkParameters(ParameterFn fn) const {
  walkNumbers(getContext(),
              {{"m", getM()},
               {"n", getN()},
               {"k", getK()},
               {"warps_m", getWarpsM()},
               {"warps_n", getWarpsN()},
               {"stages", getStages()}},
              fn);
  if (getParts() != 1)
    walkNumbers(getContext(), {{"parts", getParts()}}, fn);
}
void MatrixCoreAttr::walkParameters(ParameterFn fn) const {
  walkNumbers(getContext(),
              {{"m", getM()},
               {"n", getN()},
               {"k", getK()},
               {"waves_m", getWavesM()},
               {"waves_n", getWavesN()}},
              fn);
  if (getParts() != 1)
    walkNumbers(getContext(), {{"parts", getParts()}}, fn);
}
void WarpgroupAttr::walkParameters(ParameterFn fn) const {
  walkNumbers(getContext(),
              {{"columns", getColumns()}, {"stages", getStages()}}, fn);
  // Numbers before one that is not the default are printed, too.
  bool hasCluster = getCluster() != 1;
  bool hasWarpgroups = getWarpgroups() != 2 || hasCluster;
  if (getParts() != 1 || hasWarpgroups)
    walkNumbers(getContext(), {{"parts", getParts()}}, fn);
  if (hasWarpgroups)
    walkNumbers(getContext(), {{"warpgroups", getWarpgroups()}}, fn);
  if (hasCluster)
    walkNumbers(getContext(), {{"cluster", getCluster()}}, fn);
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// Maximum number of vectors of a register tile: more do not fit into any
/// register file.
static constexpr int64_t kMaxTileVectors = 64;
/// Maximum of each parameter of a tile on a GPU.
static constexpr int64_t kMaxTile = 4096;

using EmitErrorFn = llvm::function_ref<InFlightDiagnostic()>;

static LogicalResult verifyRange(EmitErrorFn emitError, Parameter parameter,
                                 int64_t least, int64_t most) {
  auto [name, value] = parameter;
  if (value >= least && value <= most)
    return success();
  return emitError() << name << ": expected " << least << " to " << most
                     << ", got " << value;
}

LogicalResult ContractionAttr::verify(EmitErrorFn emitError, int64_t rows,
                                      int64_t vectors, int64_t rowBlock,
                                      bool rowsFirst, int64_t prefetch,
                                      bool tiles, int64_t terms) {
  for (Parameter parameter : {Parameter("rows", rows), {"vectors", vectors}})
    if (failed(verifyRange(emitError, parameter, 1, kMaxTileVectors)))
      return failure();
  if (tiles && rows != 16 && rows != 32)
    return emitError() << "rows: expected 16 or 32 for tiles, got " << rows;
  if (tiles && prefetch)
    return emitError() << "prefetch: expected 0 for tiles, got " << prefetch;
  if (tiles && terms)
    return emitError() << "terms: expected 0 for tiles, got " << terms;
  if (!tiles && rows * vectors > kMaxTileVectors)
    return emitError() << "expected rows * vectors up to " << kMaxTileVectors
                       << ", got " << rows * vectors;
  for (Parameter parameter : {Parameter("row_block", rowBlock),
                              {"prefetch", prefetch},
                              {"terms", terms}})
    if (failed(verifyRange(emitError, parameter, 0,
                           std::numeric_limits<int64_t>::max())))
      return failure();
  return success();
}

LogicalResult RowsAttr::verify(EmitErrorFn emitError, int64_t unroll) {
  return verifyRange(emitError, {"unroll", unroll}, 0, kMaxTileVectors);
}

LogicalResult WindowAttr::verify(EmitErrorFn emitError, int64_t unroll) {
  return verifyRange(emitError, {"unroll", unroll}, 0, kMaxTileVectors);
}

LogicalResult WinogradAttr::verify(EmitErrorFn emitError, int64_t tile,
                                   int64_t block, int64_t groups, int64_t rows,
                                   int64_t vectors) {
  if (tile != 2 && tile != 4)
    return emitError() << "tile: expected 2 or 4, got " << tile;
  for (Parameter parameter : {Parameter("block", block), {"groups", groups}})
    if (failed(verifyRange(emitError, parameter, 1, kMaxTile)))
      return failure();
  for (Parameter parameter : {Parameter("rows", rows), {"vectors", vectors}})
    if (failed(verifyRange(emitError, parameter, 1, kMaxTileVectors)))
      return failure();
  return success();
}

static LogicalResult verifyTiles(EmitErrorFn emitError,
                                 ArrayRef<Parameter> tiles) {
  for (Parameter parameter : tiles)
    if (failed(verifyRange(emitError, parameter, 0, kMaxTile)))
      return failure();
  return success();
}

LogicalResult AttentionAttr::verify(EmitErrorFn emitError, int64_t parts,
                                    int64_t warpgroups, int64_t keys, bool) {
  return verifyTiles(
      emitError,
      {{"parts", parts}, {"warpgroups", warpgroups}, {"keys", keys}});
}

LogicalResult MatMulAttr::verify(EmitErrorFn emitError, int64_t m, int64_t n,
                                 int64_t k, int64_t threadM, int64_t threadN) {
  return verifyTiles(emitError, {{"m", m},
                                 {"n", n},
                                 {"k", k},
                                 {"thread_m", threadM},
                                 {"thread_n", threadN}});
}

LogicalResult GemvAttr::verify(EmitErrorFn emitError, int64_t width,
                               int64_t columns, int64_t unroll, int64_t warps,
                               bool) {
  return verifyTiles(emitError, {{"width", width},
                                 {"columns", columns},
                                 {"unroll", unroll},
                                 {"warps", warps}});
}

LogicalResult TensorCoreAttr::verify(EmitErrorFn emitError, int64_t m,
                                     int64_t n, int64_t k, int64_t warpsM,
                                     int64_t warpsN, int64_t stages,
                                     int64_t parts) {
  return verifyTiles(emitError, {{"m", m},
                                 {"n", n},
                                 {"k", k},
                                 {"warps_m", warpsM},
                                 {"warps_n", warpsN},
                                 {"stages", stages},
                                 {"parts", parts}});
}

LogicalResult MatrixCoreAttr::verify(EmitErrorFn emitError, int64_t m,
                                     int64_t n, int64_t k, int64_t wavesM,
                                     int64_t wavesN, int64_t parts) {
  return verifyTiles(emitError, {{"m", m},
                                 {"n", n},
                                 {"k", k},
                                 {"waves_m", wavesM},
                                 {"waves_n", wavesN},
                                 {"parts", parts}});
}

LogicalResult WarpgroupAttr::verify(EmitErrorFn emitError, int64_t columns,
                                    int64_t stages, int64_t parts,
                                    int64_t warpgroups, int64_t cluster) {
  return verifyTiles(emitError, {{"columns", columns},
                                 {"stages", stages},
                                 {"parts", parts},
                                 {"warpgroups", warpgroups},
                                 {"cluster", cluster}});
}

//===----------------------------------------------------------------------===//
// Tuned schedules
//===----------------------------------------------------------------------===//

LogicalResult TunedScheduleOp::verify() {
  auto isHex = [](StringRef text) {
    return !text.empty() && llvm::all_of(text, llvm::isHexDigit);
  };
  if (!isHex(getSignature()))
    return emitOpError("expected hexadecimal digits as the signature, got '")
           << getSignature() << "'";
  if (!isHex(getFeatures()))
    return emitOpError("expected hexadecimal digits as the features, got '")
           << getFeatures() << "'";
  int64_t threads = static_cast<int64_t>(getThreads());
  if (threads < 0)
    return emitOpError("expected 0 or more threads, got ") << threads;
  if (!isa<ScheduleAttrInterface>(getSchedule()))
    return emitOpError("expected a schedule of a kernel, got ")
           << getSchedule();
  return success();
}

LogicalResult
FXKernelDialect::verifyOperationAttribute(Operation *op,
                                          NamedAttribute attribute) {
  StringRef name = attribute.getName();
  Attribute value = attribute.getValue();
  auto fail = [&](const char *expected) {
    return op->emitOpError()
           << name << ": expected " << expected << ", got " << value;
  };
  if (name == kScheduleAttr)
    return isa<ScheduleAttrInterface>(value) ? success()
                                             : fail("a schedule of a kernel");
  if (name == kProblemAttr)
    return isa<ProblemAttr>(value) ? success() : fail("#fx_kernel.problem");
  if (name == kTilesAttr) {
    auto array = dyn_cast<ArrayAttr>(value);
    bool isRight =
        array && llvm::all_of(array, llvm::IsaPred<ScheduleAttrInterface>);
    return isRight ? success() : fail("an array of schedules");
  }
  if (name == kStridedAttr)
    return isa<DenseI64ArrayAttr>(value) ? success() : fail("an array of i64");
  if (name == kTunedAttr || name == kNonpositiveAttr || name == kBF16Attr ||
      name == kInt8Attr || name == kFloat8Attr || name == kFastSumsAttr)
    return isa<UnitAttr>(value) ? success() : fail("a unit attribute");
  if (name == kVariantsAttr) {
    auto array = dyn_cast<ArrayAttr>(value);
    bool isRight =
        array && llvm::all_of(array, llvm::IsaPred<FlatSymbolRefAttr>);
    return isRight ? success() : fail("an array of symbols");
  }
  if (name == kTuningVersionAttr) {
    auto version = dyn_cast<IntegerAttr>(value);
    return version && version.getValue() == kTuningVersion
               ? success()
               : fail("the version 1");
  }
  return op->emitOpError() << "unknown attribute '" << name
                           << "' of the dialect fx_kernel";
}
