//===- Hooks.h - functions of an operator, found by target ------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the compiler can do with an operator (infer its types, decompose, count
// its operations, lower it) is a free function on its view in the file of its
// family. A kind of hook is declared by the type of these functions, and by a
// function that lists the families:
//
//   struct FoldHook {
//     using Function = OpFoldResult (*)(const OperatorView &,
//                                       ArrayRef<Attribute>);
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
// A table is filled when it is first asked for, and constant from then on.
//
//===----------------------------------------------------------------------===//

#ifndef FX_OPERATORS_HOOKS_H
#define FX_OPERATORS_HOOKS_H

#include "fx/Operators/View.h"

#include <vector>

namespace fx {

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

/// The number of the operator `target`. Ends the process where there is none:
/// a name is misspelt in our own source.
unsigned getHookIndex(llvm::StringRef target);
/// Ends the process: `target` has a second hook of one kind.
[[noreturn]] void reportSecondHook(llvm::StringRef target);
} // namespace detail

/// The functions of one kind, by operator.
template <class Hook>
class HookTable {
public:
  using Function = typename Hook::Function;

  static const HookTable &get() {
    static const HookTable table = [] {
      HookTable table;
      Hook::registerAll(table);
      return table;
    }();
    return table;
  }

  /// Null if the operator has no such hook.
  Function lookup(const OperatorSchema &schema) const {
    return functions[&schema - getAllOperators().data()];
  }

  void add(Function function, llvm::ArrayRef<llvm::StringRef> targets) {
    for (llvm::StringRef target : targets) {
      Function &entry = functions[detail::getHookIndex(target)];
      if (entry)
        detail::reportSecondHook(target);
      entry = function;
    }
  }
  /// A function on a typed view.
  template <class View, auto function>
  void add() {
    add(detail::TypedHook<View, function, Function>::call,
        llvm::StringRef(View::target));
  }

private:
  HookTable() : functions(getAllOperators().size()) {}
  std::vector<Function> functions;
};

} // namespace fx

#endif // FX_OPERATORS_HOOKS_H
