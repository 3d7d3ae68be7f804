//===- Generate.cpp - generation of tokens in Python ----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx-c/Generate.h"
#include "Model.h"

#include <exception>
#include <limits>
#include <unordered_map>

using namespace fx::python;

namespace {
/// Temperature, top-k, top-p, min-p, repetition penalty, seed.
using Sampling = std::tuple<double, int64_t, double, double, double, uint64_t>;
using Ids = std::vector<int64_t>;

/// Python's functions of a generation.
struct Functions {
  nb::object getBytes, onToken, onFinish;
  /// Keeps the bytes that were passed last.
  nb::object bytes;
  /// The text of all tokens.
  std::string text;
  /// The first exception of a function, which ends the generation.
  std::exception_ptr exception;

  Functions(nb::object getBytes, nb::object onToken, nb::object onFinish)
      : getBytes(getBytes), onToken(onToken), onFinish(onFinish),
        bytes(nb::none()) {}
};

/// FXGenerationOptions with the memory that they refer to.
struct Options {
  Options(int64_t maxNewTokens, const Sampling &sampling, const Ids &stopTokens,
          const std::vector<std::string> &stopStrings, Functions &functions,
          int64_t lookup);

  FXGenerationOptions options = {};
  FXSamplingOptions sampling;
  std::vector<const char *> stops;
};

class TextGenerator {
public:
  TextGenerator(const Model &model, int64_t maxPositions, int64_t chunk,
                int threads, bool recurrent)
      : model(model), generator(nullptr, fxTextGeneratorDestroy) {
    FXTextGeneratorOptions options = {};
    options.struct_size = sizeof options;
    options.threads = threads;
    options.max_positions = maxPositions;
    options.chunk = chunk;
    options.recurrent = recurrent;
    FXError *error = nullptr;
    generator.reset(fxTextGeneratorCreate(model.get(), &options, &error));
    if (!generator)
      raise(error);
  }

  Ids getTokens() const {
    size_t n;
    const int64_t *tokens = fxTextGeneratorGetTokens(get(), &n);
    return Ids(tokens, tokens + n);
  }
  int64_t getVocabularySize() const {
    return fxTextGeneratorGetVocabularySize(get());
  }
  void setTokens(const Ids &ids) {
    FXError *error = nullptr;
    if (fxTextGeneratorSetTokens(get(), ids.data(), ids.size(), &error))
      raise(error);
  }
  void append(const Ids &ids) {
    FXError *error = nullptr;
    if (fxTextGeneratorAppend(get(), ids.data(), ids.size(), &error))
      raise(error);
  }
  void truncate(size_t n) {
    FXError *error = nullptr;
    if (fxTextGeneratorTruncate(get(), n, &error))
      raise(error);
  }
  void reset() { fxTextGeneratorReset(get()); }
  nb::bytes getSnapshot() {
    FXError *error = nullptr;
    std::string bytes;
    if (fxTextGeneratorGetSnapshot(get(), fx::python::append, &bytes, &error))
      raise(error);
    return nb::bytes(bytes.data(), bytes.size());
  }
  void restore(nb::bytes snapshot) {
    FXError *error = nullptr;
    if (fxTextGeneratorRestore(get(), snapshot.data(), snapshot.size(), &error))
      raise(error);
  }
  nb::tuple generate(int64_t maxNewTokens, const Sampling &sampling,
                     const Ids &stopTokens,
                     const std::vector<std::string> &stopStrings,
                     nb::object getBytes, nb::object onToken, int64_t lookup);

private:
  FXTextGenerator *get() const { return generator.get(); }

  /// Keeps the model alive.
  Model model;
  std::unique_ptr<FXTextGenerator, void (*)(FXTextGenerator *)> generator;
};
} // namespace

static FXSamplingOptions getOptions(const Sampling &sampling) {
  FXSamplingOptions options = {};
  options.struct_size = sizeof options;
  double topP;
  std::tie(options.temperature, options.top_k, topP, options.min_p,
           options.repetition_penalty, options.seed) = sampling;
  // In C, 0 stands for the default.
  options.top_p = topP == 0 ? std::numeric_limits<double>::min() : topP;
  return options;
}

static const char *getBytes(int64_t id, size_t *size, void *data) {
  auto &functions = *static_cast<Functions *>(data);
  if (functions.exception)
    return nullptr;
  nb::gil_scoped_acquire acquire;
  try {
    functions.bytes = nb::cast<nb::bytes>(functions.getBytes(id));
    auto bytes = nb::borrow<nb::bytes>(functions.bytes);
    *size = bytes.size();
    return bytes.c_str();
  } catch (...) {
    functions.exception = std::current_exception();
    return nullptr;
  }
}

static int onToken(const FXGeneratedToken *token, void *data) {
  auto &functions = *static_cast<Functions *>(data);
  if (functions.exception)
    return 1;
  functions.text.append(token->text, token->text_size);
  nb::gil_scoped_acquire acquire;
  try {
    // Long generations can be interrupted.
    if (PyErr_CheckSignals())
      throw nb::python_error();
    if (functions.onToken.is_none())
      return 0;
    nb::object result =
        functions.onToken(token->id, nb::bytes(token->text, token->text_size));
    return result.is(nb::handle(Py_False));
  } catch (...) {
    functions.exception = std::current_exception();
    return 1;
  }
}

Options::Options(int64_t maxNewTokens, const Sampling &values,
                 const Ids &stopTokens,
                 const std::vector<std::string> &stopStrings,
                 Functions &functions, int64_t lookup)
    : sampling(getOptions(values)) {
  for (const std::string &stop : stopStrings)
    stops.push_back(toC(stop));
  options.struct_size = sizeof options;
  options.sampling = &sampling;
  options.max_new_tokens = maxNewTokens;
  options.stop_tokens = stopTokens.data();
  options.n_stop_tokens = stopTokens.size();
  options.stop_strings = stops.data();
  options.n_stop_strings = stops.size();
  options.get_bytes = functions.getBytes.is_none() ? nullptr : getBytes;
  options.on_token = onToken;
  options.user_data = &functions;
  options.lookup = lookup;
}

static nb::tuple makeResult(const int64_t *tokens, const std::string &text,
                            const FXGenerationResult &result) {
  return nb::make_tuple(Ids(tokens, tokens + result.n_tokens),
                        nb::bytes(text.data(), text.size()), result.reason,
                        result.n_prefills, result.n_decodes, result.n_verifies,
                        result.n_proposed, result.n_accepted);
}

nb::tuple TextGenerator::generate(int64_t maxNewTokens,
                                  const Sampling &sampling,
                                  const Ids &stopTokens,
                                  const std::vector<std::string> &stopStrings,
                                  nb::object bytes, nb::object call,
                                  int64_t lookup) {
  Functions functions(bytes, call, nb::none());
  Options options(maxNewTokens, sampling, stopTokens, stopStrings, functions,
                  lookup);
  FXGenerationResult result = {};
  result.struct_size = sizeof result;
  FXError *error = nullptr;
  int failed;
  {
    nb::gil_scoped_release release;
    failed = fxTextGeneratorGenerate(get(), &options.options, &result, &error);
  }
  if (functions.exception) {
    fxErrorDestroy(error);
    std::rethrow_exception(functions.exception);
  }
  if (failed)
    raise(error);
  size_t n;
  const int64_t *tokens = fxTextGeneratorGetTokens(get(), &n);
  return makeResult(tokens + n - result.n_tokens, functions.text, result);
}

namespace {
class GenerationPool {
public:
  GenerationPool(const Model &model, size_t slots, int poolThreads,
                 int64_t maxPositions, int64_t chunk, int threads,
                 bool recurrent)
      : model(model), pool(nullptr, fxGenerationPoolDestroy) {
    FXTextGeneratorOptions options = {};
    options.struct_size = sizeof options;
    options.threads = threads;
    options.max_positions = maxPositions;
    options.chunk = chunk;
    options.recurrent = recurrent;
    FXError *error = nullptr;
    pool.reset(fxGenerationPoolCreate(model.get(), slots, poolThreads, &options,
                                      &error));
    if (!pool)
      raise(error);
  }

  uint64_t submit(const Ids &prompt, int64_t maxNewTokens,
                  const Sampling &sampling, const Ids &stopTokens,
                  const std::vector<std::string> &stopStrings, nb::object bytes,
                  nb::object call, int64_t lookup, nb::object finish) {
    auto owned = std::make_unique<Request>(*this, bytes, call, finish);
    Request *request = owned.get();
    Options options(maxNewTokens, sampling, stopTokens, stopStrings, *request,
                    lookup);
    requests.emplace(request, std::move(owned));
    uint64_t id;
    FXError *error = nullptr;
    if (fxGenerationPoolSubmit(pool.get(), prompt.data(), prompt.size(),
                               &options.options, onFinish, &id, &error)) {
      requests.erase(request);
      raise(error);
    }
    return id;
  }
  bool cancel(uint64_t id) { return fxGenerationPoolCancel(pool.get(), id); }
  size_t step() {
    nb::gil_scoped_release release;
    return fxGenerationPoolStep(pool.get());
  }

private:
  struct Request : Functions {
    Request(GenerationPool &pool, nb::object getBytes, nb::object onToken,
            nb::object onFinish)
        : Functions(getBytes, onToken, onFinish), pool(pool) {}
    GenerationPool &pool;
  };

  /// Calls `on_finish(result, error, exception)`.
  static void onFinish(const int64_t *tokens, const FXGenerationResult *result,
                       const char *error, void *data);

  Model model;
  /// The requests that have not ended. Destroyed after the pool.
  std::unordered_map<Request *, std::unique_ptr<Request>> requests;
  std::unique_ptr<FXGenerationPool, void (*)(FXGenerationPool *)> pool;
};
} // namespace

void GenerationPool::onFinish(const int64_t *tokens,
                              const FXGenerationResult *result,
                              const char *error, void *data) {
  nb::gil_scoped_acquire acquire;
  auto *request = static_cast<Request *>(static_cast<Functions *>(data));
  nb::object value = nb::none(), text = nb::none(), exception = nb::none();
  try {
    if (request->exception)
      std::rethrow_exception(request->exception);
    if (error)
      text = nb::str(error);
    else
      value = makeResult(tokens, request->text, *result);
  } catch (nb::python_error &e) {
    exception = nb::borrow(e.value());
  } catch (std::exception &e) {
    text = nb::str(e.what());
  }
  try {
    request->onFinish(value, text, exception);
  } catch (nb::python_error &e) {
    e.discard_as_unraisable("on_finish");
  }
  request->pool.requests.erase(request);
}

/// Returns the bytes of the f32 probabilities.
static nb::bytes computeProbabilities(nb::bytes logits,
                                      const Sampling &sampling,
                                      const Ids &tokens) {
  FXSamplingOptions options = getOptions(sampling);
  size_t n = logits.size() / sizeof(float);
  std::vector<float> values(n), probabilities(n);
  memcpy(values.data(), logits.data(), n * sizeof(float));
  FXError *error = nullptr;
  if (fxComputeProbabilities(&options, values.data(), n, tokens.data(),
                             tokens.size(), probabilities.data(), &error))
    raise(error);
  return nb::bytes(probabilities.data(), n * sizeof(float));
}

void fx::python::bindGenerate(nb::module_ &m) {
  nb::class_<TextGenerator>(m, "TextGenerator")
      .def(nb::init<const Model &, int64_t, int64_t, int, bool>(),
           nb::arg("model"), nb::arg("max_positions"), nb::arg("chunk"),
           nb::arg("threads"), nb::arg("recurrent"))
      .def("tokens", &TextGenerator::getTokens)
      .def("vocabulary_size", &TextGenerator::getVocabularySize)
      .def("set_tokens", &TextGenerator::setTokens, nb::arg("ids"))
      .def("append", &TextGenerator::append, nb::arg("ids"))
      .def("truncate", &TextGenerator::truncate, nb::arg("size"))
      .def("reset", &TextGenerator::reset)
      .def("snapshot", &TextGenerator::getSnapshot)
      .def("restore", &TextGenerator::restore, nb::arg("snapshot"))
      .def("generate", &TextGenerator::generate, nb::arg("max_new_tokens"),
           nb::arg("sampling"), nb::arg("stop_tokens"), nb::arg("stop_strings"),
           nb::arg("get_bytes").none(), nb::arg("on_token").none(),
           nb::arg("lookup"));
  nb::class_<GenerationPool>(m, "GenerationPool")
      .def(nb::init<const Model &, size_t, int, int64_t, int64_t, int, bool>(),
           nb::arg("model"), nb::arg("slots"), nb::arg("pool_threads"),
           nb::arg("max_positions"), nb::arg("chunk"), nb::arg("threads"),
           nb::arg("recurrent"))
      .def("submit", &GenerationPool::submit, nb::arg("prompt"),
           nb::arg("max_new_tokens"), nb::arg("sampling"),
           nb::arg("stop_tokens"), nb::arg("stop_strings"),
           nb::arg("get_bytes").none(), nb::arg("on_token").none(),
           nb::arg("lookup"), nb::arg("on_finish"))
      .def("cancel", &GenerationPool::cancel, nb::arg("request"))
      .def("step", &GenerationPool::step);
  m.def("compute_probabilities", &computeProbabilities, nb::arg("logits"),
        nb::arg("sampling"), nb::arg("tokens"));
}
