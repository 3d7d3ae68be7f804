//===- Sarif.cpp - what a compilation found, for editors and CI -----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Pipelines/Sarif.h"
#include "fx/IR/Metadata.h"
#include "fx/IR/PythonStack.h"
#include "fx/Support/Version.h"

using namespace fx;
using llvm::StringRef;
namespace json = llvm::json;

static constexpr StringRef kNoNativeCode = "no-native-code",
                           kError = "compile-error";

void SarifLog::setPlace(mlir::Location loc) {
  if (std::optional<StringRef> name = getNodeName(loc))
    node = name->str();
  if (std::optional<mlir::FileLineColLoc> frame = getPythonFrame(loc)) {
    file = frame->getFilename().str();
    line = frame->getLine();
  }
}

static json::Object getText(const llvm::Twine &text) {
  return json::Object{{"text", json::fixUTF8(text.str())}};
}

static json::Object getPhysical(StringRef file, int64_t line) {
  json::Object place{
      {"artifactLocation", json::Object{{"uri", json::fixUTF8(file)}}}};
  if (line > 0)
    place["region"] = json::Object{{"startLine", line}};
  return place;
}

/// Converts a frame such as "model.py:12" to a physicalLocation.
static json::Object getFrame(StringRef frame) {
  auto [file, number] = frame.rsplit(':');
  int64_t line = 0;
  if (number.getAsInteger(10, line))
    file = frame;
  return getPhysical(file, line);
}

/// Returns an array of one location: the place in the source and, if `node` is
/// not empty, the node as GRAPH/MODULE/NODE.
static json::Array getLocations(json::Object physical, StringRef graph,
                                StringRef module, StringRef node) {
  json::Object location{{"physicalLocation", std::move(physical)}};
  if (!node.empty()) {
    std::string path = graph.str();
    for (StringRef part : {module, node})
      if (!part.empty())
        path += (path.empty() ? "" : "/") + part.str();
    location["logicalLocations"] =
        json::Array{json::Object{{"name", json::fixUTF8(node)},
                                 {"fullyQualifiedName", json::fixUTF8(path)}}};
  }
  return json::Array{std::move(location)};
}

/// Returns the result for `op`, an operator of the report that has no native
/// code.
static json::Object getResult(const json::Object &op, StringRef level,
                              StringRef input) {
  auto get = [&](StringRef key) { return op.getString(key).value_or(""); };
  std::string text = (get("target") + " has no native code: " + get("reason") +
                      " (node '" + get("node") + "'")
                         .str();
  if (!get("module").empty())
    text += (" of module '" + get("module") + "'").str();
  text += ")";
  json::Object physical = getPhysical(input, 0);
  json::Array frames;
  if (const json::Array *stack = op.getArray("stack"))
    for (const json::Value &frame : *stack) {
      json::Object place = getFrame(frame.getAsString().value_or(""));
      if (frames.empty())
        physical = place;
      frames.push_back(json::Object{
          {"location", json::Object{{"physicalLocation", std::move(place)}}}});
    }
  json::Object result{
      {"ruleId", kNoNativeCode},
      {"level", level},
      {"message", getText(text)},
      {"locations", getLocations(std::move(physical), get("graph"),
                                 get("module"), get("node"))}};
  if (!frames.empty())
    result["stacks"] = json::Array{json::Object{{"frames", std::move(frames)}}};
  return result;
}

static json::Object getRule(StringRef id, StringRef text) {
  return json::Object{{"id", id}, {"shortDescription", getText(text)}};
}

json::Object SarifLog::toJSON() const {
  json::Array results;
  for (const json::Value &value : operators)
    if (const json::Object *op = value.getAsObject())
      if (!op->getBoolean("native").value_or(true))
        results.push_back(
            getResult(*op, refusesFallback ? "error" : "warning", input));
  // If fallbacks are refused, the results above already report the error.
  if (!error.empty() && (!refusesFallback || results.empty()))
    results.push_back(json::Object{
        {"ruleId", kError},
        {"level", "error"},
        {"message", getText(error)},
        {"locations", getLocations(file.empty() ? getPhysical(input, 0)
                                                : getPhysical(file, line),
                                   "", "", node)}});
  json::Object driver{
      {"name", "fx-compile"},
      {"version", getVersion()},
      {"rules",
       json::Array{getRule(kNoNativeCode, "an operator without native code"),
                   getRule(kError, "what ended the compilation")}}};
  return json::Object{
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
      {"version", "2.1.0"},
      {"runs", json::Array{json::Object{
                   {"tool", json::Object{{"driver", std::move(driver)}}},
                   {"results", std::move(results)}}}}};
}
