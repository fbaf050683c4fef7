// What tests of the state share.
#pragma once

#include <exception>
#include <filesystem>
#include <functional>
#include <string>

#include "kxm/fixture_test.h"

namespace kxm {

class StateTest : public RunTest {
 protected:
  static std::string error_of(const std::function<void()>& work) {
    try {
      work();
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  }
  void lose_database() const {
    for (const char* name : {"state.db", "state.db-wal", "state.db-shm"}) {
      std::filesystem::remove(state_path / name);
    }
  }
};

}  // namespace kxm
