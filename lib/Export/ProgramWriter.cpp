//===- ProgramWriter.cpp - modules to serialized programs -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text of models/<name>.json. The states are in StateWriter.cpp.
//
//===----------------------------------------------------------------------===//

#include "ProgramWriter.h"
#include "Encode.h"
#include "FXGraph.h"

#include "fx/Operators/Schema.h"

using namespace mlir;
using namespace fx;

StringRef ProgramWriter::getModel() {
  auto name = module->getAttrOfType<StringAttr>("fx.model");
  return name ? name.getValue() : "model";
}

LogicalResult ProgramWriter::add(StringRef record, ArrayRef<char> bytes,
                                 std::optional<uint32_t> crc) {
  if (llvm::Error e = archive.add(record, bytes, crc))
    return emitError(module.getLoc()) << llvm::toString(std::move(e));
  return success();
}

LogicalResult ProgramWriter::add(StringRef record, ExternalAttr external) {
  llvm::Expected<ArrayRef<char>> bytes = data.get(external);
  if (!bytes)
    return emitError(module.getLoc()) << llvm::toString(bytes.takeError());
  return add(record, *bytes, external.getCrc32());
}

//===----------------------------------------------------------------------===//
// Module calls
//===----------------------------------------------------------------------===//

/// The inverse of ProgramBuilder::describe.
std::optional<schema::Argument>
ProgramWriter::getDescribed(GraphWriter &writer, Attribute described) {
  using K = schema::Argument::Kind;
  schema::Argument argument;
  auto refuse = [&]() -> std::optional<schema::Argument> {
    emitError(module.getLoc())
        << "expected an argument of a module call, got " << described;
    return std::nullopt;
  };
  if (auto name = dyn_cast<StringAttr>(described)) {
    argument.kind = K::Tensor;
    argument.value = schema::TensorArgument{name};
    return argument;
  }
  auto entry = dyn_cast<DictionaryAttr>(described);
  if (!entry || entry.empty())
    return refuse();
  if (Attribute constant = entry.get("constant")) {
    ValueRange none;
    return isa<UnitAttr>(constant)
               ? refuse()
               : writer.getArgument(constant, none, nullptr);
  }
  if (auto name = entry.getAs<StringAttr>("object")) {
    auto className = entry.getAs<StringAttr>("class");
    argument.kind = K::CustomObj;
    argument.value = schema::CustomObjArgument{
        name, className ? className.getValue() : StringRef()};
    return argument;
  }
  auto name = dyn_cast<StringAttr>(entry.begin()->getValue());
  StringRef kind = entry.begin()->getName();
  if (!name)
    return refuse();
  if (kind == "sym_int") {
    argument.kind = K::SymInt;
    argument.value = schema::SymIntArgument{name.getValue()};
  } else if (kind == "sym_float") {
    argument.kind = K::SymFloat;
    argument.value = schema::SymFloatArgument{name.getValue()};
  } else if (kind == "sym_bool") {
    argument.kind = K::SymBool;
    argument.value = schema::SymBoolArgument{name.getValue()};
  } else {
    return refuse();
  }
  return argument;
}

LogicalResult ProgramWriter::getCall(GraphWriter &writer, GraphOp graph,
                                     DictionaryAttr call,
                                     schema::ModuleCallEntry &entry) {
  auto text = [&](StringRef key) {
    auto value = call.getAs<StringAttr>(key);
    // The graph has the program's own specs.
    if (!value && entry.fqn.empty())
      value = graph->getAttrOfType<StringAttr>(("fx." + key).str());
    return value ? value.getValue() : StringRef();
  };
  if (auto fqn = call.getAs<StringAttr>("fqn"))
    entry.fqn = fqn;
  schema::ModuleCallSignature &signature = entry.signature.emplace();
  signature.in_spec = text("in_spec");
  signature.out_spec = text("out_spec");
  for (auto [key, list] : {std::pair{"inputs", &signature.inputs},
                           std::pair{"outputs", &signature.outputs}})
    if (auto described = call.getAs<ArrayAttr>(key))
      for (Attribute attr : described) {
        std::optional<schema::Argument> argument = getDescribed(writer, attr);
        if (!argument)
          return failure();
        list->push_back(*argument);
      }
  if (auto names = call.getAs<ArrayAttr>("forward_arg_names")) {
    signature.forward_arg_names.emplace();
    for (auto name : names.getAsRange<StringAttr>())
      signature.forward_arg_names->push_back(name);
  }
  return success();
}

LogicalResult ProgramWriter::getCalls(GraphWriter &writer, GraphOp graph,
                                      schema::GraphModule &result) {
  auto calls = graph->getAttrOfType<ArrayAttr>("fx.module_call_graph");
  if (!calls)
    return success();
  for (Attribute call : calls) {
    schema::ModuleCallEntry &entry = result.module_call_graph.emplace_back();
    if (auto fqn = dyn_cast<StringAttr>(call))
      entry.fqn = fqn;
    else if (auto dict = dyn_cast<DictionaryAttr>(call)) {
      if (failed(getCall(writer, graph, dict, entry)))
        return failure();
    } else
      return emitError(graph.getLoc())
             << "expected a module's path or a dictionary in "
                "'fx.module_call_graph', got "
             << call;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

LogicalResult ProgramWriter::getModule(GraphOp graph,
                                       schema::GraphModule &result) {
  GraphWriter writer(context, graph);
  std::optional<schema::Graph> body = writer.write();
  if (!body)
    return failure();
  std::optional<schema::GraphSignature> signature = writer.writeSignature();
  if (!signature)
    return failure();
  result.graph = std::move(*body);
  result.signature = std::move(*signature);
  if (failed(getCalls(writer, graph, result)))
    return failure();
  if (auto metadata = graph->getAttrOfType<DictionaryAttr>("fx.metadata"))
    for (NamedAttribute entry : metadata)
      if (auto value = dyn_cast<StringAttr>(entry.getValue()))
        result.metadata.emplace_back(entry.getName().getValue(), value);
  // Torch tells from the verifier whether a program is functional. A pass may
  // have functionalized a TRAINING program, so record that in the metadata.
  auto verifiers = module->getAttrOfType<ArrayAttr>("fx.verifiers");
  bool isTraining =
      !verifiers || verifiers.empty() ||
      llvm::is_contained(verifiers,
                         StringAttr::get(module.getContext(), "TRAINING"));
  if (graph.getFunctional() && isTraining)
    result.metadata.emplace_back(schema::kFunctionalKey, "true");
  if (auto tuples = module->getAttrOfType<DictionaryAttr>("fx.namedtuples"))
    for (NamedAttribute entry : tuples) {
      schema::NamedTupleDef def;
      if (auto fields = dyn_cast<ArrayAttr>(entry.getValue()))
        for (auto field : fields.getAsRange<StringAttr>())
          def.field_names.push_back(field);
      result.treespec_namedtuple_fields.emplace_back(entry.getName().getValue(),
                                                     std::move(def));
    }
  return success();
}

LogicalResult ProgramWriter::getRanges(GraphOp graph,
                                       schema::ExportedProgram &program) {
  // Symbols that only import declared have no range constraint.
  llvm::StringSet<> unbounded;
  if (auto names = module->getAttrOfType<ArrayAttr>("fx.unbounded"))
    for (auto name : names.getAsRange<StringAttr>())
      unbounded.insert(name);
  for (Attribute attr : graph.getSymbols()) {
    auto range = dyn_cast<RangeAttr>(attr);
    if (!range)
      return emitError(graph.getLoc()) << "expected a range, got " << attr;
    ExprAttr expr = range.getExpr();
    if (expr.isSymbol() && !range.getMin() && !range.getMax() &&
        unbounded.contains(expr.getName().getValue()))
      continue;
    std::string text;
    llvm::raw_string_ostream os(text);
    expr.printInfix(os);
    program.range_constraints.emplace_back(
        strings.save(text),
        schema::RangeConstraint{range.getMin(), range.getMax()});
  }
  return success();
}

void ProgramWriter::getHeader(schema::ExportedProgram &program) {
  if (auto opset = module->getAttrOfType<DictionaryAttr>("fx.opset_version"))
    for (NamedAttribute entry : opset)
      if (auto value = dyn_cast<IntegerAttr>(entry.getValue()))
        program.opset_version.emplace_back(entry.getName().getValue(),
                                           value.getInt());
  program.schema_version = {schema::kMajorVersion, schema::kMinorVersion};
  program.torch_version = getSchemaVersion();
  if (auto version = module->getAttrOfType<StringAttr>("fx.torch_version"))
    program.torch_version = version;
  if (auto verifiers = module->getAttrOfType<ArrayAttr>("fx.verifiers"))
    for (auto verifier : verifiers.getAsRange<StringAttr>())
      program.verifiers.push_back(verifier);
  else
    program.verifiers.push_back("TRAINING");
}

FailureOr<schema::ExportedProgram> ProgramWriter::getProgram(GraphOp graph) {
  schema::ExportedProgram program;
  getHeader(program);
  if (failed(getModule(graph, program.graph_module)) ||
      failed(getRanges(graph, program)))
    return failure();
  for (auto guard : graph.getBlock().getOps<GuardOp>())
    program.guards_code.push_back(guard.getCode());
  return program;
}

LogicalResult ProgramWriter::write(llvm::StringMap<unsigned> &payloads) {
  auto graph = context.symbols.lookup<GraphOp>("main");
  if (!graph)
    return emitError(module.getLoc())
           << "expected a graph '@main' in the module";
  if (failed(checkSubgraphs(graph, context.symbols)))
    return failure();
  FailureOr<schema::ExportedProgram> program = getProgram(graph);
  if (failed(program))
    return failure();
  StringRef model = getModel();
  std::string weights =
      ("data/weights/" + model + "_weights_config.json").str();
  std::string constants =
      ("data/constants/" + model + "_constants_config.json").str();
  if (failed(writeStates(graph, {"data/weights/", weights, "weight_"},
                         payloads)) ||
      failed(writeStates(graph, {"data/constants/", constants, "tensor_"},
                         payloads)))
    return failure();
  std::string text = encode(*program);
  if (failed(add(("models/" + model + ".json").str(),
                 ArrayRef(text.data(), text.size()))))
    return failure();
  // Torch requires the record, even if there are no sample inputs.
  std::string samples = ("data/sample_inputs/" + model + ".pt").str();
  auto bytes = module->getAttrOfType<ExternalAttr>("fx.sample_inputs");
  return bytes ? add(samples, bytes) : add(samples, ArrayRef<char>());
}
