// Databases of other versions, and damaged ones.
#include <fstream>

#include "kxm/sqlite_impl.h"
#include "kxm/state_fixture_test.h"

namespace kxm {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class StateVersions : public StateTest {};

TEST_F(StateVersions, OtherVersions) {
  {
    Connection db(state_path / "state.db", Connection::Mode::write);
    db.exec("PRAGMA user_version = 99");
  }
  const std::string file = state_path / "state.db";
  EXPECT_EQ(
      error_of([&] { State other(state_path); }),
      file + ": written by a newer version (schema 99, this program knows 2); use that version");
  const int xid = 1;
  {
    Connection db(state_path / "state.db", Connection::Mode::write);
    db.exec("PRAGMA user_version = 2");
    record({{shell("true")}});
    db.exec("PRAGMA user_version = 0");
  }
  EXPECT_EQ(error_of([&] { State other(state_path); }),
            file + ": written by an older version (schema 0, needed 2); run `kd state upgrade`");
  EXPECT_NE(error_of([&] { State other(state_path, State::Open::read); }), "");
  State::upgrade(state_path);
  EXPECT_EQ(State(state_path).count_units(xid)[JobState::waiting], 1);
  EXPECT_TRUE(fs::exists(file + ".v0"));
}

TEST_F(StateVersions, DamagedDatabase) {
  lose_database();
  std::ofstream(state_path / "state.db") << std::string(5000, 'x');
  EXPECT_THAT(error_of([&] { State other(state_path); }),
              HasSubstr("move it away and run `kd state rebuild`"));
}

}  // namespace
}  // namespace kxm
