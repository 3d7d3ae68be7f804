# Makes the C source of an import library from a version script: one empty
# function for each symbol. Variables: MAP, OUT.
file(READ "${MAP}" text)
string(REPLACE ";" "," text "${text}")
string(REGEX REPLACE "#[^\n]*" "" text "${text}")
string(REGEX MATCHALL "[A-Za-z_][A-Za-z_0-9]*[ ]*," symbols "${text}")
set(source "")
foreach(symbol IN LISTS symbols)
  string(REGEX REPLACE "[ ,]" "" symbol "${symbol}")
  string(APPEND source "void ${symbol}(void) {}\n")
endforeach()
file(WRITE "${OUT}" "${source}")
