//===- Weights.cpp - the data segment of an artefact ----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/CPU/Weights.h"
#include "fx/Support/OutputFile.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

#include <fcntl.h>

using namespace fx;
using namespace fx::cpu;

namespace ELF = llvm::ELF;

namespace {
constexpr uint64_t kPage = 4096, kAlignment = 64, kHugePage = 2 << 20;
} // namespace

/// Returns the first offset from `at` on for a tensor of `bytes`. A large
/// tensor starts at a page boundary: it shares no page with the tensor before.
static uint64_t place(uint64_t at, int64_t bytes) {
  return llvm::alignTo(at, uint64_t(bytes) >= 16 * kPage ? kPage : kAlignment);
}

/// Copies the elements of `view` to `to` in row-major order.
static void copyContiguous(char *to, const StateView &view) {
  int64_t size = view.dtype.bits / 8, n = view.getNumElements();
  if (view.isContiguous()) {
    memcpy(to, view.data, n * size);
    return;
  }
  llvm::SmallVector<int64_t> index(view.sizes.size());
  for (int64_t i = 0; i < n; ++i, to += size) {
    const char *p = view.data;
    for (auto [k, stride] : llvm::zip(index, view.strides))
      p += k * stride * size;
    memcpy(to, p, size);
    for (unsigned d = index.size(); d-- > 0;) {
      if (++index[d] < view.sizes[d])
        break;
      index[d] = 0;
    }
  }
}

namespace {
/// The elements of a view in row-major order.
class ContiguousBytes {
public:
  explicit ContiguousBytes(const StateView &view) {
    size_t size = view.getNumElements() * (view.dtype.bits / 8);
    if (!view.isContiguous()) {
      copy.resize(size);
      copyContiguous(copy.data(), view);
    }
    bytes = {view.isContiguous() ? view.data : copy.data(), size};
  }
  llvm::StringRef bytes;

private:
  std::vector<char> copy;
};
} // namespace

/// Returns true if all bits of the elements are zero.
static bool isZero(const StateView &view) {
  ContiguousBytes own(view);
  llvm::StringRef bytes = own.bytes;
  return bytes.empty() ||
         (bytes.front() == 0 && bytes.drop_front() == bytes.drop_back());
}

uint64_t WeightPlaces::findBytes(const StateView &view, uint64_t start) {
  ContiguousBytes own(view);
  auto &equal = byHash[llvm::xxh3_64bits(own.bytes)];
  for (const Placed &placed : equal)
    if (ContiguousBytes(placed.view).bytes == own.bytes)
      return placed.offset;
  equal.push_back({view, start});
  return start;
}

llvm::Error WeightPlaces::add(ModelDescription &model, StateReader &states,
                              llvm::ArrayRef<int64_t> numbers) {
  for (FunctionArgDescription &a : model.args) {
    if (a.kind == FunctionArgDescription::Input)
      continue;
    if (!a.isUsed && a.kind == FunctionArgDescription::Constant) {
      a.offset = a.bytes = 0;
      continue;
    }
    uint64_t start = place(end, a.bytes);
    if (a.prepared >= 0) {
      int64_t number = numbers.empty() ? a.prepared : numbers[a.prepared];
      auto [it, isNew] = preparedPlaces.try_emplace(number, start);
      a.offset = it->second;
      end = isNew ? start + a.bytes : end;
      continue;
    }
    llvm::Expected<StateView> view = states.read(a.state);
    if (!view)
      return view.takeError();
    if (view->sizes != a.sizes || view->dtype.bits != a.dtype.bits)
      return llvm::createStringError(
          "state '" + a.state + "': the argument's shape or dtype is another");
    if (a.kind == FunctionArgDescription::Mutable && !a.isPrepared &&
        isZero(*view)) {
      a.offset = -1;
      continue;
    }
    Key key{view->data,
            view->dtype.code,
            view->dtype.bits,
            {view->sizes.begin(), view->sizes.end()},
            {view->strides.begin(), view->strides.end()}};
    auto [it, isNew] = places.try_emplace(key, start);
    if (isNew && comparesBytes && a.bytes > 0)
      it->second = findBytes(*view, start);
    a.offset = it->second;
    end = std::max<uint64_t>(end, a.offset + a.bytes);
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// Replaces the PT_GNU_RELRO program header of the shared object at `path` by a
/// PT_LOAD header of a read-only segment of `bytes`, which starts at the next
/// page behind the end of the file and behind all other segments in memory.
/// Returns the segment's file offset.
static llvm::Expected<uint64_t> addSegment(llvm::StringRef path,
                                           uint64_t bytes) {
  auto opened =
      llvm::MemoryBuffer::getFile(path, false, false, /*IsVolatile=*/true);
  if (!opened)
    return llvm::createStringError("cannot read '" + path.str() + "'");
  llvm::StringRef file = (*opened)->getBuffer();
  ELF::Elf64_Ehdr ehdr;
  if (file.size() < sizeof ehdr)
    return llvm::createStringError("the linked file is no ELF file");
  memcpy(&ehdr, file.data(), sizeof ehdr);
  uint64_t end = 0, slot = 0, lastLoad = 0;
  for (unsigned i = 0; i < ehdr.e_phnum; ++i) {
    ELF::Elf64_Phdr ph;
    uint64_t at = ehdr.e_phoff + i * sizeof ph;
    memcpy(&ph, file.data() + at, sizeof ph);
    if (ph.p_type == ELF::PT_LOAD) {
      end = std::max(end, ph.p_vaddr + ph.p_memsz);
      lastLoad = at;
    } else if (ph.p_type == ELF::PT_GNU_RELRO) {
      slot = at;
    }
  }
  if (slot <= lastLoad) // PT_LOAD headers must be in ascending order
    return llvm::createStringError(
        "the linked file has no room for its weights");
  ELF::Elf64_Phdr ph = {};
  ph.p_type = ELF::PT_LOAD;
  ph.p_flags = ELF::PF_R;
  // Linux for AArch64 has pages of up to 64 KiB.
  uint64_t page = ehdr.e_machine == ELF::EM_AARCH64 ? 16 * kPage : kPage;
  ph.p_offset = llvm::alignTo(file.size(), page);
  // The system maps a huge page of a file where its address and its offset are
  // aligned alike. The dynamic loaders of glibc before 2.35 align the address
  // to small pages only.
  ph.p_align = bytes >= kHugePage ? kHugePage : page;
  ph.p_vaddr = ph.p_paddr =
      llvm::alignTo(end, ph.p_align) + ph.p_offset % ph.p_align;
  ph.p_filesz = ph.p_memsz = bytes;
  std::error_code ec;
  llvm::raw_fd_ostream os(path, ec, llvm::sys::fs::CD_OpenExisting,
                          llvm::sys::fs::FA_Write, llvm::sys::fs::OF_None);
  if (ec)
    return makeOutputError(path, ec);
  os.seek(slot);
  os.write(reinterpret_cast<const char *>(&ph), sizeof ph);
  os.close();
  if (os.has_error()) {
    ec = os.error();
    os.clear_error();
    return makeOutputError(path, ec);
  }
  return ph.p_offset;
}

llvm::Expected<WeightSegment> fx::cpu::appendSegment(llvm::StringRef path,
                                                     uint64_t bytes) {
  namespace fs = llvm::sys::fs;
  llvm::Expected<uint64_t> base = addSegment(path, bytes);
  if (!base)
    return base.takeError();
  int fd;
  if (std::error_code ec =
          fs::openFileForReadWrite(path, fd, fs::CD_OpenExisting, fs::OF_None))
    return makeOutputError(path, ec);
  // Allocate the space now, so that a full disk is an error here and not a
  // signal at a store to the mapping.
  std::error_code ec(::posix_fallocate(fd, *base, bytes),
                     std::generic_category());
  WeightSegment segment;
  if (!ec)
    segment.region = fs::mapped_file_region(
        fd, fs::mapped_file_region::readwrite, bytes, *base, ec);
  llvm::sys::Process::SafelyCloseFileDescriptor(fd);
  if (ec)
    return makeOutputError(path, ec);
  return segment;
}

llvm::Error fx::cpu::writeStates(WeightSegment &segment,
                                 const ModelDescription &model,
                                 StateReader &states) {
  std::map<int64_t, const FunctionArgDescription *> byOffset;
  for (const FunctionArgDescription &a : model.args)
    if (a.kind != FunctionArgDescription::Input && a.prepared < 0 &&
        a.bytes > 0 && a.offset >= 0)
      byOffset.try_emplace(a.offset, &a);
  for (auto [offset, a] : byOffset) {
    llvm::Expected<StateView> view = states.read(a->state);
    if (!view)
      return view.takeError();
    copyContiguous(segment.data() + offset, *view);
  }
  return llvm::Error::success();
}
