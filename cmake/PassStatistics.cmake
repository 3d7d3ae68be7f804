# cmake -DIN=... -DOUT=... -P: declarations of passes whose statistics count in
# every build of LLVM (fx/Support/PassStatistic.h).
file(READ "${IN}" text)
string(REPLACE "::mlir::Pass::Statistic " "::fx::PassStatistic " text "${text}")
file(WRITE "${OUT}" "${text}")
