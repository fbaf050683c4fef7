#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>

#include "konfig/docs.h"
#include "konfig/expect_test.h"
#include "konfig/json.h"
#include "konfig/registry.h"
#include "loader/build_info_impl.h"
#include "loader/compiler_impl.h"
#include "loader/engine.h"
#include "loader/fixture_test.h"

namespace loader {
namespace {

using konfig::ErrorKind;
using konfig::expect_error;
using konfig::expect_error_at;
using konfig::Value;

class CcFile : public CompileTest {};

TEST_F(CcFile, CompiledOnceThenCached) {
  use_fresh_cache();
  const auto file = write("my.cc", cc_config("  return {{\"seed\", 3}};"));
  EXPECT_EQ(konfig::to_json(load({.source = file})), R"({"seed": 3})");
  EXPECT_EQ(compiler_runs(), 1);
  EXPECT_EQ(cached(".so").size(), 1u);
  EXPECT_EQ(konfig::to_json(load({.source = file})), R"({"seed": 3})");
  EXPECT_EQ(probe(file).out, "{\"seed\": 3}\n");
  EXPECT_EQ(compiler_runs(), 1);
  EXPECT_TRUE(leftovers().empty());

  write("my.cc", cc_config("  return {{\"seed\", 4}};"));
  EXPECT_EQ(konfig::to_json(load({.source = file})), R"({"seed": 4})");
  EXPECT_EQ(compiler_runs(), 2);
  write("my.cc", cc_config("  return {{\"seed\", 3}};"));
  EXPECT_EQ(konfig::to_json(load({.source = file})), R"({"seed": 3})");
  EXPECT_EQ(compiler_runs(), 2) << "the first result is still there";
}

TEST_F(CcFile, TypedConfigWithArguments) {
  const auto file = write("typed.cc", R"(#include "kd/kd.h"
using namespace kd;
struct Args { int steps = 10; };
static Config<train::Trainer> get_config(const Args& args) {
  Config<train::Trainer> cfg;
  cfg.num_train_steps = args.steps;
  return cfg;
}
KONFIG_EXPORT(get_config)
)");
  EXPECT_EQ(load({.source = file, .config_args = {{"steps", 7}}})["num_train_steps"].get(),
            Value(7));
  EXPECT_EQ(load({.source = file})["num_train_steps"].get(), Value(10));
  expect_error_at(ErrorKind::type, "cfg.__args__.step: ", [&] {
    load({.source = file, .config_args = {{"step", 7}}});
  });
  expect_error(ErrorKind::value, {"cannot read the arguments 'x'", "name=value"},
               [&] { load({.source = file, .args = "x"}); });
}

TEST_F(CcFile, NeighboursAndStaleHeaders) {
  use_fresh_cache();
  write("sizes.h", "#pragma once\n#include \"deep/more.h\"\n");
  write("deep/more.h", "#pragma once\ninline int size() { return 1; }\n");
  const auto file =
      write("my.cc", cc_config("  return {{\"size\", size()}};", "#include \"sizes.h\"\n"));
  EXPECT_EQ(load({.source = file})["size"].get(), Value(1));
  EXPECT_EQ(load({.source = file})["size"].get(), Value(1));
  EXPECT_EQ(compiler_runs(), 1);
  write("deep/more.h", "#pragma once\ninline int size() { return 2; }\n");
  EXPECT_EQ(load({.source = file})["size"].get(), Value(2));
  EXPECT_EQ(compiler_runs(), 2);
  std::filesystem::remove(dir() / "deep/more.h");
  expect_error(ErrorKind::value, {"sizes.h:2:", "deep/more.h"}, [&] { load({.source = file}); });
}

TEST_F(CcFile, LoadedForItsTypesAlone) {
  use_fresh_cache();
  const auto file = write("types.cc", R"(#include "kd/kd.h"
struct LoadedAlone { int size = 3; };
KONFIG_REGISTER(LoadedAlone, "loaded.alone:Type");
)");
  EXPECT_FALSE(konfig::find_symbol("loaded.alone:Type"));
  load_types(file);
  EXPECT_TRUE(konfig::find_symbol("loaded.alone:Type"));
  load_types(file);
  EXPECT_EQ(compiler_runs(), 1);
  expect_error(ErrorKind::value, {"types.yaml: expected a C++ file"},
               [&] { load_types("types.yaml"); });
  expect_error(ErrorKind::value, {"missing.cc"},
               [&] { load_types((dir() / "missing.cc").string()); });
}

TEST_F(CcFile, CommentsOfFieldsAreTheirDocs) {
  use_fresh_cache();
  write("sizes.h", R"(#pragma once
struct DocumentedSizes {
  int width = 3;  // units of a layer
};
)");
  const std::string text = R"(#include "kd/kd.h"
#include "sizes.h"
namespace {
// A type of one's own.
struct Documented {
  // What is seen.
  int shown = 1;
  DocumentedSizes sizes;  // of the layers
};
}
KONFIG_REGISTER(Documented, "documented.alone:Type");
)";
  // Compiled, and found compiled.
  for (int i = 0; i < 2; ++i) {
    load_types(write("documented.cc", text));
    const konfig::Type& type = *konfig::find_symbol("documented.alone:Type")->type;
    EXPECT_EQ(konfig::type_doc(type), "A type of one's own.");
    EXPECT_EQ(konfig::field_doc(type, "shown"), "What is seen.");
    EXPECT_EQ(konfig::field_doc(type, "sizes"), "of the layers");
    EXPECT_EQ(konfig::field_doc(type.find("sizes")->type(), "width"), "units of a layer");
  }
  EXPECT_EQ(compiler_runs(), 1);
}

// As a checkout or an update of a package does.
TEST_F(CcFile, HeadersWrittenAnewWithTheSameText) {
  const auto root = dir().string();
  const auto header = write("part.h", "#pragma once\nstruct Part {};\n");
  const auto prefix = write("prefix/prefix.h", "#include \"part.h\"\n");
  std::filesystem::last_write_time(
      header, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  const Compiler compiler = find_compiler();
  const auto compile = [&](const std::vector<std::string>& arguments) {
    const auto made = run_compiler(compiler, arguments, dir());
    EXPECT_TRUE(made.outcome.ok()) << made.outcome.err;
  };
  compile({"-I" + root, "-x", "c++-header", header, "-o", prefix + ".gch"});
  write("part.h", "#pragma once\nstruct Part {};\n");
  const auto source = write("uses.cc", "#include \"part.h\"\nPart part;\n");
  compile({"-include", prefix, "-I" + root, "-c", source, "-o", (dir() / "uses.o").string()});
}

TEST_F(CcFile, OwnTypesAreRegistered) {
  const auto file = write("own.cc", R"(#include "kd/kd.h"
namespace my_project {
struct MyLoss { double scale = 5; };
}
KONFIG_LOCAL_COMPONENT(kd::Loss, my_project::MyLoss);
static kd::Config<kd::train::Trainer> get_config() {
  kd::Config<kd::train::Trainer> cfg;
  cfg.train_losses["mine"] = my_project::MyLoss{.scale = 4};
  return cfg;
}
KONFIG_EXPORT(get_config)
)");
  const auto cfg = load({.source = file});
  EXPECT_EQ(konfig::to_json(cfg["train_losses"]["mine"].get()),
            R"({"__qualname__": "my_project:MyLoss", "scale": 4.0})");
  ASSERT_NE(konfig::find_symbol("my_project:MyLoss"), nullptr);
}

// The umbrella header brings the components of every header, through one that the build makes.
TEST_F(CcFile, EveryComponentIsThere) {
  const auto file = write("all.cc", R"(#include "kd/kd.h"
static kd::Config<kd::train::Trainer> get_config() {
  kd::Config<kd::train::Trainer> cfg;
  cfg.train_losses["mask"] = kd::losses::contrib::DiceLoss{.preds = "preds.mask", .targets = "batch.mask"};
  return cfg;
}
KONFIG_EXPORT(get_config)
)");
  EXPECT_EQ(konfig::to_json(load({.source = file})["train_losses"]["mask"].get()),
            R"({"__qualname__": "kauldron.contrib.losses:DiceLoss", )"
            R"("preds": "preds.mask", "targets": "batch.mask"})");
}

// Two files may define different types of one name.
TEST_F(CcFile, TypesOfOneNameStayApart) {
  const auto config = [](const std::string& fields, const std::string& init) {
    return "#include \"kd/kd.h\"\nstruct Mine {" + fields +
           "};\nKONFIG_REGISTER(Mine, \"test:Mine\");\nstatic konfig::Config<Mine> get_config() {\n"
           "  konfig::Config<Mine> cfg;\n  " +
           init + "\n  return cfg;\n}\nKONFIG_EXPORT(get_config)\n";
  };
  const auto a = write("a.cc", config("int x = 0;", "cfg.x = 1;"));
  const auto b = write("b.cc", config("std::string s; double y = 0;", "cfg.y = 2; cfg.s = \"t\";"));
  EXPECT_EQ(konfig::to_json(load({.source = a})), R"({"__qualname__": "test:Mine", "x": 1})");
  EXPECT_EQ(konfig::to_json(load({.source = b})),
            R"({"__qualname__": "test:Mine", "s": "t", "y": 2.0})");
  EXPECT_EQ(konfig::to_json(load({.source = a})), R"({"__qualname__": "test:Mine", "x": 1})");
}

TEST_F(CcFile, MistakesShowFileAndLine) {
  use_fresh_cache();
  const auto file = write("typo.cc", R"(#include "kd/kd.h"
static kd::Config<kd::train::Trainer> get_config() {
  kd::Config<kd::train::Trainer> cfg;
  cfg.sed = 42;
  cfg.modl = 1;
  return cfg;
}
KONFIG_EXPORT(get_config)
)");
  expect_error_at(ErrorKind::value, file + ":4:7: error: ", [&] { load({.source = file}); });
  expect_error(ErrorKind::value,
               {"did you mean 'seed'", "  cfg.sed = 42;", "(1 more error; KD_VERBOSE=1"},
               [&] { load({.source = file}); });
  set("KD_VERBOSE", "1");
  expect_error(ErrorKind::value, {"typo.cc:4:7: error", "typo.cc:5:7: error", "-shared"},
               [&] { load({.source = file}); });
  EXPECT_TRUE(cached(".so").empty());
  EXPECT_TRUE(leftovers().empty());
}

TEST_F(CcFile, FilesThatCannotBeLoaded) {
  const auto none = write("none.cc", "int x;\n");
  expect_error_at(ErrorKind::value, none + ": defines no config; end it with KONFIG_EXPORT",
                  [&] { load({.source = none}); });
  const auto undefined =
      write("undefined.cc", cc_config("  return {{\"x\", missing(1)}};", "int missing(int);\n"));
  expect_error(ErrorKind::value, {"missing(int) is declared but not defined"},
               [&] { load({.source = undefined}); });
  const auto declared =
      write("declared.cc",
            cc_config("  return konfig::lower(konfig::Config<Sizes>());",
                      "struct Sizes { int n = 1; };\nKONFIG_TYPE(Sizes, \"mine:Sizes\");\n"));
  expect_error(ErrorKind::value, {"in a file.cc write KD_COMPONENT(Interface, Sizes)"},
               [&] { load({.source = declared}); });
  const auto other = write("other.cc", R"(#include "kd/kd.h"
extern "C" const konfig::ConfigEntry* konfig_config_entry() {
  static const konfig::ConfigEntry entry{nullptr, nullptr, "konfig 0; other"};
  return &entry;
}
)");
  expect_error(ErrorKind::value, {"was compiled with 'konfig 0; other'", "KD_CXX"},
               [&] { load({.source = other}); });
  const auto throwing = write("throwing.cc", cc_config("  throw std::runtime_error(\"no luck\");",
                                                       "#include <stdexcept>\n"));
  expect_error_at(ErrorKind::value, throwing + ": get_config failed: no luck",
                  [&] { load({.source = throwing}); });
}

TEST_F(CcFile, CrashesNameTheFile) {
  use_fresh_cache();
  const auto function = write("function.cc", cc_config("  int* volatile p = nullptr;\n"
                                                       "  *p = 1;\n"
                                                       "  return {};"));
  Outcome run = probe(function);
  EXPECT_EQ(run.signal, SIGSEGV);
  EXPECT_EQ(run.err, "loader_probe: error: " + function +
                         ": crashed in get_config(): SIGSEGV; a debugger shows where: gdb --args "
                         "loader_probe ...\n");
  const auto variable =
      write("variable.cc", cc_config("  return {};", "static int x = (std::abort(), 1);"));
  run = probe(variable);
  EXPECT_EQ(run.signal, SIGABRT);
  EXPECT_THAT(run.err, testing::HasSubstr(variable + ": crashed in its global variables: SIGABRT"));
  // A stack that is full leaves room for it.
  const auto endless =
      write("endless.cc",
            cc_config("  return {{\"x\", deep(1)}};",
                      "static int deep(int n) {\n  volatile char a[1024];\n  a[n % 1024] = 1;\n"
                      "  return n == 0 ? a[0] : deep(n + 1) + a[1];\n}"));
  EXPECT_THAT(probe(endless).err, testing::HasSubstr("crashed in get_config(): SIGSEGV"));
}

TEST_F(CcFile, MissingFileAndCompiler) {
  const auto file = write("config.cc", cc_config("  return {};"));
  expect_error(ErrorKind::value, {"confg.cc: no such file; did you mean '" + file + "'?"},
               [&] { load({.source = (dir() / "confg.cc").string()}); });
  set("KD_CXX", "/nowhere/g++");
  expect_error(ErrorKind::value, {"need a compiler", "'/nowhere/g++' is not there", "KD_CXX"},
               [&] { load({.source = file}); });
}

// A library that only files with models of their own need.
TEST_F(CcFile, EngineIsLoadedWhenItIsNeeded) {
  static std::string engine;
  static int loads;
  engine = (dir() / "libengine.so").string();
  const auto source = write("engine.cc", "int test_engine_answer() { return 42; }\n");
  ASSERT_TRUE(run({.argv = {compiler_name(), "-shared", "-fPIC", source, "-o", engine}}).ok());
  set_engine_loader([] {
    ++loads;
    ::dlopen(engine.c_str(), RTLD_NOW | RTLD_GLOBAL);
  });
  EXPECT_EQ(load({.source = write("plain.cc", cc_config("  return {{\"x\", 1}};"))}).size(), 1u);
  EXPECT_EQ(loads, 0);
  const auto file = write("model.cc", cc_config("  return {{\"x\", test_engine_answer()}};",
                                                "int test_engine_answer();\n"));
  EXPECT_EQ(load({.source = file})["x"].get(), Value(42));
  EXPECT_EQ(loads, 1);
  set_engine_loader(nullptr);
}

// The file is not to blame.
TEST_F(CcFile, SaysWhyTheEngineCannotBeLoaded) {
  set_engine_loader(
      [] { throw konfig::Error(ErrorKind::unsupported, "the engine cannot be loaded: why"); });
  const auto file = write("model.cc", cc_config("  return {{\"x\", test_absent_engine()}};",
                                                "int test_absent_engine();\n"));
  for (int i = 0; i < 2; ++i) {
    expect_error(ErrorKind::unsupported, {"the engine cannot be loaded: why"},
                 [&] { load({.source = file}); });
  }
  set_engine_loader(nullptr);
}

TEST_F(CcFile, Sweeps) {
  const auto file = write("sweep.cc", cc_config("  return {{\"seed\", 0}};", R"(
static std::vector<konfig::Dict> sweep() { return {{{"seed", 1}}, {{"seed", 2}}}; }
static std::vector<konfig::Dict> rates() { return {{{"lr", 0.1}, {"seed", 3}}}; }
static std::vector<konfig::Dict> bad() { throw std::runtime_error("no data"); }
KONFIG_SWEEP(sweep)
KONFIG_SWEEP("lr", rates)
KONFIG_SWEEP("bad", bad)
)"));
  auto sweeps = load_sweeps({.source = file});
  ASSERT_EQ(sweeps.size(), 3u);
  EXPECT_EQ(konfig::to_json(sweeps["sweep"].items.at(1)), R"({"seed": 2})");
  EXPECT_EQ(konfig::to_json(sweeps["sweep_lr"].items.at(0)), R"({"lr": 0.1, "seed": 3})");
  expect_error(ErrorKind::value, {"sweep.cc: sweep_bad failed: no data"},
               [&] { items_of(sweeps["sweep_bad"]); });
  const auto again = load_sweeps({.source = file}, {"sweep_lr"});  // it is loaded already
  EXPECT_EQ(again.size(), 3u);
  EXPECT_TRUE(again.at("sweep").items.empty());
  EXPECT_FALSE(again.at("sweep_bad").error);  // not called
  EXPECT_TRUE(load_sweeps({.source = write("none.cc", cc_config("  return {};"))}).empty());
}

}  // namespace
}  // namespace loader
