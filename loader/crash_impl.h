// Code of a config that crashes takes the program with it. While one of these lives, its last words
// name the file and what was asked of it; then the signal ends the program as always.
//
//   const CrashReport report(file, "its global variables");
#pragma once

#include <signal.h>

#include <array>
#include <string>
#include <vector>

namespace loader {

class CrashReport {
 public:
  CrashReport(const std::string& file, const std::string& doing);
  ~CrashReport();
  CrashReport(const CrashReport&) = delete;
  CrashReport& operator=(const CrashReport&) = delete;

  static constexpr std::array kSignals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

 private:
  std::string text_;
  const char* outer_;        // of one around it
  std::vector<char> stack_;  // for the handler: the usual one may be full
  stack_t old_stack_ = {};
  std::array<struct sigaction, kSignals.size()> old_ = {};
};

}  // namespace loader
