//===- Report.cpp - what a compilation did --------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen.h"
#include "OperatorReport.h"
#include "fx/IR/FXDialect.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace fx;

llvm::json::Object CompileReport::toJSON(llvm::StringRef mode) const {
  llvm::json::Object times;
  double total = 0;
  for (const Phase &phase : phases) {
    total += phase.seconds;
    times[phase.name] = phase.seconds + times.getNumber(phase.name).value_or(0);
  }
  llvm::json::Object workTimes;
  for (const Phase &step : work)
    workTimes[step.name] = step.seconds;
  llvm::json::Array isolatedTexts;
  for (const std::string &text : isolated)
    isolatedTexts.push_back(llvm::json::fixUTF8(text));
  llvm::json::Array warningTexts;
  for (const std::string &text : warnings)
    warningTexts.push_back(llvm::json::fixUTF8(text));
  llvm::json::Array uncheckedTexts;
  for (const std::string &text : unchecked)
    uncheckedTexts.push_back(llvm::json::fixUTF8(text));
  llvm::json::Object json{{"mode", mode.str()},
                          {"reason", llvm::json::fixUTF8(reason)},
                          {"cpu", cpu},
                          {"versions", llvm::json::Array(versions)},
                          {"compile_seconds", total},
                          {"phases", std::move(times)},
                          {"code_work", std::move(workTimes)},
                          {"parts", parts},
                          {"operators", llvm::json::Array(operators)},
                          {"fallbacks", fallbacks},
                          {"fallback_summary", describeFallbacks()},
                          {"kernels", llvm::json::Array(kernels)},
                          {"arena_bytes", arenaBytes},
                          {"weight_bytes", int64_t(weightBytes)},
                          {"isolated", std::move(isolatedTexts)},
                          {"warnings", std::move(warningTexts)},
                          {"unchecked", std::move(uncheckedTexts)}};
  if (!outSpec.empty()) {
    json["in_spec"] = llvm::json::fixUTF8(inSpec);
    json["out_spec"] = llvm::json::fixUTF8(outSpec);
  }
  if (!constants.empty())
    json["constants"] = llvm::json::Array(constants);
  if (!textOutputs.empty())
    json["text_outputs"] = llvm::json::Array(textOutputs);
  if (!cache.folder.empty()) {
    llvm::json::Object about{{"folder", llvm::json::fixUTF8(cache.folder)},
                             {"hits", cache.hits},
                             {"misses", cache.misses}};
    if (!cache.problem.empty())
      about["problem"] = llvm::json::fixUTF8(cache.problem);
    json["cache"] = std::move(about);
  }
  if (!deviceKernels.empty())
    json["device_kernels"] = llvm::json::Array(deviceKernels);
  if (!methods.empty()) {
    llvm::json::Array entries;
    for (const CompileReport &entry : methods)
      entries.push_back(entry.toMethodJSON());
    json["methods"] = std::move(entries);
  }
  return json;
}

llvm::json::Object CompileReport::toMethodJSON() const {
  llvm::json::Object all = toJSON(), json{{"name", method}};
  for (llvm::StringRef key :
       {"operators", "fallbacks", "fallback_summary", "kernels", "arena_bytes",
        "unchecked", "parts", "in_spec", "out_spec", "constants",
        "text_outputs"})
    if (llvm::json::Value *value = all.get(key))
      json[key] = std::move(*value);
  return json;
}

/// The maximal number of operators in a text that lists them.
static constexpr size_t kMostOperators = 6;

std::string CompileReport::describeFallbacks() const {
  llvm::SetVector<llvm::StringRef> targets;
  size_t nodes = 0;
  for (const llvm::json::Value &value : operators) {
    const llvm::json::Object &entry = *value.getAsObject();
    const llvm::json::Array *fallbacks = entry.getArray("fallbacks");
    if (!fallbacks)
      continue;
    ++nodes;
    for (const llvm::json::Value &target : *fallbacks)
      targets.insert(*target.getAsString());
  }
  if (nodes <= isolated.size())
    return "";
  std::string text = "ATen runs " + std::to_string(nodes) + " of " +
                     std::to_string(operators.size()) + " nodes: ";
  size_t shown = std::min(targets.size(), kMostOperators);
  text += llvm::join(targets.getArrayRef().take_front(shown), ", ");
  if (shown < targets.size())
    text += " and " + std::to_string(targets.size() - shown) + " more";
  return text;
}

CompileReport fx::getInterpretedReport(mlir::ModuleOp module,
                                       llvm::StringRef reason) {
  CompileReport report;
  OperatorReport operators;
  operators.mark(module);
  operators.noteInterpreted(reason);
  report.operators = operators.getOperators();
  report.reason = reason.str();
  module.walk([&](GuardOp guard) {
    if (!guard.getConditionAttr())
      report.unchecked.push_back(guard.getCode().str());
  });
  return report;
}

//===----------------------------------------------------------------------===//
// The header of a model
//===----------------------------------------------------------------------===//

/// Returns `text` as a C identifier.
static std::string getIdentifier(llvm::StringRef text) {
  std::string out;
  for (char c : text)
    out += llvm::isAlnum(c) ? c : '_';
  return out.empty() || llvm::isDigit(out[0]) ? "m_" + out : out;
}

static void printValues(llvm::raw_ostream &os, llvm::StringRef prefix,
                        llvm::StringRef what,
                        llvm::ArrayRef<cpu::ValueDescription> values) {
  os << "#define " << prefix << "_N_" << what << "S " << values.size() << "\n";
  for (auto [i, v] : llvm::enumerate(values)) {
    os << "/* " << v.name << ": "
       << (v.dtype.torchName.empty() ? "None" : v.dtype.torchName) << " [";
    for (auto [d, size] : llvm::enumerate(v.sizes)) {
      os << (d ? ", " : "");
      fx::ExprAttr(size).printInfix(os);
    }
    os << "]" << (v.isMutated ? ", written by the model" : "") << " */\n";
    os << "#define " << prefix << "_" << what << "_" << getIdentifier(v.name)
       << " " << i << "\n";
  }
}

std::string fx::getModelHeader(const cpu::ModelDescription &model,
                               llvm::StringRef name) {
  std::string text, prefix = llvm::StringRef(getIdentifier(name)).upper();
  llvm::raw_string_ostream os(text);
  os << "/* Inputs and outputs of the model '" << name
     << "', made by fx-compile.\n"
     << " * They are passed in this order to FXModelApi::run. */\n"
     << "#ifndef FX_MODEL_" << prefix << "_H\n#define FX_MODEL_" << prefix
     << "_H\n\n#include \"fx/Runtime/model.h\"\n\n";
  printValues(os, prefix, "INPUT", model.inputs);
  os << "\n";
  printValues(os, prefix, "OUTPUT", model.outputs);
  for (const cpu::ConditionDescription &c : model.conditions)
    os << "/* checked: " << c.text << " */\n";
  os << "\n#endif\n";
  return text;
}
