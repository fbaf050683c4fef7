#include <gtest/gtest.h>

#include <iostream>
#include <sstream>

#include "konfig/expect_test.h"
#include "konfig/json.h"
#include "loader/fixture_test.h"

namespace loader {
namespace {

using konfig::ErrorKind;
using konfig::expect_error;
using konfig::expect_error_at;

class DataFile : public FileTest {
 protected:
  std::string from_input(const std::string& text) {
    std::istringstream in(text);
    auto* old = std::cin.rdbuf(in.rdbuf());
    std::cin.clear();
    auto restore = std::shared_ptr<void>(nullptr, [&](void*) { std::cin.rdbuf(old); });
    return konfig::to_json(load({.source = "-"}));
  }
};

TEST_F(DataFile, JsonAndYaml) {
  const auto json = R"({"__qualname__": "optax:adam", "learning_rate": 0.1})";
  EXPECT_EQ(konfig::to_json(load({.source = write("a.json", json)})), json);
  const auto yaml = "__qualname__: optax:adam\nlearning_rate: 0.1\n";
  EXPECT_EQ(konfig::to_json(load({.source = write("a.yaml", yaml)})), json);
  EXPECT_EQ(konfig::to_json(load({.source = write("a.yml", yaml)})), json);
  EXPECT_EQ(from_input(yaml), json);
  EXPECT_EQ(from_input(" \n" + std::string(json)), json);
  EXPECT_TRUE(load_sweeps({.source = "-"}).empty());
}

TEST_F(DataFile, Errors) {
  const auto file = write("config.json", "{\"a\": }");
  expect_error_at(ErrorKind::value, file + ": ", [&] { load({.source = file}); });
  expect_error(ErrorKind::value, {"line 1"}, [&] { load({.source = file}); });
  for (const char* name : {"twice.json", "twice.yaml"}) {
    const auto twice = write(name, "{\"a\": 1,\n \"a\": 2}\n");
    expect_error(ErrorKind::value, {std::string(name) + ": ", "line 2 ", "'a' is given twice"},
                 [&] { load({.source = twice}); });
  }
  expect_error(ErrorKind::value, {"standard input: "}, [&] { from_input("{"); });
  expect_error(ErrorKind::value, {"confg.json: no such file; did you mean '" + file + "'?"},
               [&] { load({.source = (dir() / "confg.json").string()}); });
  expect_error(ErrorKind::value, {"there is no folder '/nowhere/at'"},
               [] { load({.source = "/nowhere/at/a.json"}); });
  std::filesystem::create_directory(dir() / "d.json");
  expect_error(ErrorKind::value, {"d.json: is a folder"},
               [&] { load({.source = (dir() / "d.json").string()}); });
  expect_error(ErrorKind::type, {"takes no arguments"},
               [&] { load({.source = file, .args = "x=1"}); });
}

}  // namespace
}  // namespace loader
