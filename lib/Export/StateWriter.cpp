//===- StateWriter.cpp - states to the files of an archive ----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Encode.h"
#include "ProgramWriter.h"

using namespace mlir;
using namespace fx;

/// The use of a state in the graph's signature.
namespace {
struct StateUse {
  bool isParameter = false, isConstant = false;
};
} // namespace

static llvm::StringMap<StateUse> getUses(GraphOp graph) {
  llvm::StringMap<StateUse> uses;
  for (PlaceholderOp op : graph.getPlaceholders()) {
    FlatSymbolRefAttr target = op.getTargetAttr();
    if (!target)
      continue;
    StateUse &use = uses[target.getValue()];
    use.isParameter = op.getKind() == InputKind::Parameter;
    use.isConstant = !use.isParameter && (op.getKind() != InputKind::Buffer ||
                                          op.getNonPersistent());
  }
  return uses;
}

LogicalResult ProgramWriter::writeState(StateOp state, const Folder &folder,
                                        schema::PayloadMeta &meta, bool isNew) {
  if (auto tensor = dyn_cast<FakeTensorType>(state.getType())) {
    std::optional<schema::TensorMeta> tensorMeta =
        context.types.getMeta(tensor, state.getLoc());
    if (!tensorMeta)
      return failure();
    meta.tensor_meta = *tensorMeta;
  }
  if (!isNew)
    return success();
  std::string record = (folder.path + meta.path_name).str();
  if (auto pickled = state->getAttrOfType<ExternalAttr>("fx.pickled"))
    return add(record, pickled);
  Attribute init = state.getInitAttr();
  if (!init) {
    // The value was unknown when the program was exported. Torch writes no
    // bytes for such a state and reads zeros.
    if (isa<FakeTensorType>(state.getType()))
      return add(record, ArrayRef<char>());
    return emitError(state.getLoc())
           << "the value of state '" << state.getSymName() << "' is not known";
  }
  llvm::Expected<ArrayRef<char>> bytes = data.get(state);
  if (!bytes)
    return emitError(state.getLoc()) << llvm::toString(bytes.takeError());
  auto external = dyn_cast<ExternalAttr>(init);
  return add(record, *bytes,
             external ? std::optional(external.getCrc32()) : std::nullopt);
}

LogicalResult ProgramWriter::writeStates(GraphOp graph, const Folder &folder,
                                         llvm::StringMap<unsigned> &payloads) {
  llvm::StringMap<StateUse> uses = getUses(graph);
  schema::PayloadConfig config;
  /// The file of each storage. The views of one storage share its file.
  llvm::DenseMap<Attribute, StringRef> files;
  for (auto state : module.getOps<StateOp>()) {
    // The pickle of the tensor subclass has the bytes of its tensors.
    if (state->hasAttr("fx.inner_of"))
      continue;
    StateUse use = uses.lookup(state.getSymName());
    StringRef place = use.isConstant ? "data/constants/" : "data/weights/";
    if (auto given = state->getAttrOfType<StringAttr>("fx.folder"))
      place = given;
    if (place != folder.path)
      continue;
    schema::PayloadMeta meta;
    meta.is_param = use.isParameter || state->hasAttr("fx.parameter");
    meta.use_pickle = state->hasAttr("fx.pickled");
    // Torch tells from the beginning of the name how to read a pickle.
    StringRef prefix = folder.prefix;
    if (auto given = state->getAttrOfType<StringAttr>("fx.payload"))
      prefix = given;
    Attribute key = state.getInitAttr();
    if (meta.use_pickle)
      key = state->getAttr("fx.pickled");
    StringRef file = key ? files.lookup(key) : StringRef();
    bool isNew = file.empty();
    if (isNew) {
      file = strings.save(prefix + Twine(payloads[prefix]++));
      if (key)
        files[key] = file;
    }
    meta.path_name = file;
    if (failed(writeState(state, folder, meta, isNew)))
      return failure();
    config.config.emplace_back(ProgramContext::getName(state), meta);
  }
  std::string text = encode(config);
  return add(folder.config, ArrayRef(text.data(), text.size()));
}
