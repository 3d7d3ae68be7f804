/*===- capi.c - test of the whole C interface from C ----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// capi MODEL.pt2 FOLDER: MODEL is an MLP of float32 inputs [5, 32] and outputs
// [5, 10]. Imports, prints, runs passes, writes bytecode, compiles to
// FOLDER/m.so, runs, and makes every wrong call that the types allow. Prints
// the sum of the outputs, and `ok` last.
//
//===----------------------------------------------------------------------===*/

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

#include "fx-c/Builder.h"
#include "fx-c/Compile.h"
#include "fx-c/Export.h"
#include "fx-c/IR.h"
#include "fx-c/Operators.h"
#include "fx-c/Run.h"

#include "text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(int holds, int line, const char *what) {
  if (holds)
    return;
  fprintf(stderr, "capi.c:%d: failed: %s\n", line, what);
  exit(1);
}
#define CHECK(condition) check(!!(condition), __LINE__, #condition)

/* Checks that a call failed with `part` in its message. */
static void expectError(FXError **error, const char *part, int line) {
  check(*error != NULL, line, "an error is given");
  const char *message = fxErrorGetMessage(*error);
  if (!strstr(message, part) || strchr(message, '\n')) {
    fprintf(stderr, "capi.c:%d: expected '%s', got '%s'\n", line, part,
            message);
    exit(1);
  }
  fxErrorDestroy(*error);
  *error = NULL;
}
#define EXPECT_ERROR(part) expectError(&error, part, __LINE__)

static double lastDone = -1;
static int phases = 0;
static void onPhase(void *context, const char *phase, double done) {
  CHECK(context == &phases && *phase && done > lastDone && done <= 1);
  lastDone = done;
  ++phases;
}

/* Passes invalid text to each function that takes text. */
static void testErrors(const char *archive, const char *folder) {
  FXError *error = NULL;
  FXContext *context = fxContextCreate();
  CHECK(!fxModuleImport(context, "/no/such.pt2", NULL, &error));
  EXPECT_ERROR("/no/such.pt2");
  CHECK(!fxModuleImport(context, archive, "other", &error));
  EXPECT_ERROR("other");
  CHECK(!fxModuleImport(context, NULL, NULL, &error));
  EXPECT_ERROR("expected 'path', got null");
  CHECK(!fxModuleImport(NULL, archive, NULL, &error));
  EXPECT_ERROR("expected 'context', got null");
  CHECK(!fxModuleImport(context, "/no/such.pt2", NULL, NULL));

  const char *bad = "fx.graph @main {\n  output(%x) : (f32)\n}";
  CHECK(!fxModuleParse(context, bad, strlen(bad), "bad.mlir", NULL, &error));
  CHECK(!strcmp(fxErrorGetFile(error), "bad.mlir") &&
        fxErrorGetLine(error) == 2);
  EXPECT_ERROR("undeclared SSA value");
  CHECK(!fxModuleParse(context, "ML\xefR\r", 5, "bad.bc", NULL, &error));
  EXPECT_ERROR("");
  CHECK(!fxModuleParse(context, NULL, 0, NULL, NULL, &error));
  EXPECT_ERROR("expected 'data', got null");
  CHECK(!fxModuleParseFile(context, "/no/such.mlir", &error));
  EXPECT_ERROR("/no/such.mlir: cannot open: No such file");
  CHECK(!fxModuleClone(NULL, &error));
  EXPECT_ERROR("expected 'module', got null");
  CHECK(fxModuleVerify(NULL, &error));
  EXPECT_ERROR("expected 'module', got null");

  FXModule *module = fxModuleImport(context, archive, NULL, &error);
  CHECK(module && !error);
  CHECK(fxModuleRunPasses(module, "no-such-pass", &error));
  EXPECT_ERROR("no-such-pass");
  CHECK(fxModuleRunPasses(module, "cse,(", &error));
  EXPECT_ERROR("bad pipeline 'cse,('");
  CHECK(fxModuleRunPasses(module, NULL, &error));
  EXPECT_ERROR("expected 'pipeline', got null");
  CHECK(fxModulePrint(module, 0, NULL, NULL, &error));
  EXPECT_ERROR("expected 'write', got null");
  CHECK(fxModuleWriteBytecode(NULL, append, NULL, &error));
  EXPECT_ERROR("expected 'module', got null");

  char path[4096];
  snprintf(path, sizeof path, "%s/none/m.so", folder);
  CHECK(fxModuleCompile(module, path, NULL, &error));
  EXPECT_ERROR("cannot write");
  CHECK(fxModuleCompile(module, "", NULL, &error));
  EXPECT_ERROR("expected the path of a file, got ''");
  CHECK(fxModuleCompile(module, NULL, NULL, &error));
  EXPECT_ERROR("expected 'path', got null");
  FXCompileOptions options = {.struct_size = sizeof options,
                              .emit = (FXEmitKind)99};
  CHECK(fxModuleCompile(module, path, &options, &error));
  EXPECT_ERROR("expected an FXEmitKind, got 99");
  CHECK(!strcmp(fxEmitKindName(FX_EMIT_SHARED_OBJECT), "so"));
  CHECK(!strcmp(fxExportKindName(FX_EXPORT_PT2), "pt2"));
  CHECK(!fxExportKindName((FXExportKind)-1) &&
        !fxExportKindName((FXExportKind)99));
  CHECK(!fxEmitKindName((FXEmitKind)-1) && !fxEmitKindName((FXEmitKind)99));
  options.emit = FX_EMIT_SHARED_OBJECT;
  options.cpu = "z80";
  CHECK(fxModuleCompile(module, path, &options, &error));
  EXPECT_ERROR("unknown CPU 'z80'");
  fxModuleDestroy(module);

  /* The location of an error is the node, and the Python line that made it. */
  const char *eager = "fx.graph @main attributes {functional} {\n"
                      "  %x = placeholder \"x\" : !fx.tensor<[2], f32>\n"
                      "  %y = call_function @torch._functorch.vmap(%x) : "
                      "(!fx.tensor<[2], f32>) ->"
                      " !fx.tensor<[2], f32> loc(\"y\"(\"model.py\":12:3))\n"
                      "  output(%y) : (!fx.tensor<[2], f32>)\n}";
  module =
      fxModuleParse(context, eager, strlen(eager), "eager.mlir", NULL, &error);
  CHECK(module && !error);
  snprintf(path, sizeof path, "%s/never.so", folder);
  CHECK(fxModuleCompile(module, path, NULL, &error));
  CHECK(!strcmp(fxErrorGetNode(error), "y"));
  CHECK(!strcmp(fxErrorGetFile(error), "model.py") &&
        fxErrorGetLine(error) == 12);
  EXPECT_ERROR("has no native code");
  fxModuleDestroy(module);
  fxContextDestroy(context);

  CHECK(!fxModelLoad("/no/such.so", NULL, &error));
  EXPECT_ERROR("/no/such.so");
  CHECK(!fxModelLoad(archive, NULL, &error));
  EXPECT_ERROR("expected a compiled model, got no ELF shared object");
  CHECK(!fxModelLoadBuffer("ELF", 3, NULL, &error));
  EXPECT_ERROR("<buffer>: cannot be loaded");
  CHECK(fxModelRun(NULL, NULL, 0, NULL, 0, 1, &error));
  EXPECT_ERROR("expected 'model', got null");
  CHECK(fxModelGetInfo(NULL) == NULL);
  fxModelReset(NULL);
  fxModelSeed(NULL, 1);
  fxModelGetGenerator(NULL, NULL);
  fxModelSetGenerator(NULL, NULL);
  fxModelDestroy(NULL);
  fxModuleDestroy(NULL);
  fxContextDestroy(NULL);
  fxErrorDestroy(NULL);
}

static FXModule *import(const char *archive) {
  FXError *error = NULL;
  FXContext *context = fxContextCreate();
  FXModule *module = fxModuleImport(context, archive, "", &error);
  CHECK(module && !error);
  /* A module keeps its context alive. */
  fxContextDestroy(context);
  return module;
}

static void testModules(const char *archive) {
  FXError *error = NULL;
  FXModule *module = import(archive);
  CHECK(!fxModuleVerify(module, &error));
  Text plain = {0}, located = {0}, bytes = {0}, again = {0};
  CHECK(!fxModulePrint(module, 0, append, &plain, &error));
  CHECK(strstr(plain.data, "call_function @aten.linear.default") &&
        !strstr(plain.data, "loc("));
  CHECK(!fxModulePrint(module, FX_PRINT_LOCATIONS, append, &located, &error));
  CHECK(strstr(located.data, "mlp.py\":"));
  CHECK(!fxModuleWriteBytecode(module, append, &bytes, &error));
  FXModule *copy = fxModuleClone(module, &error);
  CHECK(copy);
  CHECK(!fxModuleRunPasses(
      copy, "builtin.module(fx-functionalize,fx-decompose,cse)", &error));
  Text after = {0};
  CHECK(!fxModulePrint(copy, 0, append, &after, &error));
  CHECK(strstr(after.data, "functional") && strcmp(after.data, plain.data));
  fxModuleDestroy(copy);
  fxModuleDestroy(module);

  FXContext *context = fxContextCreate();
  module = fxModuleParse(context, bytes.data, bytes.size, "m.mlirbc", "/folder",
                         &error);
  CHECK(module && !strcmp(fxModuleGetFolder(module), "/folder"));
  CHECK(!fxModulePrint(module, FX_PRINT_LOCATIONS, append, &again, &error));
  CHECK(!strcmp(located.data, again.data));
  fxModuleDestroy(module);
  fxContextDestroy(context);
  free(plain.data), free(located.data), free(bytes.data), free(again.data),
      free(after.data);
}

/* Builds x + alpha * 1, and every kind of invalid graph. */
static void testBuilder(void) {
  FXError *error = NULL;
  FXContext *context = fxContextCreate();
  FXBuilder *b = fxBuilderCreate(context);
  fxContextDestroy(context);
  const char *type = "!fx.tensor<[s0, 4], f32>";
  FXValue x, y, lost;
  int64_t min = 2;

  CHECK(fxBuilderNode(b, "call_function", "aten.relu.default", "r", &type, 1,
                      NULL, &y, &error));
  EXPECT_ERROR("a node outside of a graph");
  CHECK(!fxBuilderState(b, "w", "!fx.tensor<[4], f32>", NULL, 0, 0, 0, &error));
  CHECK(!fxBuilderBeginGraph(b, "main", 0, &error));
  CHECK(fxBuilderBeginGraph(b, "other", 0, &error));
  EXPECT_ERROR("graph 'main' has no output");
  CHECK(!fxBuilderFinish(b, NULL, &error));
  EXPECT_ERROR("graph 'main' has no output");
  CHECK(!fxBuilderSymbol(b, "s0", &min, NULL, &error));
  CHECK(fxBuilderPlaceholder(b, "x", NULL, NULL, "!fx.tensor<", &x, &error));
  EXPECT_ERROR("unbalanced '<'");
  CHECK(fxBuilderPlaceholder(b, "x", "gift", NULL, type, &x, &error));
  EXPECT_ERROR("expected the kind of an input, got 'gift'");
  fxBuilderPushKeyword(b, "k");
  fxBuilderPushInt(b, 1);
  CHECK(fxBuilderPlaceholder(b, "x", NULL, NULL, type, &x, &error));
  EXPECT_ERROR("expected one immediate as the default value");
  fxBuilderPushNodeAttribute(b, "my.input", "1 : i8");
  CHECK(!fxBuilderPlaceholder(b, "x", NULL, NULL, type, &x, &error));
  Text text = {0};
  CHECK(!fxBuilderExpression(b, "Add(Integer(1), Symbol('s0', integer=True))",
                             append, &text, &error));
  CHECK(!strcmp(text.data, "s0 + 1"));
  CHECK(fxBuilderExpression(b, "Nonsense(1)", append, &text, &error));
  EXPECT_ERROR("Nonsense");

  CHECK(
      fxBuilderNode(b, "call_function", NULL, "y", &type, 1, NULL, &y, &error));
  EXPECT_ERROR("expected a target");
  CHECK(fxBuilderNode(b, "graph", "t", "y", &type, 1, NULL, &y, &error));
  EXPECT_ERROR("expected a node of the fx dialect, got 'graph'");
  fxBuilderPushValue(b, 77);
  CHECK(
      fxBuilderNode(b, "call_function", "t", "y", &type, 1, NULL, &y, &error));
  EXPECT_ERROR("expected a value of this graph, got number 77");
  fxBuilderPushList(b);
  CHECK(
      fxBuilderNode(b, "call_function", "t", "y", &type, 1, NULL, &y, &error));
  EXPECT_ERROR("a list or dict has no end");
  for (int i = 0; i < 1000; ++i)
    fxBuilderPushList(b);
  CHECK(
      fxBuilderNode(b, "call_function", "t", "y", &type, 1, NULL, &y, &error));
  EXPECT_ERROR("nested deeper than 64");
  fxBuilderPushDict(b);
  fxBuilderPushInt(b, 1);
  fxBuilderPushEnd(b);
  CHECK(
      fxBuilderNode(b, "call_function", "t", "y", &type, 1, NULL, &y, &error));
  EXPECT_ERROR("expected a key before each value");
  fxBuilderPushKeyword(b, "k");
  CHECK(
      fxBuilderNode(b, "call_function", "t", "y", &type, 1, NULL, &y, &error));
  EXPECT_ERROR("expected an argument, got none");
  fxBuilderPushKeyword(b, "k");
  fxBuilderPushInt(b, 1);
  fxBuilderPushInt(b, 1);
  CHECK(
      fxBuilderNode(b, "call_function", "t", "y", &type, 1, NULL, &y, &error));
  EXPECT_ERROR("positional argument behind a keyword");
  fxBuilderPushAttribute(b, "#fx.device<");
  CHECK(
      fxBuilderNode(b, "call_function", "t", "y", &type, 1, NULL, &y, &error));
  EXPECT_ERROR("unbalanced");
  CHECK(fxBuilderNode(b, "call_function", "t", "y", &type, 1, "3 : i64", &y,
                      &error));
  EXPECT_ERROR("expected an array of results");
  CHECK(fxBuilderNode(b, "call_function", "t", "y", NULL, 1, NULL, &y, &error));
  EXPECT_ERROR("expected 'types', got null");
  for (int i = 0; i < 2; ++i) {
    fxBuilderPushNodeAttribute(b, i ? "plain" : "fx.tuples",
                               i ? "unit" : "array<i64: ");
    CHECK(fxBuilderNode(b, "call_function", "t", "y", &type, 1, NULL, &y,
                        &error));
    EXPECT_ERROR(i ? "cannot parse the attribute 'plain = unit' of a node"
                   : "expected integer literal");
  }
  CHECK(fxBuilderSetAttribute(b, "a", "[", &error));
  EXPECT_ERROR("expected");

  fxBuilderPushFrame(b, "model.py", 3, "<module>");
  fxBuilderPushFrame(b, "model.py", 12, "forward");
  fxBuilderPushMetadata(b, "nn_module_stack", "L,layer,Linear");
  fxBuilderPushNodeAttribute(b, "my.mark", "7 : i8");
  fxBuilderPushValue(b, x);
  fxBuilderPushInt(b, 1);
  fxBuilderPushKeyword(b, "alpha");
  fxBuilderPushFloat(b, 2.5);
  CHECK(!fxBuilderNode(b, "call_function", "aten.add.Tensor", "add", &type, 1,
                       NULL, &y, &error));
  fxBuilderPushValue(b, x);
  CHECK(fxBuilderGetAttr(b, "w", "w", "!fx.tensor<[4], f32>", &lost, &error));
  EXPECT_ERROR("expected no arguments, got 1");
  /* The innermost frames of a deep stack are kept. */
  for (int i = 1; i <= 300; ++i)
    fxBuilderPushFrame(b, "deep.py", i, "f");
  fxBuilderPushNodeAttribute(b, "my.state", "2 : i8");
  CHECK(!fxBuilderGetAttr(b, "w", "w", "!fx.tensor<[4], f32>", &lost, &error));
  fxBuilderPushValue(b, y);
  CHECK(!fxBuilderOutput(b, &error));
  FXModule *module = fxBuilderFinish(b, NULL, &error);
  CHECK(module && !error);
  text.size = 0;
  CHECK(!fxModulePrint(module, FX_PRINT_LOCATIONS, append, &text, &error));
  CHECK(strstr(text.data,
               "%add = call_function @aten.add.Tensor(%x, 1, alpha = 2.5)"));
  CHECK(strstr(text.data, "my.mark = 7 : i8"));
  CHECK(strstr(text.data, "my.input = 1 : i8") &&
        strstr(text.data, "my.state = 2 : i8"));
  CHECK(strstr(text.data, "\"deep.py\":300:") &&
        strstr(text.data, "\"deep.py\":45:") &&
        !strstr(text.data, "\"deep.py\":44:"));
  CHECK(strstr(text.data, "symbols [s0 in [2, ?]]"));
  CHECK(strstr(text.data, "\"model.py\":12") &&
        strstr(text.data, "L,layer,Linear"));
  fxModuleDestroy(module);

  /* The complete graph is invalid: the verifier's error is returned. */
  CHECK(!fxBuilderBeginGraph(b, "main", 0, &error));
  fxBuilderPushString(b, "text");
  CHECK(!fxBuilderNode(b, "call_function", "aten.relu.default", "r", &type, 1,
                       NULL, &y, &error));
  CHECK(!fxBuilderOutput(b, &error));
  CHECK(!fxBuilderFinish(b, NULL, &error));
  CHECK(!strcmp(fxErrorGetNode(error), "r"));
  EXPECT_ERROR("aten.relu.default");
  fxBuilderDestroy(b);
  fxBuilderDestroy(NULL);
  CHECK(!fxBuilderCreate(NULL));
  CHECK(fxBuilderOutput(NULL, &error));
  EXPECT_ERROR("expected 'builder', got null");
  fxBuilderPushInt(NULL, 1);
  free(text.data);

  CHECK(fxOperatorRegister("aten.relu.default", 1, NULL, &error));
  EXPECT_ERROR("is an operator of torch");
  CHECK(fxOperatorRegister("capi.f.default", 1, "fx.graph @f {", &error));
  EXPECT_ERROR("decomposition of 'capi.f.default'");
  CHECK(!fxOperatorRegister("capi.f.default", 1, NULL, &error));
  CHECK(
      fxOperatorRegisterSchema("capi::push(Tensor(a!) to, Tensor x)", &error));
  EXPECT_ERROR("expected '->'");
  CHECK(fxOperatorRegisterSchema("aten::relu(Tensor x) -> Tensor", &error));
  EXPECT_ERROR("is an operator of torch");
  CHECK(fxOperatorRegisterSchema("capi::f(Tensor(a!) x) -> ()", &error));
  EXPECT_ERROR("'capi.f.default' writes to its arguments: expected it to be "
               "neither pure");
  CHECK(!fxOperatorRegisterSchema("capi::push(Tensor(a!) to, Tensor x) -> ()",
                                  &error));
  CHECK(!fxOperatorRegisterSchema("capi::push(Tensor(a!) to, Tensor x) -> ()",
                                  &error));
  CHECK(fxOperatorRegisterSchema("capi::push(Tensor to, Tensor x) -> ()",
                                 &error));
  EXPECT_ERROR("'capi.push.default' is registered otherwise already");
  CHECK(fxOperatorRegister("capi.push.default", 1, NULL, &error));
  EXPECT_ERROR("'capi.push.default' writes to its arguments");
  CHECK(fxOperatorLibraryLoad(NULL, &error));
  EXPECT_ERROR("expected 'path', got null");
  CHECK(fxPluginLoad(NULL, &error));
  EXPECT_ERROR("expected 'path', got null");
}

/* A crash of the compiler is an error: the process continues, the module and
 * its context stay valid, and no file is left. */
static void testCrashes(FXModule *module, const char *path) {
  FXError *error = NULL;
  FXCompileOptions options = {.struct_size = sizeof options,
                              .emit = FX_EMIT_SHARED_OBJECT,
                              .name = "mlp"};
  const char *phases[] = {"simplify", "schedule:stack", "code:fatal", "link"};
  const char *texts[] = {
      "mlp: the compiler crashed on this model (phase 'simplify')",
      "mlp: the compiler crashed on this model (phase 'schedule')",
      "mlp: the compiler crashed on this model (phase 'code'): a fatal error",
      "mlp: the compiler crashed on this model (phase 'link')"};
  for (int i = 0; i < 4; ++i) {
    options.debug_crash = phases[i];
    CHECK(fxModuleCompile(module, path, &options, &error));
    EXPECT_ERROR(texts[i]);
  }
  CHECK(!fxModuleVerify(module, &error));
}

static void testRun(const char *path) {
  FXError *error = NULL;
  FXModel *model = fxModelLoad(path, NULL, &error);
  CHECK(model && !error);
  const FXModelInfo *info = fxModelGetInfo(model);
  CHECK(info->n_inputs == 1 && info->n_outputs == 1 &&
        info->inputs[0].rank == 2);
  float data[5 * 32];
  for (int i = 0; i < 5 * 32; ++i)
    data[i] = (float)(i % 7) / 7 - 0.5f;
  int64_t sizes[2] = {5, 32};
  DLTensor x = {data, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, sizes, NULL, 0};
  const DLTensor *inputs[1] = {&x};
  DLManagedTensor *outputs[1] = {NULL};
  CHECK(!fxModelRun(model, inputs, 1, outputs, 1, 1, &error) && !error);
  DLTensor y = outputs[0]->dl_tensor;
  CHECK(y.ndim == 2 && y.shape[0] == 5 && y.shape[1] == 10);

  DLManagedTensor *none[1] = {NULL};
  CHECK(fxModelRun(model, inputs, 0, none, 1, 1, &error));
  EXPECT_ERROR("expected 1 inputs, got 0");
  CHECK(fxModelRun(model, inputs, 1, none, 0, 1, &error));
  EXPECT_ERROR("expected room for 1 outputs, got 0");
  CHECK(fxModelRun(model, NULL, 1, none, 1, 1, &error));
  EXPECT_ERROR("expected 'inputs', got null");
  sizes[0] = 4;
  CHECK(fxModelRun(model, inputs, 1, none, 1, 1, &error));
  EXPECT_ERROR("x");
  sizes[0] = 5;
  x.device.device_type = kDLCUDA;
  CHECK(fxModelRun(model, inputs, 1, none, 1, 1, &error));
  EXPECT_ERROR("expected a tensor on the CPU, got device type 2");
  DLTensor state;
  CHECK(fxModelGetState(model, 100000, &state, &error));
  EXPECT_ERROR("got 100000");
  FXGenerator first, second;
  fxModelSeed(model, 5);
  fxModelGetGenerator(model, &first);
  CHECK(first.state[0] == 5 && first.next == FX_GENERATOR_WORDS);
  CHECK(!first.has_normal);
  fxModelSeed(model, 6);
  fxModelGetGenerator(model, &second);
  CHECK(memcmp(&first, &second, sizeof first));
  fxModelSetGenerator(model, &first);
  fxModelGetGenerator(model, &second);
  CHECK(!memcmp(&first, &second, sizeof first));
  CHECK(none[0] == NULL);
  /* Outputs outlive the model. */
  fxModelDestroy(model);
  double sum = 0;
  for (int i = 0; i < 50; ++i)
    sum += ((float *)y.data)[i];
  outputs[0]->deleter(outputs[0]);
  printf("sum %.5f\n", sum);
}

static void countBraces(const char *data, size_t size, void *user_data) {
  for (size_t i = 0; i < size; ++i)
    *(int *)user_data += data[i] == '{' ? 1 : data[i] == '}' ? 99 : 0;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: capi MODEL.pt2 FOLDER\n");
    return 2;
  }
  CHECK(strlen(fxVersion()) >= 5 && strchr(fxSchemaVersion(), '.'));
  int braces = 0;
  fxDescribeHost(countBraces, &braces);
  CHECK(braces == 100);
  fxDescribeHost(NULL, NULL);
  testErrors(argv[1], argv[2]);
  testModules(argv[1]);
  testBuilder();

  char path[4096];
  snprintf(path, sizeof path, "%s/m.so", argv[2]);
  FXModule *module = import(argv[1]);
#if __has_feature(address_sanitizer)
  (void)testCrashes; /* the sanitizer takes the signals itself */
#else
  testCrashes(module, path);
#endif
  FXError *error = NULL;
  Text report = {0};
  FXCompileOptions options = {.struct_size = sizeof options,
                              .emit = FX_EMIT_SHARED_OBJECT,
                              .name = "mlp",
                              .refuse_fallback = 1,
                              .on_phase = onPhase,
                              .phase_context = &phases,
                              .on_report = append,
                              .report_context = &report};
  if (fxModuleCompile(module, path, &options, &error)) {
    fprintf(stderr, "%s\n", fxErrorGetMessage(error));
    return 1;
  }
  CHECK(phases >= 5 && strstr(report.data, "\"phases\""));
  free(report.data);
  fxModuleDestroy(module);
  testRun(path);
  puts("ok");
  return 0;
}
