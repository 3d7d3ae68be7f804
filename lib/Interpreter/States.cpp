//===- States.cpp - parameters, buffers and constants ---------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "States.h"
#include "Objects.h"
#include "TorchBoundary.h"

#include "fx/Support/Crc32.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/MathExtras.h"
#include <ATen/ops/empty.h>
#include <c10/core/CPUAllocator.h>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace mlir;

namespace fx::interp {

/// A private, writable mapping of a whole file.
struct MappedFile {
  char *data = nullptr;
  size_t size = 0;

  explicit MappedFile(const std::string &path) {
    int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    if (fd < 0 || ::fstat(fd, &st) != 0) {
      std::string reason = std::strerror(errno);
      if (fd >= 0)
        ::close(fd);
      throw std::runtime_error("cannot open '" + path + "': " + reason);
    }
    if (!S_ISREG(st.st_mode)) {
      ::close(fd);
      throw std::runtime_error("'" + path + "' is not a regular file");
    }
    size = st.st_size;
    if (size) {
      void *p = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_NORESERVE, fd, 0);
      if (p != MAP_FAILED)
        data = static_cast<char *>(p);
    }
    ::close(fd);
    if (size && !data)
      throw std::runtime_error("cannot map '" + path + "'");
  }
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;
  ~MappedFile() {
    if (data)
      ::munmap(data, size);
  }
};

c10::Storage States::getStorage(ExternalAttr external) {
  std::string path = external.getPath().str();
  auto key = std::make_pair(path, external.getOffset());
  auto it = storages.find(key);
  if (it != storages.end() && it->second.nbytes() == external.getSize())
    return it->second;

  std::shared_ptr<MappedFile> &file = files[path];
  if (!file)
    file = std::make_shared<MappedFile>(path);
  uint64_t offset = external.getOffset(), size = external.getSize();
  if (offset > file->size || size > file->size - offset)
    throw std::runtime_error("bytes " + std::to_string(offset) + " to " +
                             std::to_string(offset + size) + " lie outside '" +
                             path + "' of " + std::to_string(file->size) +
                             " bytes");
  char *data = file->data + offset;
  uint32_t crc = size ? getCrc32({data, size}) : external.getCrc32();
  if (crc != external.getCrc32())
    throw std::runtime_error("crc32 of its bytes in '" + path + "' is " +
                             std::to_string(crc) + ", expected " +
                             std::to_string(external.getCrc32()));
  // The storage keeps the mapping alive.
  auto *owner = new std::shared_ptr<MappedFile>(file);
  c10::DataPtr pointer(
      data, owner,
      [](void *p) { delete static_cast<std::shared_ptr<MappedFile> *>(p); },
      c10::kCPU);
  c10::Storage storage(c10::Storage::use_byte_size_t(), size,
                       std::move(pointer), /*allocator=*/nullptr,
                       /*resizable=*/false);
  storages[key] = storage;
  return storage;
}

/// Returns a copy of the bytes of an attribute of the module. A splat is
/// expanded.
static c10::Storage copyBytes(Attribute init) {
  llvm::ArrayRef<char> bytes;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(init)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      throw std::runtime_error("its resource has no data");
    bytes = blob->getData();
  } else if (auto dense = dyn_cast<DenseElementsAttr>(init)) {
    if (dense.isSplat() && dense.getNumElements() != 1) {
      size_t width = dense.getRawData().size();
      size_t total = width * dense.getNumElements();
      c10::DataPtr memory = c10::GetCPUAllocator()->allocate(total);
      for (size_t i = 0; i < total; i += width)
        std::memcpy(static_cast<char *>(memory.get()) + i,
                    dense.getRawData().data(), width);
      return c10::Storage(c10::Storage::use_byte_size_t(), total,
                          std::move(memory), nullptr, false);
    }
    bytes = dense.getRawData();
  } else {
    throw std::runtime_error("its value is of an unknown kind");
  }
  c10::DataPtr memory = c10::GetCPUAllocator()->allocate(bytes.size());
  if (!bytes.empty())
    std::memcpy(memory.get(), bytes.data(), bytes.size());
  return c10::Storage(c10::Storage::use_byte_size_t(), bytes.size(),
                      std::move(memory), nullptr, false);
}

static int64_t getInteger(ExprAttr expr, const char *what) {
  std::optional<int64_t> value = expr.getInteger();
  if (!value || *value < 0)
    throw std::runtime_error(std::string("expected an integer as its ") + what);
  return *value;
}

/// Reads the sizes, strides and storage offset of `type`. Throws if an element
/// lies outside a storage of `bytes` bytes.
static void readGeometry(FakeTensorType type, size_t itemBytes, uint64_t bytes,
                         std::vector<int64_t> &sizes,
                         std::vector<int64_t> &strides, int64_t &offset) {
  for (ExprAttr size : type.getSizes())
    sizes.push_back(getInteger(size, "size"));
  std::optional<int64_t> total = getCheckedBytes(itemBytes, sizes);
  if (!total)
    throw std::runtime_error("its sizes overflow");
  MetaAttr meta = type.getMeta();
  if (meta && !meta.getStrides().empty())
    for (ExprAttr stride : meta.getStrides())
      strides.push_back(getInteger(stride, "stride"));
  else {
    strides.resize(sizes.size());
    int64_t stride = 1;
    for (size_t i = sizes.size(); i-- > 0;) {
      strides[i] = stride;
      stride *= std::max<int64_t>(sizes[i], 1);
    }
  }
  if (strides.size() != sizes.size())
    throw std::runtime_error("expected " + std::to_string(sizes.size()) +
                             " strides, got " + std::to_string(strides.size()));
  offset = meta && meta.getStorageOffset()
               ? getInteger(meta.getStorageOffset(), "storage offset")
               : 0;
  if (*total == 0)
    return;
  int64_t last = offset;
  bool overflow = false;
  for (size_t i = 0; i < sizes.size(); ++i) {
    int64_t span;
    overflow |= llvm::MulOverflow(sizes[i] - 1, strides[i], span);
    overflow |= llvm::AddOverflow(last, span, last);
  }
  int64_t end;
  overflow |= llvm::AddOverflow(last, int64_t(1), last) ||
              llvm::MulOverflow(last, static_cast<int64_t>(itemBytes), end);
  if (overflow || static_cast<uint64_t>(end) > bytes)
    throw std::runtime_error(
        "its view needs " +
        (overflow ? std::string("more than 2^63") : std::to_string(end)) +
        " bytes, but its storage has " + std::to_string(bytes));
}

at::Tensor States::load(StateOp state) {
  auto type = dyn_cast<FakeTensorType>(state.getType());
  if (!type)
    throw std::runtime_error("only tensors can be loaded");
  std::optional<DType> dtype = getDType(type.getDtype());
  if (!dtype)
    throw std::runtime_error("its dtype is not supported");
  MetaAttr meta = type.getMeta();
  if (meta && meta.getLayout() && meta.getLayout().getValue() != "strided")
    throw std::runtime_error("layout '" + meta.getLayout().str() +
                             "' is not supported");
  Attribute init = state.getInitAttr();
  if (!init)
    throw std::runtime_error("it has no value");
  auto external = dyn_cast<ExternalAttr>(init);
  c10::Storage storage = external ? getStorage(external) : copyBytes(init);
  std::vector<int64_t> sizes, strides;
  int64_t offset = 0;
  readGeometry(type, getByteSize(*dtype), storage.nbytes(), sizes, strides,
               offset);
  at::Tensor t =
      at::empty({0}, at::TensorOptions().dtype(toScalarType(*dtype)));
  return t.set_(storage, offset, sizes, strides);
}

c10::IValue States::loadObject(StateOp state) {
  auto type = dyn_cast<ObjectType>(state.getType());
  auto pickled = state->getAttrOfType<ExternalAttr>("fx.pickled");
  if (!type || !pickled)
    throw std::runtime_error("expected an object of a custom class");
  // PyTorch distinguishes the formats by the prefix of the file name.
  auto payload = state->getAttrOfType<StringAttr>("fx.payload");
  if (!payload || payload.getValue() != "custom_obj_")
    throw std::runtime_error(
        "objects of Python's classes cannot be interpreted");
  c10::Storage bytes = getStorage(pickled);
  return interp::loadObject(
      {static_cast<const char *>(bytes.data()), bytes.nbytes()},
      type.getClassName().str());
}

/// Returns `known[name]`. Loads it at the first use. Throws LocatedException if
/// it cannot be loaded.
template <typename T>
static T getOrLoad(ModuleOp module, llvm::StringMap<T> &known,
                   llvm::StringRef name, llvm::function_ref<T(StateOp)> load) {
  auto it = known.find(name);
  if (it != known.end())
    return it->second;
  try {
    auto state = module.lookupSymbol<StateOp>(name);
    if (!state)
      throw std::runtime_error("no such state");
    return known[name] = load(state);
  } catch (const std::exception &e) {
    throw LocatedException(name.str(), getMessage(e));
  }
}

at::Tensor States::get(llvm::StringRef name) {
  return getOrLoad<at::Tensor>(module, tensors, name,
                               [&](StateOp state) { return load(state); });
}

c10::IValue States::getObject(llvm::StringRef name) {
  return getOrLoad<c10::IValue>(
      module, objects, name, [&](StateOp state) { return loadObject(state); });
}

} // namespace fx::interp
