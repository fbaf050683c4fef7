#include "konfig/poly.h"

#include <gtest/gtest.h>

#include "konfig/docs.h"
#include "konfig/expect_test.h"
#include "konfig/toy_test.h"

namespace toy {
namespace {

TEST(Poly, BehavesLikeAValue) {
  Poly<Optimizer> a = Adam{.b1 = 0.5};
  Poly<Optimizer> b = a;
  b.as<Adam>().b1 = 0.7;
  EXPECT_EQ(a.as<Adam>().b1, 0.5);
  EXPECT_FALSE(a.same(b));
  EXPECT_TRUE(a.holds<Adam>());
  EXPECT_EQ(a.get_if<Sgd>(), nullptr);
  EXPECT_EQ(a.type()->name, "toy::Adam");
  expect_error(ErrorKind::type, {"expected toy::Sgd, got toy::Adam"}, [&] { a.as<Sgd>(); });
  a.reset();
  EXPECT_FALSE(a);
  expect_error(ErrorKind::type, {"got nothing"}, [&] { a.as<Adam>(); });
  a = Sgd{};
  EXPECT_TRUE(a.holds<Sgd>());
  a = {};
  EXPECT_FALSE(a);
}

TEST(Poly, HandlesShareOneNode) {
  auto adam = node(Adam{});
  Poly<Optimizer> a = adam;
  Poly<Optimizer> b = a;
  adam->b1 = 0.25;
  EXPECT_EQ(b.as<Adam>().b1, 0.25);
  EXPECT_TRUE(a.same(b));
}

TEST(Poly, ResolvedObjectsAreCopiedBeforeWriting) {
  Poly<Optimizer> a;
  a.set_object(type_of<Adam>(), std::make_shared<Adam>());
  auto b = a;
  EXPECT_TRUE(a.same(b));
  b.as<Adam>().b1 = 0.1;
  EXPECT_FALSE(a.same(b));
  EXPECT_EQ(a.as<Adam>().b1, 0.9);
}

TEST(Poly, NodesOwnTheirOpenDictionaries) {
  Trainer a;
  a.aux["x"] = 1;
  auto copy = konfig::detail::copy_graph(a);
  copy.aux["x"] = 2;
  EXPECT_EQ(a.aux["x"].get(), Value(1));
}

TEST(Map, KeepsOrderAndAddresses) {
  Map<int> m = {{"b", 1}, {"a", 2}};
  int* b = &m["b"];
  for (int i = 0; i < 100; ++i) m[std::to_string(i)] = i;
  EXPECT_EQ(b, &m["b"]);
  EXPECT_EQ(m.size(), 102u);
  EXPECT_EQ(m.begin()->first, "b");
  EXPECT_TRUE(m.erase("b"));
  EXPECT_FALSE(m.erase("b"));
  EXPECT_EQ(m.begin()->first, "a");
  auto copy = m;
  copy["a"] = 5;
  EXPECT_EQ(m.at("a"), 2);
  expect_error(ErrorKind::key, {"\"zz\""}, [&] { m.at("zz"); });
}

TEST(Required, ReadsLikeItsValue) {
  Required<int> r;
  expect_error(ErrorKind::required, {"before it was set"}, [&] { *r; });
  r = 3;
  EXPECT_EQ(r + 1, 4);
  Required<std::string> s = "text";
  EXPECT_EQ(s->size(), 4u);
}

TEST(Docs, AreOptional) {
  EXPECT_EQ(field_doc(type_of<Adam>(), "b1"), "");
  register_field_docs("toy::Adam", {{"", "Adaptive moments."}, {"b1", "decay"}});
  EXPECT_EQ(field_doc(type_of<Adam>(), "b1"), "decay");
  EXPECT_EQ(type_doc(type_of<Adam>()), "Adaptive moments.");
  EXPECT_EQ(field_doc(type_of<Adam>(), "nothing"), "");
}

}  // namespace
}  // namespace toy
