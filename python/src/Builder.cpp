//===- Builder.cpp - builds graphs from Python ----------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx-c/Builder.h"
#include "Bindings.h"

using namespace fx::python;

using OptionalString = std::optional<std::string>;

static const char *toC(const OptionalString &text) {
  return text ? toC(*text) : nullptr;
}

/// A value of the graph that is built, so that a Python int is never one.
struct BuiltValue {
  FXValue index;
};

namespace {
class Builder {
public:
  Builder() : builder(nullptr, fxBuilderDestroy) {
    FXContext *context = createContext();
    builder.reset(fxBuilderCreate(context));
    fxContextDestroy(context);
  }

  void setAttribute(const std::string &name, const std::string &attribute) {
    check(fxBuilderSetAttribute(get(), toC(name), toC(attribute), &error));
  }
  void state(const std::string &name, const std::string &type,
             const OptionalString &path, uint64_t offset, uint64_t size,
             uint32_t crc32) {
    check(fxBuilderState(get(), toC(name), toC(type), toC(path), offset, size,
                         crc32, &error));
  }
  void beginGraph(const std::string &name, bool isPrivate) {
    check(fxBuilderBeginGraph(get(), toC(name), isPrivate, &error));
  }
  void symbol(const std::string &name, std::optional<int64_t> min,
              std::optional<int64_t> max) {
    check(fxBuilderSymbol(get(), toC(name), min ? &*min : nullptr,
                          max ? &*max : nullptr, &error));
  }
  std::string expression(const std::string &srepr) {
    std::string text;
    check(fxBuilderExpression(get(), toC(srepr), append, &text, &error));
    return text;
  }
  void pushFrame(const std::string &file, int line,
                 const std::string &function) {
    fxBuilderPushFrame(get(), toC(file), line, toC(function));
  }
  void pushMetadata(const std::string &key, const std::string &value) {
    fxBuilderPushMetadata(get(), toC(key), toC(value));
  }
  void pushNodeAttribute(const std::string &name,
                         const std::string &attribute) {
    fxBuilderPushNodeAttribute(get(), toC(name), toC(attribute));
  }
  void pushValue(BuiltValue value) { fxBuilderPushValue(get(), value.index); }
  void pushInt(int64_t value) { fxBuilderPushInt(get(), value); }
  void pushFloat(double value) { fxBuilderPushFloat(get(), value); }
  void pushBool(bool value) { fxBuilderPushBool(get(), value); }
  void pushNone() { fxBuilderPushNone(get()); }
  void pushString(const std::string &value) {
    fxBuilderPushString(get(), toC(value));
  }
  void pushAttribute(const std::string &text) {
    fxBuilderPushAttribute(get(), toC(text));
  }
  void pushList() { fxBuilderPushList(get()); }
  void pushDict() { fxBuilderPushDict(get()); }
  void pushKey(const std::string &key) { fxBuilderPushKey(get(), toC(key)); }
  void pushEnd() { fxBuilderPushEnd(get()); }
  void pushKeyword(const std::string &name) {
    fxBuilderPushKeyword(get(), toC(name));
  }

  BuiltValue placeholder(const std::string &name, const OptionalString &kind,
                         const OptionalString &target,
                         const std::string &type) {
    BuiltValue result;
    check(fxBuilderPlaceholder(get(), toC(name), toC(kind), toC(target),
                               toC(type), &result.index, &error));
    return result;
  }
  BuiltValue getAttr(const std::string &name, const std::string &target,
                     const std::string &type) {
    BuiltValue result;
    check(fxBuilderGetAttr(get(), toC(name), toC(target), toC(type),
                           &result.index, &error));
    return result;
  }
  std::vector<BuiltValue> node(const std::string &op,
                               const OptionalString &target,
                               const std::string &names,
                               const std::vector<std::string> &types,
                               const OptionalString &outs) {
    std::vector<const char *> texts;
    for (const std::string &type : types)
      texts.push_back(toC(type));
    std::vector<FXValue> results(types.size());
    check(fxBuilderNode(get(), toC(op), toC(target), toC(names), texts.data(),
                        texts.size(), toC(outs), results.data(), &error));
    std::vector<BuiltValue> values;
    for (FXValue result : results)
      values.push_back({result});
    return values;
  }
  void output() { check(fxBuilderOutput(get(), &error)); }
  Module finish(const std::string &folder) {
    FXModule *module = fxBuilderFinish(get(), toC(folder), &error);
    check(!module);
    return Module(module);
  }

private:
  FXBuilder *get() const { return builder.get(); }
  void check(int failed) {
    if (failed)
      raise(std::exchange(error, nullptr));
  }

  std::unique_ptr<FXBuilder, void (*)(FXBuilder *)> builder;
  FXError *error = nullptr;
};
} // namespace

void fx::python::bindBuilder(nb::module_ &m) {
  nb::class_<BuiltValue>(m, "BuiltValue");
  nb::class_<Builder>(m, "Builder")
      .def(nb::init<>())
      .def("set_attribute", &Builder::setAttribute)
      .def("state", &Builder::state, nb::arg("name"), nb::arg("type"),
           nb::arg("path").none(), nb::arg("offset"), nb::arg("size"),
           nb::arg("crc32"))
      .def("begin_graph", &Builder::beginGraph)
      .def("symbol", &Builder::symbol, nb::arg("name"), nb::arg("min").none(),
           nb::arg("max").none())
      .def("expression", &Builder::expression)
      .def("push_frame", &Builder::pushFrame)
      .def("push_metadata", &Builder::pushMetadata)
      .def("push_node_attribute", &Builder::pushNodeAttribute)
      .def("push_value", &Builder::pushValue)
      .def("push_int", &Builder::pushInt)
      .def("push_float", &Builder::pushFloat)
      .def("push_bool", &Builder::pushBool)
      .def("push_none", &Builder::pushNone)
      .def("push_string", &Builder::pushString)
      .def("push_attribute", &Builder::pushAttribute)
      .def("push_list", &Builder::pushList)
      .def("push_dict", &Builder::pushDict)
      .def("push_key", &Builder::pushKey)
      .def("push_end", &Builder::pushEnd)
      .def("push_keyword", &Builder::pushKeyword)
      .def("placeholder", &Builder::placeholder, nb::arg("name"),
           nb::arg("kind").none(), nb::arg("target").none(), nb::arg("type"))
      .def("get_attr", &Builder::getAttr)
      .def("node", &Builder::node, nb::arg("op"), nb::arg("target").none(),
           nb::arg("names"), nb::arg("types"), nb::arg("outs").none())
      .def("output", &Builder::output)
      .def("finish", &Builder::finish);
}
