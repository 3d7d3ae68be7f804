# FX_PYTHON: the Python that runs lit and the tests' scripts, and that the
# extension is built for: the one whose site-packages hold the torch that we
# link, else any that is found.
if(SKBUILD)
  set(FX_PYTHON "${Python_EXECUTABLE}")
endif()
if(NOT FX_PYTHON AND FX_TORCH_DIR)
  get_filename_component(fx_python_root "${FX_TORCH_DIR}/../../../.." ABSOLUTE)
  if(EXISTS "${fx_python_root}/bin/python3")
    set(FX_PYTHON "${fx_python_root}/bin/python3")
  endif()
endif()
if(NOT FX_PYTHON)
  find_package(Python3 COMPONENTS Interpreter REQUIRED)
  set(FX_PYTHON "${Python3_EXECUTABLE}")
endif()
if(SKBUILD AND NOT FX_TORCH_DIR)
  execute_process(COMMAND "${FX_PYTHON}" -c
      "import importlib.util as u, os; print(os.path.dirname(u.find_spec('torch').origin))"
    OUTPUT_VARIABLE FX_TORCH_DIR OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(FX_ENABLE_TORCH AND NOT FX_TORCH_DIR)
    # A package without the fallback would fail on the first odd operator.
    message(FATAL_ERROR "fx-mlir is built for the torch of its Python, and ${FX_PYTHON} has none: "
      "run `pip install torch==2.13.*` first, or pip without --no-build-isolation")
  endif()
endif()
