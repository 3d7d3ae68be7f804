# Build helpers shared by every folder of the project.

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")

# The libraries LLVM and MLIR are linked as the distribution's two shared
# objects: one process must hold one copy of each. With FX_STATIC_LLVM they are
# a part of libFX.
set(FX_MLIR_LIBS MLIR LLVM)
if(FX_STATIC_LLVM)
  set(FX_MLIR_LIBS)
endif()
include(StaticLLVM)

add_library(fx_flags INTERFACE)
target_compile_options(fx_flags INTERFACE
  -Wall -Wextra -Wno-unused-parameter -fdiagnostics-color
  $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>)
if(FX_ENABLE_ASSERTIONS)
  target_compile_options(fx_flags INTERFACE -UNDEBUG)
endif()
if(FX_ENABLE_SANITIZERS)
  # LLVM has no type information at run time, which `vptr` and `function` need.
  set(sanitizers -fsanitize=address,undefined -fno-sanitize=vptr,function)
  add_compile_options(${sanitizers} -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  # The sanitizer as a library of its own, so that Python can load it, too,
  # before it loads ours.
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} --print-runtime-dir
    OUTPUT_VARIABLE runtime_dir OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(FX_SANITIZER_RUNTIME "${runtime_dir}/libclang_rt.asan-x86_64.so")
  add_link_options(${sanitizers} -shared-libasan "-Wl,-rpath,${runtime_dir}")
endif()
if(FX_ENABLE_FUZZERS)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# fx_add_pch(name source) compiles `source` as a header for the targets that
# fx_use_pch names, with the same flags as theirs: lib/Pch.cpp serves what uses MLIR,
# lib/Interpreter/Pch.cpp what uses LibTorch besides. They list upstream's headers
# only: a cached object is found by a sum over that file, which does not see a
# change in a header of ours.
#
# Not target_precompile_headers: that force-includes a generated file by its
# absolute path, so that a compiler cache never finds an object of another build
# folder. ccache compares the sum beside it (CCACHE_PCH_EXTSUM) instead of its
# content, and must not share the header itself, which does hold paths. Further arguments
# become a part of the sum: the version of other headers that `source` includes.
function(fx_add_pch name source)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    return()
  endif()
  add_library(${name} OBJECT ${source})
  set_target_properties(${name} PROPERTIES CXX_COMPILER_LAUNCHER "")
  # Templates that the headers use are instantiated once, here, not in each file.
  target_compile_options(${name} PRIVATE -xc++-header
    "SHELL:-Xclang -fpch-instantiate-templates")
  set(pch "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${name}.dir/${source}.o")
  set_property(GLOBAL PROPERTY ${name} "${pch}")
  file(SHA256 "${CMAKE_CURRENT_SOURCE_DIR}/${source}" sum)
  list(APPEND sum "${LLVM_PACKAGE_VERSION}" "${CMAKE_CXX_COMPILER_VERSION}" ${ARGN})
  list(JOIN sum " " sum)
  file(WRITE "${pch}.sum" "${sum}\n")
endfunction()

function(fx_use_pch target name)
  get_property(pch GLOBAL PROPERTY ${name})
  if(NOT pch)
    return()
  endif()
  add_dependencies(${target} ${name})
  target_compile_options(${target} PRIVATE
    "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-include-pch ${pch}>")
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  set_property(SOURCE ${sources} APPEND PROPERTY OBJECT_DEPENDS "${pch}")
endfunction()

# fx_get_torch_release(torch_dir variable): the release of a torch, such as 2.13.
function(fx_get_torch_release torch_dir variable)
  file(STRINGS "${torch_dir}/version.py" line REGEX "^__version__ = ")
  if(NOT line MATCHES "'([0-9]+[.][0-9]+)")
    message(FATAL_ERROR "${torch_dir} has no torch")
  endif()
  set(${variable} "${CMAKE_MATCH_1}" PARENT_SCOPE)
endfunction()

# fx_tablegen(ODS.td target -gen-x out.inc [-gen-y out2.inc ...])
function(fx_tablegen td target)
  set(LLVM_TARGET_DEFINITIONS "${td}")
  set(args ${ARGN})
  while(args)
    list(POP_FRONT args gen out)
    set(extra "")
    if(gen MATCHES ":")
      string(REPLACE ":" ";" gen "${gen}")
      list(POP_FRONT gen first)
      set(extra ${gen})
      set(gen ${first})
    endif()
    if(gen STREQUAL "-gen-pass-decls")
      set(made "${CMAKE_CURRENT_BINARY_DIR}/${out}")
      mlir_tablegen(${out}.upstream ${gen} ${extra} EXTRA_INCLUDES "${PROJECT_SOURCE_DIR}/include")
      set(script "${PROJECT_SOURCE_DIR}/cmake/PassStatistics.cmake")
      add_custom_command(OUTPUT "${made}"
        COMMAND ${CMAKE_COMMAND} "-DIN=${made}.upstream" "-DOUT=${made}" -P "${script}"
        DEPENDS "${made}.upstream" "${script}" VERBATIM)
      list(APPEND TABLEGEN_OUTPUT "${made}")
      continue()
    endif()
    mlir_tablegen(${out} ${gen} ${extra} EXTRA_INCLUDES "${PROJECT_SOURCE_DIR}/include")
  endwhile()
  add_public_tablegen_target(${target})
  set_property(GLOBAL APPEND PROPERTY FX_TABLEGEN_TARGETS ${target})
endfunction()

# fx_layer(name [USES layers...])
# A layer of docs/Architecture.md, and those that its libraries link.
function(fx_layer name)
  cmake_parse_arguments(ARG "" "" "USES" ${ARGN})
  set_property(GLOBAL APPEND PROPERTY FX_LAYERS ${name})
  set_property(GLOBAL PROPERTY FX_LAYER_USES_${name} ${ARG_USES})
endfunction()

# fx_add_layer_checks() adds check-layers, a part of `all`, which links each layer with
# nothing but those that it uses: what it takes of another is an undefined symbol.
# Instrumented code has undefined symbols of its own.
function(fx_add_layer_checks)
  if(SKBUILD OR FX_STATIC_LLVM OR FX_ENABLE_SANITIZERS OR FX_ENABLE_FUZZERS)
    return()
  endif()
  add_custom_target(check-layers ALL)
  get_property(layers GLOBAL PROPERTY FX_LAYERS)
  foreach(layer IN LISTS layers)
    get_property(objects GLOBAL PROPERTY FX_LAYER_OBJECTS_${layer})
    get_property(link_libs GLOBAL PROPERTY FX_LAYER_LINK_LIBS_${layer})
    get_property(uses GLOBAL PROPERTY FX_LAYER_USES_${layer})
    list(TRANSFORM uses REPLACE "/" "-")
    list(TRANSFORM uses PREPEND fx-layer-)
    string(REPLACE "/" "-" name "fx-layer-${layer}")
    add_library(${name} SHARED EXCLUDE_FROM_ALL ${objects})
    # Linked anew for its own objects only: code that changes is no other layer's affair.
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX LINK_DEPENDS_NO_SHARED ON
      LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/layers")
    target_link_options(${name} PRIVATE -Wl,-z,defs)
    target_link_libraries(${name} PRIVATE ${uses} ${FX_MLIR_LIBS} ${link_libs})
    add_dependencies(check-layers ${name})
  endforeach()
endfunction()

# add_fx_library(name LAYER layer sources... [DEPENDS targets...] [LINK_LIBS libs...])
# An object library that becomes part of libFX. Nothing in it may link LibTorch.
function(add_fx_library name)
  cmake_parse_arguments(ARG "NO_PCH" "LAYER" "DEPENDS;LINK_LIBS" ${ARGN})
  add_library(${name} OBJECT ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE fx_flags ${ARG_LINK_LIBS})
  get_property(gen GLOBAL PROPERTY FX_TABLEGEN_TARGETS)
  if(gen OR ARG_DEPENDS)
    add_dependencies(${name} ${gen} ${ARG_DEPENDS})
  endif()
  if(NOT ARG_NO_PCH)
    fx_use_pch(${name} fx_pch)
  endif()
  set_property(GLOBAL APPEND PROPERTY FX_LIBS ${name})
  set_property(GLOBAL APPEND PROPERTY FX_LINK_LIBS ${ARG_LINK_LIBS})
  set_property(GLOBAL APPEND PROPERTY FX_LAYER_OBJECTS_${ARG_LAYER} $<TARGET_OBJECTS:${name}>)
  set_property(GLOBAL APPEND PROPERTY FX_LAYER_LINK_LIBS_${ARG_LAYER} ${ARG_LINK_LIBS})
endfunction()

# add_fx_tool(name sources... [LINK_LIBS libs...])
function(add_fx_tool name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  # An object library is compiled -fPIC like the libraries, not -fPIE: the precompiled
  # header must have the same. It also tells what the tool uses of libFX.
  add_library(${name}-objects OBJECT ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name}-objects PRIVATE fx_flags)
  get_property(gen GLOBAL PROPERTY FX_TABLEGEN_TARGETS)
  add_dependencies(${name}-objects ${gen})
  fx_use_pch(${name}-objects fx_pch)
  add_executable(${name} $<TARGET_OBJECTS:${name}-objects>)
  target_link_libraries(${name} PRIVATE FX ${FX_MLIR_LIBS} ${ARG_LINK_LIBS})
  fx_make_portable(${name})
  set_property(GLOBAL APPEND PROPERTY FX_TOOLS ${name})
endfunction()
