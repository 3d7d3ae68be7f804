# cmake -DNM=... -DOBJECTS=... -DVERSION=... -DOUT=... -P: a linker script that exports the
# C interface, and the symbols of LLVM, MLIR and fx-mlir that the objects use.
execute_process(COMMAND "${NM}" --undefined-only --just-symbol-name "@${OBJECTS}"
  OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "_Z[^\n]*(4llvm|4mlir|2fx)[^\n]*" symbols "${symbols}")
list(REMOVE_DUPLICATES symbols)
list(SORT symbols)
list(LENGTH symbols count)
if(count EQUAL 0)
  message(FATAL_ERROR "no symbols in the objects of ${OBJECTS}")
endif()
list(JOIN symbols "\n" uses)
list(JOIN symbols ";\n" exports)
file(WRITE "${OUT}" "EXTERN(\n${uses}\n)\n"
  "VERSION { ${VERSION} {\nglobal:\nfx[A-Z]*;\n${exports};\nlocal: *;\n}; }\n")
message(STATUS "libFX exports ${count} symbols to the tools and libFXTorch")
