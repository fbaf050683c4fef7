// Writing by path and pattern.
#include "kontext/set.h"

#include <gtest/gtest.h>

#include "konfig/expect_test.h"
#include "kontext/get.h"
#include "kontext/toys_test.h"

namespace kontext {
namespace {

using konfig::ConfigDict;
using konfig::Dict;
using konfig::ErrorKind;
using konfig::expect_error;
using konfig::List;
using konfig::Tuple;
using konfig::Value;

std::vector<std::string> texts(const std::vector<Path>& paths) {
  std::vector<std::string> out;
  for (auto& path : paths) out.push_back(path.str());
  return out;
}
using Texts = std::vector<std::string>;

Value tree() {
  return Dict{{"a", Dict{{"b", List{1, 2, 3}},
                         {"b2", List{2, 2, 3}},
                         {"b3", Dict{{"c", List{}}, {"c2", List{1, 2, 3}}, {"c3", 1}}}}},
              {"a1", 5},
              {"a2", List{1, 2, 3}}};
}

TEST(Set, Patterns) {
  Value t = tree();
  EXPECT_EQ(texts(set_by_path(t, "a.**[0]", 9)), (Texts{"a.b[0]", "a.b2[0]", "a.b3.c2[0]"}));
  EXPECT_EQ(get_by_path<int>(t, "a.b3.c2[0]"), 9);
  EXPECT_EQ(get_by_path<int>(t, "a2[0]"), 1);
  EXPECT_EQ(texts(set_by_path(t, "**.c3", 8)), Texts{"a.b3.c3"});
  EXPECT_EQ(texts(set_by_path(t, "**.nothing", 8)), Texts{});
  EXPECT_EQ(texts(set_by_path(t, "a.*[1]", 7)), (Texts{"a.b[1]", "a.b2[1]", "a.b3[1]"}));
  EXPECT_EQ(texts(set_by_path(t, "**.**.c3", 6)), Texts{"a.b3.c3"});
  EXPECT_EQ(texts(set_by_path(t, "**.*.c3", 6)), Texts{"a.b3.c3"});
}

TEST(Set, NothingIsWrittenOnFailure) {
  Value t = tree(), before = tree();
  expect_error(ErrorKind::value, {"a1.x: an int cannot be changed in part"},
               [&] { set_by_path(t, "*.x", 9); });
  EXPECT_EQ(t, before);
  expect_error(ErrorKind::index, {"a.b[3]: the list has 3 item(s)"},
               [&] { set_by_path(t, "a.b[3]", 9); });
  expect_error(ErrorKind::type, {"a.b.x: "}, [&] { set_by_path(t, "a.b.x", 9); });
  expect_error(ErrorKind::key, {"a.nope: ", "there are: b, b2, b3"},
               [&] { set_by_path(t, "a.nope.x", 9); });
  expect_error(ErrorKind::unsupported, {"slice"}, [&] { set_by_path(t, "a.b[0:2]", 9); });
  expect_error(ErrorKind::value, {"a.*: a wildcard cannot be the last part"},
               [&] { set_by_path(t, "a.*", 9); });
  expect_error(ErrorKind::value, {"empty"}, [&] { set_by_path(t, "", 9); });
  expect_error(ErrorKind::value, {"a1.*: an int cannot"}, [&] { set_by_path(t, "a1.*.x", 9); });
  expect_error(ErrorKind::type, {"**[0:2]: "}, [&] { set_by_path(t, "**[0:2]", 9); });
  Value tuple = Dict{{"t", Tuple{1, 2}}};
  expect_error(ErrorKind::value, {"t[0]: a tuple cannot be changed in part"},
               [&] { set_by_path(tuple, "t[0]", 9); });
  EXPECT_EQ(t, before);
}

TEST(Set, AssignedValuesAreNotSearched) {
  Value t = tree();
  EXPECT_EQ(texts(set_by_path(t, "**.b", Dict{{"b", 0}})), Texts{"a.b"});
  EXPECT_EQ(get_by_path<int>(t, "a.b.b"), 0);
  Value lists = List{1, List{2, List{3}}};
  EXPECT_EQ(texts(set_by_path(lists, "**[-1]", 0)), Texts{"[-1]"});
  Value nested = Dict{{"b", Dict{{"c", 1}, {"b", Dict{{"c", 2}}}}}};
  EXPECT_EQ(texts(set_by_path(nested, "**.b.c", 5)), (Texts{"b.c", "b.b.c"}));
}

TEST(Set, Structs) {
  toys::Batch batch;
  EXPECT_EQ(texts(set_by_path(batch, "**.score", 3)),
            (Texts{"boxes[0].score", "boxes[1].score", "shared.score"}));
  EXPECT_EQ(batch.shared->score, 3);
  set_by_path(batch, "best", Dict{{"label", "bird"}});
  EXPECT_EQ(batch.best->label, "bird");
  set_by_path(batch, "best", nullptr);
  EXPECT_FALSE(batch.best);
  set_by_path(batch, "either", 5);
  EXPECT_EQ(std::get<int>(batch.either), 5);
  set_by_path(batch, "ids['new key']", 6);
  EXPECT_EQ(batch.ids.at("new key"), 6);
  set_by_path(batch, "names[-4]", "minus four");
  EXPECT_EQ(batch.names.at(-4), "minus four");
  set_by_path(batch, "bits[1]", true);
  EXPECT_TRUE(batch.bits[1]);
  set_by_path(batch, "image", NdArray::zeros({1}));
  EXPECT_EQ(batch.image.data.size(), 1u);
  set_by_path(batch, "boxes", std::vector<toys::Box>(3));
  EXPECT_EQ(batch.boxes.size(), 3u);
  expect_error(ErrorKind::key, {"boxes[0].scor: ", "did you mean 'score'?"},
               [&] { set_by_path(batch, "boxes[0].scor", 1); });
  expect_error(ErrorKind::type, {"boxes[0].score: expected a number"},
               [&] { set_by_path(batch, "boxes[0].score", "high"); });
  expect_error(ErrorKind::type, {"image: expected kontext::NdArray, found an int"},
               [&] { set_by_path(batch, "image", 1); });
  expect_error(ErrorKind::type, {"ids[0]", "text"}, [&] { set_by_path(batch, "ids[0]", 1); });
}

TEST(Set, ConstTreesAreReadOnly) {
  const toys::Batch batch;
  expect_error(ErrorKind::unsupported, {"ids.b: ", "read-only"},
               [&] { set_by_path(batch, "ids.b", 1); });
  std::map<std::string, std::shared_ptr<const toys::Box>> shared = {
      {"x", std::make_shared<toys::Box>()}};
  expect_error(ErrorKind::unsupported, {"x.score: ", "read-only"},
               [&] { set_by_path(shared, "x.score", 1); });
  set_by_path(shared, "x", toys::Box{.score = 2});
  EXPECT_EQ(shared.at("x")->score, 2);
  expect_error(ErrorKind::type, {"[:2]: a slice is a copy"}, [] {
    std::vector<std::vector<int>> lists = {{1, 2}, {3}};
    set_by_path(lists, Path{Slice{.stop = 2}, 0}, 1);
  });
}

TEST(Set, ConfigsKeepTheirRules) {
  ConfigDict cfg = {{"a", Dict{{"b", 1.5}, {"c", List{1, 2}}}}};
  set_by_path(cfg, "**.b", 2);
  EXPECT_EQ(get_by_path(cfg, "a.b").value(), Value(2.0));
  expect_error(ErrorKind::type, {"a.b: ", "float"}, [&] { set_by_path(cfg, "a.b", "text"); });
  set_by_path(cfg, "a.c[0]", Dict{{"x", 1}});
  EXPECT_TRUE(get_by_path(cfg, "a.c[0]").value().is<ConfigDict>());
  cfg.lock();
  EXPECT_THROW(set_by_path(cfg, "a.new", 1), konfig::Error);
}

}  // namespace
}  // namespace kontext
