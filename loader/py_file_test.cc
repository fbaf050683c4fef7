#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "konfig/expect_test.h"
#include "konfig/json.h"
#include "konfig/print.h"
#include "loader/fixture_test.h"
#include "test_paths.h"

namespace loader {
namespace {

using konfig::ConfigDict;
using konfig::Dict;
using konfig::ErrorKind;
using konfig::expect_error;
using konfig::expect_error_at;
using konfig::List;
using konfig::Value;

class PyFile : public FileTest {
 protected:
  PyFile() {
    if (!find_program("python3")) skip_ = true;
    unset("KD_PY_TIMEOUT");
  }
  void SetUp() override {
    if (skip_) GTEST_SKIP() << "no python3";
  }
  std::string config(const std::string& body) const {
    return write("config.py",
                 "from kauldron import konfig\nwith konfig.imports():\n  from kauldron import kd\n"
                 "def get_config():\n  cfg = konfig.ConfigDict()\n" +
                     body + "  return cfg\n");
  }
  bool skip_ = false;
};

// cfg.a.b[0] = value
void set_path(const ConfigDict& cfg, const std::string& path, const Value& value) {
  std::vector<Value> keys;
  for (std::size_t i = 0; i < path.size();) {
    const auto end = std::min(path.find_first_of(".[", i), path.size());
    if (end > i) keys.emplace_back(path.substr(i, end - i));
    i = end + 1;
    if (end < path.size() && path[end] == '[') {
      keys.emplace_back(std::stoi(path.substr(end + 1)));
      i = path.find(']', end) + 1;
    }
  }
  auto item = keys.size() > 1 ? std::optional(cfg[keys[0].as<std::string>()]) : std::nullopt;
  for (std::size_t i = 1; i + 1 < keys.size(); ++i) {
    auto* index = keys[i].get_if<std::int64_t>();
    item.emplace(index ? (*item)[static_cast<int>(*index)] : (*item)[keys[i].as<std::string>()]);
  }
  ConfigDict(item ? item->get().as<ConfigDict>() : cfg).set(keys.back(), value);
}

// What Kauldron itself makes of the files, also after overrides.
TEST_F(PyFile, AsKauldronDoes) {
  const std::string folder = KD_SOURCE_DIR "/tests/configs_py/";
  const auto cases = konfig::parse_json(base::read_file(folder + "expected.json"));
  for (auto& one : cases.as<List>()) {
    auto& data = one.as<Dict>();
    const auto& file = data.at("file").as<std::string>();
    const auto& overrides = data.at("overrides").as<Dict>();
    SCOPED_TRACE(file + " " + konfig::to_json(overrides));
    const auto cfg = load({.source = folder + file,
                           .args = data.at("args").as<std::string>(),
                           .overrides = [&](const ConfigDict&) { return overrides; }});
    for (auto& [path, value] : overrides) set_path(cfg, path.as<std::string>(), value);
    EXPECT_EQ(konfig::to_json(cfg), data.at("json").as<std::string>());
    if (auto* text = data.at("repr").get_if<std::string>()) {
      EXPECT_EQ(konfig::repr(cfg), *text);
    }
  }
}

TEST_F(PyFile, ReferencesStayReferences) {
  const auto cfg = load({.source = config("  cfg.a = 2\n  cfg.b = cfg.ref.a * 3\n")});
  EXPECT_EQ(cfg["b"].get(), Value(6));
  cfg["a"] = 5;
  EXPECT_EQ(cfg["b"].get(), Value(15));
}

TEST_F(PyFile, FunctionsSeeOverrides) {
  const auto file = config("  cfg.a = 2\n  cfg.b = konfig.ref_fn(lambda a: a + 1, cfg.ref.a)\n");
  EXPECT_EQ(load({.source = file})["b"].get(), Value(3));
  const auto with = [&](const Dict& overrides) {
    return load({.source = file, .overrides = [=](const ConfigDict&) { return overrides; }});
  };
  EXPECT_EQ(with({{"a", 7}})["b"].get(), Value(8));
  EXPECT_EQ(with({{"ab", 7}})["b"].get(), Value(3));
  // An override that does not fit is the user's to know.
  expect_error(ErrorKind::type, {"config.py", "TypeError"}, [&] { with({{"a", "x"}}); });
}

TEST_F(PyFile, Arguments) {
  const auto file = write("args.py", R"(import dataclasses
@dataclasses.dataclass(frozen=True)
class ConfigArgs:
  n: int = 1
  t: tuple = ()
  s: str = ""
def get_config(args):
  return {"n": args.n, "t": args.t, "s": args.s}
)");
  const auto cfg = load({.source = file,
                         .args = "n=3,s=x",
                         .config_args = {{"t", konfig::Tuple{1, 2}}, {"s", "it's \"q\""}}});
  EXPECT_EQ(cfg["n"].get(), Value(3));
  EXPECT_EQ(cfg["t"].get(), Value(konfig::Tuple{1, 2}));
  EXPECT_EQ(cfg["s"].get(), Value("it's \"q\""));
  // Texts stay as they were typed.
  EXPECT_EQ(load({.source = file, .config_args = {{"s", 16, "0x10"}}})["s"].get(), Value("0x10"));
  expect_error(ErrorKind::type, {"no field 'm'"}, [&] {
    load({.source = file, .config_args = {{"m", 1}}});
  });
  const auto text = write("text.py", "def get_config(text):\n  return {'text': text}\n");
  EXPECT_EQ(load({.source = text, .args = "--a b"})["text"].get(), Value("--a b"));
}

TEST_F(PyFile, ManySetsOfArguments) {
  const auto file = write("args.py", R"(import dataclasses
count = 0
@dataclasses.dataclass(frozen=True)
class ConfigArgs:
  n: int = 1
  s: str = ""
def get_config(args):
  global count
  count += 1
  return {"n": 10 // args.n, "s": args.s, "count": count}
)");
  std::vector<std::vector<flags::ConfigArg>> sets;
  for (int n = 0; n < 50; ++n) sets.push_back({{"n", n}});
  const auto all = load_each({.source = file, .config_args = {{"s", "x"}}}, sets);
  ASSERT_EQ(all.size(), 50u);
  ASSERT_TRUE(all[0].error);
  EXPECT_EQ(all[0].error->kind(), ErrorKind::arithmetic);
  EXPECT_THAT(all[0].error->what(), testing::HasSubstr("args.py:10: ZeroDivisionError"));
  EXPECT_EQ(konfig::to_json(all[1].config), R"({"n": 10, "s": "x", "count": 1})");
  // None of them knows of the others.
  EXPECT_EQ(konfig::to_json(all[5].config), R"({"n": 2, "s": "x", "count": 1})");
  const auto wrong = load_each({.source = file}, {{{"m", 1}}, {{"n", 2}}});
  EXPECT_THAT(wrong.at(0).error->what(), testing::HasSubstr("no field 'm'"));
  EXPECT_FALSE(wrong.at(1).error);
}

TEST_F(PyFile, Sweeps) {
  auto sweeps = load_sweeps({.source = KD_SOURCE_DIR "/tests/configs_py/sweep.py"});
  EXPECT_EQ(sweeps.size(), 3u);
  ASSERT_EQ(sweeps["sweep"].items.size(), 4u);
  EXPECT_EQ(konfig::to_json(sweeps["sweep"].items[3]), R"({"seed": 1, "optimizer[0]": 0.0001})");
  EXPECT_EQ(sweeps["sweep_optimizer"].items.at(0).at("optimizer").as<ConfigDict>().qualname(),
            "optax:sgd");
  EXPECT_EQ(sweeps["sweep_kinds"].items.at(0).at("shape"), Value(konfig::Tuple{1, nullptr}));
}

TEST_F(PyFile, OneSweepThatFailsLeavesTheOthers) {
  const auto file = write("config.py", R"(def get_config():
  return {"x": 0}
def sweep_good():
  yield {"x": 1}
def sweep_bad():
  yield {"x": 1 / 0}
def sweep_endless():
  while True: pass
)");
  const auto some = load_sweeps({.source = file}, {"sweep_good", "sweep_bad"});
  EXPECT_EQ(some.size(), 3u);
  EXPECT_EQ(items_of(some.at("sweep_good")).size(), 1u);
  EXPECT_TRUE(some.at("sweep_endless").items.empty());  // not called
  expect_error(ErrorKind::arithmetic, {"config.py:6", "ZeroDivisionError", "1 / 0"},
               [&] { items_of(some.at("sweep_bad")); });
}

TEST_F(PyFile, Mistakes) {
  const auto file = config("  cfg.x = undefined_name\n");
  expect_error(ErrorKind::value, {"config.py:6", "undefined_name"},
               [&] { load({.source = file}); });
  expect_error(ErrorKind::value, {"confi.py: no such file; did you mean '" + file},
               [&] { load({.source = (dir() / "confi.py").string()}); });
}

TEST_F(PyFile, TimeLimit) {
  const auto file = write("loop.py", "import sys\nprint('here', flush=True)\nwhile True: pass\n");
  set("KD_PY_TIMEOUT", "5");
  expect_error(ErrorKind::value, {"loop.py: no result after 5 seconds", "KD_PY_TIMEOUT", "here"},
               [&] { load({.source = file}); });
  set("KD_PY_TIMEOUT", "soon");
  expect_error(ErrorKind::value, {"KD_PY_TIMEOUT=soon"}, [&] { load({.source = file}); });
}

TEST_F(PyFile, NoPython) {
  const auto file = config("");
  set("PATH", dir().string());
  expect_error_at(ErrorKind::value, file + ": python3 is needed", [&] { load({.source = file}); });
}

}  // namespace
}  // namespace loader
