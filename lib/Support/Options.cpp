//===- Options.cpp - command lines of the tools ---------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Support/Options.h"
#include "fx/Support/LocatedError.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>
#include <unistd.h>

using llvm::StringRef;

/// Returns the message about a missing argument that is no option.
static std::string describeMissing() {
  auto &positional = llvm::cl::SubCommand::getTopLevel().PositionalOpts;
  StringRef what = positional.empty() ? "an argument" : positional[0]->HelpStr;
  return "expected " + what.str() + ", got no argument; see --help";
}

/// Rewrites a message of LLVM's parser in the form of the other errors. Returns
/// "" for a line that repeats the one before.
static std::string rewrite(StringRef text) {
  if (text.starts_with("Not enough positional command line arguments"))
    return describeMissing();
  if (text.starts_with("Must specify at least"))
    return "";
  text = text.split(".  Try: ").first.split(": See: ").first;
  // "for the --x option: Cannot find option named 'v'!"
  if (text.consume_front("for the ")) {
    auto [option, problem] = text.split(" option: ");
    if (problem.consume_front("Cannot find option named "))
      return "option '" + option.str() + "' does not have the value " +
             problem.rtrim('!').str() + "; see --help";
    return "option '" + option.str() + "': " + problem.rtrim("!.").str();
  }
  std::string line = text.rtrim("!. ").str();
  if (line.size() > 1 && llvm::isUpper(line[0]) && !llvm::isUpper(line[1]))
    line[0] = llvm::toLower(line[0]);
  return line;
}

namespace {
/// Collects what is written to the standard error. Options report wrong values
/// there, although LLVM's parser takes a stream for errors.
class StderrCapture {
public:
  StderrCapture() : file(std::tmpfile()), saved(file ? ::dup(2) : -1) {
    if (saved >= 0)
      ::dup2(::fileno(file), 2);
  }
  ~StderrCapture() {
    if (file)
      std::fclose(file);
  }

  /// Ends the capture, and returns the text.
  std::string finish() {
    std::string text;
    if (saved < 0)
      return text;
    ::dup2(saved, 2);
    ::close(saved);
    std::rewind(file);
    char part[512];
    while (size_t n = std::fread(part, 1, sizeof part, file))
      text.append(part, n);
    return text;
  }

private:
  std::FILE *file;
  int saved;
};
} // namespace

/// Returns the first unknown option whose name begins with an h; empty if there
/// is none. LLVM's parser takes such an argument for a group of options with
/// the names of single letters, which begins with -h, and prints the help.
static StringRef findUnknownH(llvm::ArrayRef<char *> arguments) {
  auto &options = llvm::cl::getRegisteredOptions();
  for (size_t i = 0; i < arguments.size(); ++i) {
    StringRef argument = arguments[i];
    if (argument == "--")
      break;
    StringRef name = argument.ltrim('-').split('=').first;
    if (name == argument || name.empty())
      continue;
    auto known = options.find(name);
    if (known == options.end()) {
      if (name.size() > 1 && name.starts_with("h"))
        return argument.split('=').first;
    } else if (!argument.contains('=') &&
               known->second->getValueExpectedFlag() ==
                   llvm::cl::ValueRequired) {
      ++i; // the value
    }
  }
  return "";
}

[[noreturn]] static void fail(StringRef tool, StringRef message,
                              StringRef unknownHint) {
  llvm::errs() << "error: " << tool << ": " << fx::toOneLine(message);
  if (message.starts_with("unknown command line argument") &&
      !unknownHint.empty())
    llvm::errs() << "; " << unknownHint;
  llvm::errs() << "\n";
  exit(1);
}

void fx::parseOptions(int argc, char **argv, StringRef overview,
                      StringRef unknownHint) {
  StringRef tool = llvm::sys::path::filename(argv[0]);
  if (StringRef name = findUnknownH({argv + 1, argv + argc}); !name.empty())
    fail(tool, ("unknown command line argument '" + name + "'").str(),
         unknownHint);
  std::string text;
  llvm::raw_string_ostream os(text);
  StderrCapture capture;
  bool isRight = llvm::cl::ParseCommandLineOptions(argc, argv, overview, &os);
  std::string printed = capture.finish();
  if (isRight) {
    llvm::errs() << printed; // warnings
    return;
  }
  std::string joined;
  llvm::SmallVector<StringRef> lines;
  text += printed;
  StringRef(text).split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    line.consume_front((tool + ": ").str());
    std::string part = rewrite(line);
    joined += (joined.empty() || part.empty() ? "" : "; ") + part;
  }
  fail(tool, joined, unknownHint);
}
