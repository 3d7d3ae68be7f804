//===- BuildId.cpp - which build of a library runs ------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Support/BuildId.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"

#include <elf.h>
#include <link.h>

namespace fs = llvm::sys::fs;

namespace {
struct Search {
  uintptr_t address;
  bool isFound = false;
  std::string path, id;
};
} // namespace

/// Returns the build ID among the notes in `notes`; empty if there is none.
static llvm::StringRef findBuildId(llvm::StringRef notes) {
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    memcpy(&note, notes.data(), sizeof note);
    size_t name = sizeof note;
    size_t bytes = name + llvm::alignTo(note.n_namesz, 4);
    if (note.n_type == NT_GNU_BUILD_ID &&
        notes.substr(name, note.n_namesz) == llvm::StringRef("GNU\0", 4))
      return notes.substr(bytes, note.n_descsz);
    notes = notes.drop_front(std::min<size_t>(
        notes.size(), bytes + llvm::alignTo(note.n_descsz, 4)));
  }
  return "";
}

static int visitLibrary(dl_phdr_info *info, size_t, void *data) {
  auto &search = *static_cast<Search *>(data);
  llvm::ArrayRef<ElfW(Phdr)> headers(info->dlpi_phdr, info->dlpi_phnum);
  search.isFound = llvm::any_of(headers, [&](const ElfW(Phdr) & header) {
    return header.p_type == PT_LOAD &&
           search.address - info->dlpi_addr - header.p_vaddr < header.p_memsz;
  });
  if (!search.isFound)
    return 0;
  search.path = info->dlpi_name;
  for (const ElfW(Phdr) &header : headers)
    if (header.p_type == PT_NOTE && search.id.empty())
      search.id = findBuildId(llvm::StringRef(
          reinterpret_cast<const char *>(info->dlpi_addr + header.p_vaddr),
          header.p_memsz));
  return 1;
}

std::string fx::getBuildId(const void *address) {
  Search search;
  search.address = reinterpret_cast<uintptr_t>(address);
  dl_iterate_phdr(visitLibrary, &search);
  if (!search.isFound)
    return "";
  if (!search.id.empty())
    return llvm::toHex(search.id, /*LowerCase=*/true);
  // The executable has no path here.
  return getFileId(search.path.empty() ? "/proc/self/exe" : search.path);
}

std::string fx::getFileId(llvm::StringRef path) {
  fs::file_status status;
  if (fs::status(path, status))
    return "";
  return path.str() + ":" + std::to_string(status.getSize()) + ":" +
         std::to_string(
             status.getLastModificationTime().time_since_epoch().count());
}
