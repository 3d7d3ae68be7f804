//===- Module.cpp - modules of the fx dialect in Python -------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"
#include "fx-c/Compile.h"
#include "fx-c/Export.h"

#include <algorithm>
#include <cstring>

using namespace fx::python;

void fx::python::raise(FXError *error) {
  nb::object type = nb::module_::import_("fx_mlir._error").attr("Error");
  // What a message quotes need not be UTF-8.
  auto text = [](const char *bytes) {
    return nb::steal(
        PyUnicode_DecodeUTF8(bytes, strlen(bytes), "backslashreplace"));
  };
  nb::object value =
      type(text(fxErrorGetMessage(error)), text(fxErrorGetNode(error)),
           text(fxErrorGetFile(error)), fxErrorGetLine(error));
  fxErrorDestroy(error);
  PyErr_SetObject(type.ptr(), value.ptr());
  throw nb::python_error();
}

namespace {
/// A new context; modules keep theirs alive.
struct Context {
  FXContext *context = createContext();
  ~Context() { fxContextDestroy(context); }
};
} // namespace

/// Calls `fn(&error)` without Python's lock; what it returns, or the error
/// raised.
template <typename Fn>
static auto call(Fn fn) {
  FXError *error = nullptr;
  auto result = [&] {
    nb::gil_scoped_release release;
    return fn(&error);
  }();
  if (error)
    raise(error);
  return result;
}

namespace {
/// The bytes of an object with the buffer protocol.
struct Buffer {
  explicit Buffer(nb::handle object) {
    if (PyObject_GetBuffer(object.ptr(), &view, PyBUF_SIMPLE))
      throw nb::python_error();
  }
  ~Buffer() { PyBuffer_Release(&view); }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  Py_buffer view;
};

/// A function that returns bytes, and what it raised.
struct Reader {
  nb::object fn;
  std::unique_ptr<nb::python_error> raised;

  static int64_t read(void *data, size_t size, void *context) {
    auto *self = static_cast<Reader *>(context);
    nb::gil_scoped_acquire acquire;
    try {
      Buffer part(self->fn(size));
      size_t length = part.view.len;
      // The C interface reports a length above `size`.
      memcpy(data, part.view.buf, std::min(length, size));
      return length;
    } catch (nb::python_error &e) {
      self->raised = std::make_unique<nb::python_error>(std::move(e));
      return -1;
    }
  }
};
} // namespace

/// The options of an import, which point into the arguments.
static FXImportOptions getOptions(const std::string &name,
                                  const std::string &model,
                                  const Limits &limits) {
  FXImportOptions options = {};
  options.struct_size = sizeof options;
  options.model = toC(model);
  options.name = toC(name);
  std::tie(options.max_nodes, options.max_text_bytes, options.max_seconds) =
      limits;
  return options;
}

Module Module::import(const std::string &path, const std::string &model,
                      const Limits &limits) {
  FXImportOptions options = getOptions("", model, limits);
  return Module(call([&](FXError **error) {
    Context context;
    return fxModuleImportWith(context.context, toC(path), &options, error);
  }));
}

Module Module::importBuffer(nb::object data, const std::string &name,
                            const std::string &model, const Limits &limits) {
  FXImportOptions options = getOptions(name, model, limits);
  Buffer bytes(data);
  return Module(call([&](FXError **error) {
    Context context;
    return fxModuleImportBuffer(context.context, bytes.view.buf, bytes.view.len,
                                &options, error);
  }));
}

Module Module::importStream(nb::object read, const std::string &name,
                            const std::string &model, const Limits &limits) {
  FXImportOptions options = getOptions(name, model, limits);
  Reader reader{read, nullptr};
  FXError *error = nullptr;
  FXModule *module = [&] {
    nb::gil_scoped_release release;
    Context context;
    return fxModuleImportStream(context.context, Reader::read, &reader,
                                &options, &error);
  }();
  if (reader.raised) {
    fxErrorDestroy(error);
    throw std::move(*reader.raised);
  }
  if (error)
    raise(error);
  return Module(module);
}

Module Module::parse(nb::object data, const std::string &name,
                     const std::string &folder) {
  std::string bytes = nb::isinstance<nb::bytes>(data)
                          ? std::string(nb::cast<nb::bytes>(data).c_str(),
                                        nb::cast<nb::bytes>(data).size())
                          : nb::cast<std::string>(data);
  return Module(call([&](FXError **error) {
    Context context;
    return fxModuleParse(context.context, bytes.data(), bytes.size(), toC(name),
                         toC(folder), error);
  }));
}

Module Module::parseFile(const std::string &path) {
  return Module(call([&](FXError **error) {
    Context context;
    return fxModuleParseFile(context.context, toC(path), error);
  }));
}

Module Module::clone() const {
  return Module(
      call([&](FXError **error) { return fxModuleClone(get(), error); }));
}

void Module::verify() const {
  call([&](FXError **error) { return fxModuleVerify(get(), error); });
}

void Module::run(const std::string &pipeline) {
  call([&](FXError **error) {
    return fxModuleRunPasses(get(), toC(pipeline), error);
  });
}

std::string Module::getText(bool locations) const {
  std::string text;
  call([&](FXError **error) {
    return fxModulePrint(get(), locations ? FX_PRINT_LOCATIONS : 0, append,
                         &text, error);
  });
  return text;
}

std::string Module::getAttribute(const std::string &symbol,
                                 const std::string &name) const {
  std::string text;
  call([&](FXError **error) {
    return fxModuleGetText(get(), toC(symbol), toC(name), append, &text, error);
  });
  return text;
}

nb::bytes Module::getBytecode() const {
  std::string bytes;
  call([&](FXError **error) {
    return fxModuleWriteBytecode(get(), append, &bytes, error);
  });
  return nb::bytes(bytes.data(), bytes.size());
}

nb::bytes Module::exportAs(int kind) const {
  std::string bytes;
  call([&](FXError **error) {
    return fxModuleExport(get(), static_cast<FXExportKind>(kind), append,
                          &bytes, error);
  });
  return nb::bytes(bytes.data(), bytes.size());
}

namespace {
/// What a listener raised, raised again when the compiler is done.
struct Listener {
  nb::object fn;
  std::unique_ptr<nb::python_error> raised;

  static void call(void *context, const char *phase, double done) {
    auto *self = static_cast<Listener *>(context);
    nb::gil_scoped_acquire acquire;
    try {
      if (!self->raised)
        self->fn(phase, done);
    } catch (nb::python_error &e) {
      self->raised = std::make_unique<nb::python_error>(std::move(e));
    }
  }
};
} // namespace

std::string
Module::compile(const std::string &path, int emit, const std::string &name,
                const std::string &cpu, int optLevel, bool refuseFallback,
                nb::object onPhase, const std::string &debugCrash,
                const std::string &target, const std::string &precision,
                const std::optional<std::string> &cacheDir,
                const Tuning &tuning, const std::string &winograd,
                const std::string &triple, bool swappable,
                int64_t cacheCapacity, const Methods &methods) const {
  Listener listener{onPhase, nullptr};
  std::string report;
  FXCompileOptions options = {};
  options.struct_size = sizeof options;
  options.emit = static_cast<FXEmitKind>(emit);
  options.name = toC(name);
  options.cpu = toC(cpu);
  options.opt_level = optLevel;
  options.refuse_fallback = refuseFallback;
  if (!onPhase.is_none()) {
    options.on_phase = Listener::call;
    options.phase_context = &listener;
  }
  options.on_report = append;
  options.report_context = &report;
  options.debug_crash = toC(debugCrash);
  options.target = toC(target);
  options.precision = toC(precision);
  options.cache_dir = cacheDir ? cacheDir->c_str() : nullptr;
  const auto &[tuneFile, seconds, threads, sizes, candidate] = tuning;
  options.tune_file = toC(tuneFile);
  options.tune_seconds = seconds;
  options.tune_threads = threads;
  options.tune_sizes = toC(sizes);
  options.debug_schedule = candidate;
  options.winograd = toC(winograd);
  options.triple = toC(triple);
  options.swappable_weights = swappable;
  options.cache_capacity = cacheCapacity;
  call([&](FXError **error) {
    if (methods.empty())
      return fxModuleCompile(get(), toC(path), &options, error);
    std::vector<const FXModule *> modules;
    std::vector<const char *> names;
    for (const auto &[name, module] : methods) {
      modules.push_back(module->get());
      names.push_back(toC(name));
    }
    return fxModulesCompile(modules.data(), names.data(), names.size(),
                            toC(path), &options, error);
  });
  if (listener.raised)
    throw std::move(*listener.raised);
  return report;
}

void fx::python::bindModule(nb::module_ &m) {
  nb::class_<Module>(m, "Module")
      .def_static("import_", &Module::import, nb::arg("path"), nb::arg("model"),
                  nb::arg("limits"))
      .def_static("import_buffer", &Module::importBuffer, nb::arg("data"),
                  nb::arg("name"), nb::arg("model"), nb::arg("limits"))
      .def_static("import_stream", &Module::importStream, nb::arg("read"),
                  nb::arg("name"), nb::arg("model"), nb::arg("limits"))
      .def_static("parse", &Module::parse, nb::arg("data"), nb::arg("name"),
                  nb::arg("folder"))
      .def_static("parse_file", &Module::parseFile, nb::arg("path"))
      .def("clone", &Module::clone)
      .def("verify", &Module::verify)
      .def("run", &Module::run, nb::arg("pipeline"))
      .def("text", &Module::getText, nb::arg("locations"))
      .def("attribute", &Module::getAttribute, nb::arg("symbol"),
           nb::arg("name"))
      .def("bytecode", &Module::getBytecode)
      .def("export_as", &Module::exportAs, nb::arg("kind"))
      .def_prop_ro("folder", &Module::getFolder)
      .def("compile", &Module::compile, nb::arg("path"), nb::arg("emit"),
           nb::arg("name"), nb::arg("cpu"), nb::arg("opt_level"),
           nb::arg("refuse_fallback"), nb::arg("on_phase").none(),
           nb::arg("debug_crash"), nb::arg("target"), nb::arg("precision"),
           nb::arg("cache_dir").none(), nb::arg("tuning"), nb::arg("winograd"),
           nb::arg("triple"), nb::arg("swappable_weights"),
           nb::arg("cache_capacity"), nb::arg("methods"));
}

/// The names of an enumeration of the C interface, by number.
template <typename KindT>
static nb::tuple getNames(const char *(*getName)(KindT kind)) {
  nb::list names;
  for (int kind = 0; const char *name = getName(KindT(kind)); ++kind)
    names.append(name);
  return nb::tuple(names);
}

NB_MODULE(_fx, m) {
  // PyTorch's registry of operators can keep models alive until the process
  // ends.
  nb::set_leak_warnings(false);
  m.doc() = "The C interface of fx-mlir; use the package fx_mlir.";
  m.def("version", &fxVersion);
  m.def("schema_version", &fxSchemaVersion);
  m.def("describe_host", [] {
    std::string text;
    fxDescribeHost(
        [](const char *data, size_t size, void *to) {
          static_cast<std::string *>(to)->append(data, size);
        },
        &text);
    return text;
  });
  m.def("emit_kinds", [] { return getNames(fxEmitKindName); });
  m.def("export_kinds", [] { return getNames(fxExportKindName); });
  bindModule(m);
  bindModel(m);
  bindWeights(m);
  bindBuilder(m);
  bindOperators(m);
  bindGenerate(m);
}
