# FX_STATIC_LLVM: LLVM, MLIR and lld as a part of libFX, for wheels. Their symbols are
# hidden, so that the library lives beside another LLVM in the process. What the tools
# and libFXTorch use of it is exported under a version of its own: they are the only
# C++ code that links such a library.

# fx_make_portable(target [SHARED_STDCXX]) lets a target run where the distribution's
# libstdc++ and the symbols of its glibc are missing. Only libFXTorch shares the
# libstdc++ of LibTorch, which throws exceptions.
function(fx_make_portable target)
  if(NOT FX_STATIC_LLVM)
    return()
  endif()
  cmake_parse_arguments(ARG "SHARED_STDCXX" "" "" ${ARGN})
  if(NOT TARGET fx_old_glibc)
    foreach(name IN ITEMS fx_old_glibc fx_old_glibc_main)
      add_library(${name} OBJECT "${PROJECT_SOURCE_DIR}/lib/Support/OldGlibc.c")
      target_compile_options(${name} PRIVATE -D_GNU_SOURCE -Wall -Wextra -ffunction-sections
        -fdata-sections)
    endforeach()
    target_compile_definitions(fx_old_glibc_main PRIVATE FX_EXECUTABLE)
  endif()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:fx_old_glibc_main>)
  else()
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:fx_old_glibc>)
  endif()
  if(NOT ARG_SHARED_STDCXX)
    target_link_options(${target} PRIVATE -static-libstdc++ -Wl,--exclude-libs,libstdc++.a)
  endif()
  # An older glibc has the functions of threads and libraries in files of their own.
  target_link_options(${target} PRIVATE -Wl,--gc-sections
    -Wl,--push-state,--no-as-needed,-l:libdl.so.2,-l:libpthread.so.0,--pop-state)
endfunction()

# fx_link_llvm_statically(target)
function(fx_link_llvm_statically target)
  file(GLOB archives "${LLVM_LIBRARY_DIR}/libMLIR*.a" "${LLVM_LIBRARY_DIR}/libLLVM*.a")
  list(FILTER archives EXCLUDE REGEX "/libMLIR(CAPI|[A-Za-z]*Test)[^/]*$")
  if(NOT archives)
    message(FATAL_ERROR "FX_STATIC_LLVM needs the archives of LLVM and MLIR, ${LLVM_LIBRARY_DIR} has none")
  endif()
  set(exports "${PROJECT_BINARY_DIR}/exports.ld")
  # The linker reads an archive's members when it needs them, in any order.
  target_link_libraries(${target} PRIVATE ${archives} ${CMAKE_DL_LIBS})
  target_link_options(${target} PRIVATE "${exports}"
    -Wl,--undefined-version,-z,defs,-Bsymbolic,-O2)
  fx_make_portable(${target})
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${exports}")
endfunction()

# fx_write_exports(targets...) writes the linker script that exports what the objects of
# these object libraries use.
function(fx_write_exports)
  set(exports "${PROJECT_BINARY_DIR}/exports.ld")
  set(list "${PROJECT_BINARY_DIR}/exports.rsp")
  set(script "${PROJECT_SOURCE_DIR}/cmake/WriteExports.cmake")
  set(objects)
  set(lines)
  foreach(target IN LISTS ARGN)
    list(APPEND objects $<TARGET_OBJECTS:${target}>)
    list(APPEND lines "$<JOIN:$<TARGET_OBJECTS:${target}>,\n>")
  endforeach()
  list(JOIN lines "\n" lines)
  file(GENERATE OUTPUT "${list}" CONTENT "${lines}\n")
  add_custom_command(OUTPUT "${exports}"
    COMMAND ${CMAKE_COMMAND} "-DNM=${LLVM_TOOLS_BINARY_DIR}/llvm-nm" "-DOBJECTS=${list}"
      "-DVERSION=FX_${PROJECT_VERSION}" "-DOUT=${exports}" -P "${script}"
    DEPENDS ${objects} "${list}" "${script}" COMMENT "Writing the exports of libFX" VERBATIM)
  add_custom_target(fx_exports DEPENDS "${exports}")
endfunction()
