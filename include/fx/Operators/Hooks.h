//===- Hooks.h - functions of an operator, found by target ------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hooks implement the operators: shape rules, decompositions, cost rules,
// lowerings. A hook is a free function on the view of a call, in the file of
// the operator's family. A kind of hook is a structure with the type of these
// functions, `Fn`, and a function that registers all families:
//
//   struct FoldHook {
//     using Fn = OpFoldResult (*)(const OperatorView &, ArrayRef<Attribute>);
//     static void registerAll(HookTable<FoldHook> &hooks);
//   };
//
//   static OpFoldResult foldNeg(aten::Neg op, ArrayRef<Attribute> operands);
//
//   void fx::registerArithmeticFolds(HookTable<FoldHook> &hooks) {
//     hooks.add<aten::Neg, foldNeg>();               // on the typed view
//     hooks.add(foldSame, {"aten.add.Tensor", …});   // on OperatorView
//   }
//
//   if (auto fold = HookTable<FoldHook>::get().lookup(view.getSchema())) ...
//
// A table is filled at its first use and does not change afterwards.
//
//===----------------------------------------------------------------------===//

#ifndef FX_OPERATORS_HOOKS_H
#define FX_OPERATORS_HOOKS_H

#include "fx/Operators/View.h"

#include <vector>

namespace fx {

namespace detail {
/// Wraps a function on a typed view into a function on OperatorView.
template <class View, auto function, class Signature>
struct TypedHook;
template <class View, auto function, class Result, class... Rest>
struct TypedHook<View, function, Result (*)(const OperatorView &, Rest...)> {
  static Result call(const OperatorView &view, Rest... rest) {
    return function(View(view), std::forward<Rest>(rest)...);
  }
};

/// Returns the index of the operator `target` in `getAllOperators()`. Ends the
/// process if there is none: the name is misspelt in the compiler's source.
unsigned getHookIndex(llvm::StringRef target);
/// Ends the process with an error: `target` has two hooks of one kind.
[[noreturn]] void reportSecondHook(llvm::StringRef target);
} // namespace detail

/// The hooks of one kind, by operator.
template <class Hook>
class HookTable {
public:
  using Fn = typename Hook::Fn;

  static const HookTable &get() {
    static const HookTable table = [] {
      HookTable table;
      Hook::registerAll(table);
      return table;
    }();
    return table;
  }

  /// Returns the hook of the operator, or null.
  Fn lookup(const OperatorSchema &schema) const {
    return functions[&schema - getAllOperators().data()];
  }

  void add(Fn function, llvm::ArrayRef<llvm::StringRef> targets) {
    for (llvm::StringRef target : targets) {
      Fn &entry = functions[detail::getHookIndex(target)];
      if (entry)
        detail::reportSecondHook(target);
      entry = function;
    }
  }
  /// Adds a function on a typed view.
  template <class View, auto function>
  void add() {
    add(detail::TypedHook<View, function, Fn>::call,
        llvm::StringRef(View::target));
  }

private:
  HookTable() : functions(getAllOperators().size()) {}
  std::vector<Fn> functions;
};

} // namespace fx

#endif // FX_OPERATORS_HOOKS_H
