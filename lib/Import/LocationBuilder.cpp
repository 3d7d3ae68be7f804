//===- LocationBuilder.cpp - node metadata to locations -------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LocationBuilder.h"

#include "fx/IR/Metadata.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace fx;

Location LocationBuilder::get(StringRef name) {
  return NameLoc::get(StringAttr::get(ctx, name));
}

/// Parses a line such as `File "model.py", line 12, in forward`. Returns null
/// for other lines.
static LocationAttr getFrame(MLIRContext *ctx, StringRef line) {
  line = line.trim();
  if (!line.consume_front("File \""))
    return {};
  auto [file, rest] = line.split("\", line ");
  auto [number, function] = rest.split(", in ");
  unsigned lineNumber;
  if (file.empty() || number.getAsInteger(10, lineNumber))
    return {};
  LocationAttr frame = FileLineColLoc::get(ctx, file, lineNumber, 0);
  if (!function.empty())
    frame = NameLoc::get(StringAttr::get(ctx, function), Location(frame));
  return frame;
}

Location LocationBuilder::getStack(StringRef trace) {
  LocationAttr &cached = stacks[trace];
  if (cached)
    return cached;
  // The text has the outermost frame first. MLIR walks locations recursively,
  // so a very deep stack has no frames and is kept as text only.
  constexpr unsigned maxFrames = 256;
  LocationAttr result;
  unsigned count = 0;
  for (StringRef line : llvm::split(trace, '\n')) {
    LocationAttr frame = getFrame(ctx, line);
    if (!frame)
      continue;
    result =
        result
            ? LocationAttr(CallSiteLoc::get(Location(frame), Location(result)))
            : frame;
    if (++count > maxFrames)
      break;
  }
  if (!result || count > maxFrames)
    result = UnknownLoc::get(ctx);
  return cached = result;
}

Location LocationBuilder::get(const schema::Node &node,
                              ArrayRef<StringRef> results) {
  Builder b(ctx);
  NamedAttrList metadata;
  Location stack = UnknownLoc::get(ctx);
  for (auto &[key, value] : node.metadata) {
    // The frames are for diagnostics. The text is kept, too, because it also
    // has the lines of code.
    if (key == "stack_trace")
      stack = getStack(value);
    metadata.set(getMetadataKey(key), b.getStringAttr(value));
  }
  std::string joined = llvm::join(results, ",");
  // Keep the node's own name if it differs from the names of its results.
  if (node.name && !node.name->empty() && *node.name != joined &&
      !joined.empty())
    metadata.set("name", b.getStringAttr(*node.name));
  if (joined.empty() && node.name)
    joined = node.name->str();
  LocationAttr loc = stack;
  if (!joined.empty())
    loc = NameLoc::get(b.getStringAttr(joined), stack);
  else if (auto function = dyn_cast<NameLoc>(stack))
    // The function's name would be taken for the node's name.
    loc = function.getChildLoc();
  if (!metadata.empty())
    loc = FusedLoc::get({Location(loc)}, metadata.getDictionary(ctx), ctx);
  return loc;
}
