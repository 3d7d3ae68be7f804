//===- EmitTable.cpp - writes the operator table --------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/DJB.h"
#include "llvm/Support/MathExtras.h"
#include <set>

using namespace fx;
using namespace fx::gen;
using llvm::StringRef;

namespace {
/// A pool of distinct null-terminated strings. Offset 0 is the empty string.
class StringPool {
public:
  StringPool() { add(""); }
  uint32_t add(StringRef text) {
    auto [it, inserted] = offsets.try_emplace(text, size);
    if (inserted) {
      strings.push_back(text.str());
      size += text.size() + 1;
    }
    return it->second;
  }
  void print(llvm::raw_ostream &os) const {
    os << "static constexpr char stringPool[] =\n";
    for (const std::string &text : strings) {
      os << "  \"";
      os.write_escaped(text, /*UseHexEscapes=*/false);
      os << "\\000\"\n";
    }
    os << "  ;\n\n";
  }

private:
  llvm::StringMap<uint32_t> offsets;
  std::vector<std::string> strings;
  uint32_t size = 0;
};
} // namespace

static void emitArguments(llvm::ArrayRef<ArgumentDeclaration> arguments,
                          StringPool &pool, llvm::raw_ostream &os) {
  for (const ArgumentDeclaration &a : arguments)
    os << "  {" << pool.add(a.name) << ", " << pool.add(a.type) << ", "
       << pool.add(a.defaultText) << ", " << a.aliasSets << "u, fx::SchemaKind("
       << unsigned(a.kind) << "), " << a.flags << ", " << a.listDepth << ", "
       << a.listSize << "},\n";
}

static void emitBuckets(llvm::ArrayRef<OperatorDeclaration> operators,
                        llvm::raw_ostream &os) {
  std::vector<unsigned> buckets(llvm::PowerOf2Ceil(operators.size() * 2 + 1));
  const unsigned mask = buckets.size() - 1;
  for (auto [index, op] : llvm::enumerate(operators)) {
    unsigned i = llvm::djbHash(op.target) & mask;
    while (buckets[i])
      i = (i + 1) & mask;
    buckets[i] = index + 1;
  }
  os << "static constexpr uint16_t buckets[] = {";
  for (auto [i, bucket] : llvm::enumerate(buckets))
    os << (i % 16 ? " " : "\n  ") << bucket << ",";
  os << "\n};\n\n";
}

/// Writes the versions, and the index of each schema in `others` with the
/// versions that have it, sorted by target.
static void emitOthers(const SchemaSet &schemas, llvm::raw_ostream &os) {
  os << "static constexpr llvm::StringLiteral otherVersions[] = {";
  for (const std::string &version : schemas.otherVersions)
    os << '"' << version << "\", ";
  // An array has one element at least.
  os << "\"\"};\n\n"
     << "static constexpr struct { uint16_t index; uint32_t versions; } "
        "others[] = {";
  std::vector<std::pair<StringRef, unsigned>> order;
  for (auto [i, other] : llvm::enumerate(schemas.others))
    order.emplace_back(other.op.target, i);
  llvm::sort(order);
  for (auto [target, i] : order)
    os << "{" << schemas.operators.size() + i << ", "
       << schemas.others[i].versions << "}, ";
  os << "{0, 0}};\n\n";
}

void fx::gen::emitTable(const SchemaSet &schemas, llvm::raw_ostream &os) {
  const std::vector<OperatorDeclaration> &operators = schemas.operators;
  StringPool pool;
  std::set<std::string> nameSpaces;
  std::string records, arguments;
  llvm::raw_string_ostream recordsOS(records), argumentsOS(arguments);
  unsigned firstArgument = 0;
  auto addRecord = [&](const OperatorDeclaration &op) {
    recordsOS << "  {" << pool.add(op.target) << ", " << firstArgument << ", "
              << op.flags << ", " << op.arguments.size() << ", "
              << op.results.size() << "},\n";
    emitArguments(op.arguments, pool, argumentsOS);
    emitArguments(op.results, pool, argumentsOS);
    firstArgument += op.arguments.size() + op.results.size();
  };
  for (const OperatorDeclaration &op : operators) {
    addRecord(op);
    // `math` and `torch` have many functions without a schema, so they are not
    // known namespaces.
    if (!(op.flags & OperatorSchema::Symbolic))
      nameSpaces.insert(op.nameSpace);
  }
  for (const OtherSchema &other : schemas.others)
    addRecord(other.op);
  os << "// Made by fx-schema-gen.\n\n";
  os << "static constexpr llvm::StringLiteral schemaVersion = \""
     << schemas.version << "\";\n\n";
  os << "static constexpr unsigned numOperators = " << operators.size()
     << ";\n\n";
  std::string known;
  for (const std::string &nameSpace : nameSpaces)
    known += std::to_string(pool.add(nameSpace)) + ", ";
  pool.print(os);
  os << "static constexpr uint32_t knownNamespaces[] = {" << known << "};\n\n";
  os << "static constexpr fx::ArgumentSchema arguments[] = {\n"
     << arguments << "};\n\n";
  os << "static constexpr fx::OperatorSchema operators[] = {\n"
     << records << "};\n\n";
  emitBuckets(operators, os);
  emitOthers(schemas, os);
}
