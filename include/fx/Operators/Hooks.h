//===- Hooks.h - functions of an operator, found by target ------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the compiler can do with an operator (infer its types, decompose, fold,
// lower it) is a free function on its view, registered in the file of its
// family and found by one look-up. A kind of hook is declared by its tag:
//
//   struct FoldHook {
//     using Function = OpFoldResult (*)(const OperatorView &,
//     ArrayRef<Attribute>);
//   };
//   static OpFoldResult foldNeg(aten::Neg op, ArrayRef<Attribute> operands);
//   FX_REGISTER_HOOK(FoldHook, aten::Neg, foldNeg)              // typed view
//   FX_REGISTER_HOOKS(FoldHook, foldSame, "aten.add.Tensor", …) // OperatorView
//
//   if (auto fold = HookTable<FoldHook>::lookup(view.getSchema())) ...
//
// All tables are filled before main starts and only read afterwards.
//
//===----------------------------------------------------------------------===//

#ifndef FX_OPERATORS_HOOKS_H
#define FX_OPERATORS_HOOKS_H

#include "fx/Operators/View.h"
#include "llvm/Support/ErrorHandling.h"

#include <initializer_list>
#include <vector>

namespace fx {

template <class Tag>
class HookTable {
public:
  using Function = typename Tag::Function;

  static Function lookup(const OperatorSchema &schema) {
    return table()[&schema - getAllOperators().data()];
  }
  /// Null if the target is unknown or has no such hook.
  static Function lookup(llvm::StringRef target) {
    const OperatorSchema *schema = lookupOperator(target);
    return schema ? lookup(*schema) : nullptr;
  }
  static void add(llvm::StringRef target, Function function) {
    const OperatorSchema *schema = lookupOperator(target);
    // A name misspelt in our own source.
    if (!schema)
      llvm::report_fatal_error(
          "a hook is registered for the unknown operator " + target);
    table()[schema - getAllOperators().data()] = function;
  }

private:
  static std::vector<Function> &table() {
    static std::vector<Function> functions(getAllOperators().size());
    return functions;
  }
};

template <class Tag>
struct HookRegistration {
  HookRegistration(typename Tag::Function function,
                   std::initializer_list<llvm::StringRef> targets) {
    for (llvm::StringRef target : targets)
      HookTable<Tag>::add(target, function);
  }
};

namespace detail {
/// Turns a function on a typed view into one on OperatorView.
template <class View, auto function, class Signature>
struct TypedHook;
template <class View, auto function, class Result, class... Rest>
struct TypedHook<View, function, Result (*)(const OperatorView &, Rest...)> {
  static Result call(const OperatorView &view, Rest... rest) {
    return function(View(view), std::forward<Rest>(rest)...);
  }
};
} // namespace detail

#define FX_HOOK_CONCAT_(a, b) a##b
#define FX_HOOK_CONCAT(a, b) FX_HOOK_CONCAT_(a, b)

/// Registers a function on a typed view.
#define FX_REGISTER_HOOK(Tag, View, function)                                  \
  static const ::fx::HookRegistration<Tag> FX_HOOK_CONCAT(fxHook,              \
                                                          __COUNTER__)(        \
      ::fx::detail::TypedHook<View, function, Tag::Function>::call,            \
      {View::target});

/// Registers a function on OperatorView for the targets that follow.
#define FX_REGISTER_HOOKS(Tag, function, ...)                                  \
  static const ::fx::HookRegistration<Tag> FX_HOOK_CONCAT(                     \
      fxHook, __COUNTER__)(function, {__VA_ARGS__});

} // namespace fx

#endif // FX_OPERATORS_HOOKS_H
