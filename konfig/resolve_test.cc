#include "konfig/resolve.h"

#include <gtest/gtest.h>

#include "konfig/expect_test.h"
#include "konfig/json.h"
#include "konfig/reference.h"
#include "konfig/registry.h"

namespace konfig {
namespace {

struct Made {
  std::string name;
  Arguments args;
};

std::vector<std::string>& log() {
  static std::vector<std::string> names;
  return names;
}

// `resolve_test:<name>` remembers its arguments and logs its construction.
void register_type(const std::string& name, std::vector<std::string> raw_fields = {}) {
  register_symbol(
      {.qualname = "resolve_test:" + name,
       .construct = [name](const Arguments& args) -> Value {
         std::string label = name;
         if (!args.positional.empty()) label += args.positional[0].repr();
         log().push_back(label);
         return Object{.type = nullptr, .ptr = std::make_shared<Made>(Made{name, args})};
       },
       .raw_fields = std::move(raw_fields)});
}

const Made& made(const Value& v) { return *static_cast<const Made*>(v.as<Object>().ptr.get()); }

class ResolveTest : public testing::Test {
 protected:
  void SetUp() override {
    log().clear();
    register_type("A");
    register_type("B");
    register_type("Raw", {"raw"});
    register_symbol({.qualname = "resolve_test:fail", .construct = [](const Arguments&) -> Value {
                       throw Error(ErrorKind::value, "bad news");
                     }});
    register_symbol({.qualname = "resolve_test:throws", .construct = [](const Arguments&) -> Value {
                       throw std::runtime_error("foreign trouble");
                     }});
    register_symbol({.qualname = "resolve_test:PI", .constant = Value(3.14)});
  }
};

TEST_F(ResolveTest, ChildrenFirstInOrder) {
  ConfigDict cfg = call("resolve_test:B", {{"x", call("resolve_test:A", {1})},
                                           {"l", List{call("resolve_test:A", {2})}},
                                           {"y", call("resolve_test:A", {3})}});
  resolve(cfg);
  EXPECT_EQ(log(), (std::vector<std::string>{"A1", "A2", "A3", "B"}));
}

TEST_F(ResolveTest, SharedNodesBecomeOneObject) {
  ConfigDict m = call("resolve_test:A", {1}), m2 = call("resolve_test:A", {2});
  ConfigDict cfg{{"model", m}, {"elems", List{m, m, m2, m2, call("resolve_test:A", {2})}}};
  cfg["ref"] = cfg.ref("model");
  Value out = resolve(cfg);
  const Dict& d = out.as<Dict>();
  const Tuple& elems = d.at("elems").as<Tuple>();
  EXPECT_EQ(elems[0], d.at("model"));
  EXPECT_EQ(elems[1], d.at("model"));
  EXPECT_EQ(elems[2], elems[3]);
  EXPECT_FALSE(elems[3] == elems[4]);
  EXPECT_EQ(d.at("ref"), d.at("model"));
  EXPECT_EQ(log().size(), 3U);
}

TEST_F(ResolveTest, FreezesByDefault) {
  ConfigDict cfg{{"l", List{1, List{2}}}, {"d", ConfigDict{{"x", 1}}}};
  Value frozen = resolve(cfg);
  EXPECT_TRUE(frozen.as<Dict>().frozen);
  EXPECT_EQ(frozen.as<Dict>().at("l"), Value(Tuple{1, Tuple{2}}));
  EXPECT_TRUE(frozen.as<Dict>().at("d").as<Dict>().frozen);
  Value loose = resolve(cfg, {.freeze = false});
  EXPECT_FALSE(loose.as<Dict>().frozen);
  EXPECT_EQ(loose.as<Dict>().at("l"), Value(List{1, List{2}}));
}

TEST_F(ResolveTest, Constants) {
  EXPECT_EQ(resolve(constant("resolve_test:PI")), Value(3.14));
  EXPECT_EQ(resolve(constant("resolve_test:A")).as<SymbolName>().qualname, "resolve_test:A");
}

TEST_F(ResolveTest, RawFieldsStayConfigs) {
  Value out = resolve(call("resolve_test:Raw", {{"raw", call("resolve_test:A", {1})},
                                                {"cooked", call("resolve_test:A", {2})}}));
  const auto& keyword = made(out).args.keyword;
  EXPECT_TRUE(keyword[0].second.is<ConfigDict>());
  EXPECT_TRUE(keyword[1].second.is<Object>());
}

TEST_F(ResolveTest, PostResolveSeesTheNode) {
  static std::string seen;
  register_symbol({.qualname = "resolve_test:Hook",
                   .construct = [](const Arguments&) -> Value { return 1; },
                   .post_resolve =
                       [](Value& value, const ConfigDict& node) {
                         seen = to_json(node);
                         value = 2;
                       }});
  EXPECT_EQ(resolve(call("resolve_test:Hook", {{"k", List{1}}})), Value(2));
  EXPECT_EQ(seen, R"({"__qualname__": "resolve_test:Hook", "k": [1]})");
}

TEST_F(ResolveTest, ErrorsNameThePathAndTheType) {
  ConfigDict cfg{{"a", List{1, ConfigDict{{"b", call("resolve_test:fail")}}}}};
  expect_error_at(ErrorKind::value, "cfg.a[1].b", [&] { resolve(cfg); });
  expect_error(ErrorKind::value, {"cfg.a[1].b", "resolve_test", "fail", "bad news"},
               [&] { resolve(cfg); });
  ConfigDict foreign{{"m", call("resolve_test:throws")}};
  try {
    resolve(foreign);
    FAIL();
  } catch (const std::exception& e) {
    EXPECT_NE(std::string(e.what()).find("cfg.m"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("foreign trouble"), std::string::npos) << e.what();
  }
}

TEST_F(ResolveTest, ErrorsOfValuesNameThePath) {
  expect_error(ErrorKind::key, {"cfg.m", "resolve_test:AA", "resolve_test:A"}, [] {
    resolve(ConfigDict{{"m", call("resolve_test:AA")}});
  });
  ConfigDict cfg{{"x", ConfigDict{}}};
  cfg["x"]["dangling"] = cfg.ref("nope");
  expect_error(ErrorKind::key, {"cfg.x.dangling", "nope"}, [&] { resolve(cfg); });
  ConfigDict unset{{"opt", ConfigDict{{"lr", placeholder(CellType::number, {.required = true})}}}};
  expect_error(ErrorKind::required, {"cfg.opt.lr"}, [&] { resolve(unset); });
}

TEST_F(ResolveTest, ACycleIsAnError) {
  ConfigDict cfg{{"a", ConfigDict{}}};
  cfg["a"]["self"] = cfg;
  expect_error(ErrorKind::cycle, {}, [&] { resolve(cfg); });
  ConfigDict(cfg.get("a").as<ConfigDict>()).erase("self");
}

TEST_F(ResolveTest, PlainDataPassesThrough) {
  EXPECT_EQ(resolve("text"), Value("text"));
  EXPECT_EQ(resolve(Dict{{"a", List{1}}}).as<Dict>().at("a"), Value(Tuple{1}));
  EXPECT_EQ(resolve(List{Set{1}, Bytes{"x"}}), Value(Tuple{Set{1}, Bytes{"x"}}));
}

TEST_F(ResolveTest, ExportIsTheInverse) {
  Value data = Dict{{"a", 1}, {2, Tuple{1, List{"x", nullptr}}}};
  Value config = export_(data);
  EXPECT_EQ(to_json(config),
            R"({"__qualname__": "builtins:dict", "0": [["a", 1], [2, {"__qualname__": )"
            R"("builtins.tuple", "0": [1, ["x", null]]}]]})");
}

}  // namespace
}  // namespace konfig
