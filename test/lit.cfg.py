# How lit runs the tests. Loaded by the build's lit.site.cfg.py.
#
# Substitutions: %python (the interpreter that has torch), %loading_python (the
# same, where it loads our libraries), %fx_lib (the build's lib folder),
# %torch_lib (torch's), %fx_obj (the build folder), %fx_src (the source root),
# %docs (the generated pages), %scripts (scripts/), %cmake_compilers (what to
# configure another project with).
# Features: torch (%python has it), libtorch (the interpreter and the fallback
# are built), asan, ptxas (of a CUDA toolkit), spirv-val, clang-format, seccomp (system calls can be filtered, for
# x86-64), long (only with scripts/test.sh --long), and one for each
# tool that was built (fx-opt, fx-translate, fx-compile, fx-quantize, fx-run, fx-reduce,
# fx-lsp-server).

import os
import platform
import resource
import shutil

import lit.formats

config.name = "fx"
config.test_format = lit.formats.ShTest()
config.suffixes = [".mlir", ".test", ".py"]
config.excludes = ["EndToEnd", "Fuzz", "Python", "Inputs", "lit.cfg.py", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.fx_obj_root, "test")

bin_dir = os.path.join(config.fx_obj_root, "bin")
lib_dir = os.path.join(config.fx_obj_root, "lib")

# Our tools first, then FileCheck, not, mlir-opt and the like.
config.environment["PATH"] = os.pathsep.join(
    [bin_dir, config.llvm_tools_dir, os.environ.get("PATH", "")]
)
for name in ("CCACHE_DIR", "ASAN_OPTIONS", "ASAN_SYMBOLIZER_PATH", "OMP_NUM_THREADS", "TMPDIR"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
# Tests compile everything, and leave the user's cache alone. Tests of the cache name a folder.
config.environment["FX_CACHE"] = "0"
config.environment["PYTHONPATH"] = os.path.join(config.fx_src_root, "test", "EndToEnd")

config.substitutions.append(("%python", config.python))
# Libraries with the sanitizer need it to be there first.
preload = f"env LD_PRELOAD={config.sanitizer_runtime} " if config.sanitizers else ""
config.substitutions.append(("%loading_python", preload + config.python))
config.substitutions.append(("%fx_lib", lib_dir))
config.substitutions.append(("%torch_lib", os.path.join(config.torch_dir or "", "lib")))
config.substitutions.append(("%fx_obj", config.fx_obj_root))
config.substitutions.append(("%cmake_compilers", " ".join(config.cmake_compilers)))
config.substitutions.append(("%fx_src", config.fx_src_root))
config.substitutions.append(("%docs", os.path.join(config.fx_obj_root, "docs")))
config.substitutions.append(("%scripts", os.path.join(config.fx_src_root, "scripts")))

for tool in ("fx-opt", "fx-translate", "fx-compile", "fx-quantize", "fx-run", "fx-reduce", "fx-lsp-server"):
    if os.path.exists(os.path.join(bin_dir, tool)):
        config.available_features.add(tool)
if os.path.exists(os.path.join(config.fx_obj_root, "docs", "Dialect.md")):
    config.available_features.add("fx-reference")
if shutil.which("ptxas", path=config.environment["PATH"]):
    config.available_features.add("ptxas")
if shutil.which("spirv-val", path=config.environment["PATH"]):
    config.available_features.add("spirv-val")
if shutil.which("clang-format-22", path=config.environment["PATH"]):
    config.available_features.add("clang-format")
if platform.machine() == "x86_64" and os.path.exists("/proc/sys/kernel/seccomp"):
    config.available_features.add("seccomp")
if config.torch_dir:
    config.available_features.add("torch")
if os.path.exists(os.path.join(lib_dir, "libFXTorch.so")):
    config.available_features.add("libtorch")
if lit_config.params.get("long"):
    config.available_features.add("long")

# A test that hangs or eats the machine is a failing test, not a dead machine.
# Tests of big sparse archives raise the soft limit themselves (`ulimit -v`).
try:
    import psutil  # noqa: F401  lit needs it to end a test's whole process tree

    config.maxIndividualTestTime = 300 if config.sanitizers else 120
except ImportError:
    lit_config.warning("no psutil: tests run without a time limit")
if config.sanitizers:
    # The sanitizer reserves terabytes of address space: limit what is resident.
    config.available_features.add("asan")
    # LLVM's allocators poison their slabs in our code, but the distribution's
    # libraries, built without the sanitizer, never clear that.
    options = config.environment.get("ASAN_OPTIONS", "")
    config.environment["ASAN_OPTIONS"] = ":".join(
        filter(None, [options, "detect_leaks=0", "allow_user_poisoning=0", "hard_rss_limit_mb=4096"])
    )
else:
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    limit = 8 << 30
    if hard == resource.RLIM_INFINITY or hard > limit:
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
