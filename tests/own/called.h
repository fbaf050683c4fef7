// What a user's own implementation of an interface leaves behind when it is called: one line.
#pragma once

#include <cstdio>
#include <mutex>
#include <set>
#include <string>

inline void called(const std::string& interface) {
  static std::mutex mutex;  // workers of a pipeline call, too
  static std::set<std::string> told;
  const std::lock_guard lock(mutex);
  if (told.insert(interface).second) std::fprintf(stderr, "own %s\n", interface.c_str());
}
