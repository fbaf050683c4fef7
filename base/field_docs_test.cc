// Tests of field_docs: which comments reach which field.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/field_docs.h"

namespace base {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

// "name.field: text" for every doc, which keeps the tests readable.
std::vector<std::string> docs(std::string_view header) {
  std::vector<std::string> out;
  for (const StructDocs& s : scan_docs(header)) {
    for (const auto& [field, text] : s.docs) out.push_back(s.name + "." + field + ": " + text);
  }
  return out;
}

TEST(FieldDocs, CommentsAboveAndBeside) {
  EXPECT_THAT(docs(R"(
// Optimizers.
#pragma once

namespace kd::optim {

// Adam: adaptive moments.
// Kingma & Ba, 2014.
struct Adam {
  Schedule learning_rate = 1e-3;  // constant or schedule
  double b1 = 0.9;                // decay of the first
                                  // moment
  // Keeps the division finite;
  // small.
  double eps = 1e-8;
  bool nesterov = false;
};

}  // namespace kd::optim
)"),
              ElementsAre("kd::optim::Adam.: Adam: adaptive moments. Kingma & Ba, 2014.",
                          "kd::optim::Adam.learning_rate: constant or schedule",
                          "kd::optim::Adam.b1: decay of the first moment",
                          "kd::optim::Adam.eps: Keeps the division finite; small."));
}

TEST(FieldDocs, ScanKeepsStructsApart) {
  const auto structs =
      scan_docs("struct A { int x; /* one */ };\nstruct B {};\nstruct C { int y; // two\n};");
  ASSERT_EQ(structs.size(), 2u);
  EXPECT_EQ(structs[0].name, "A");
  EXPECT_THAT(structs[0].docs, ElementsAre(Pair("x", "one")));
  EXPECT_EQ(structs[1].name, "C");
  EXPECT_THAT(structs[1].docs, ElementsAre(Pair("y", "two")));
}

TEST(FieldDocs, AnEmptyLineOrADirectiveSeparates) {
  EXPECT_THAT(docs(R"(
// What the file is for.
#include <x>
struct A {
  // About the next few fields.

  int a = 1;
  int b = 2;

  // Doc of c.
  int c = 3;
};
)"),
              ElementsAre("A.c: Doc of c."));
}

TEST(FieldDocs, InitialisersOfEveryShape) {
  EXPECT_THAT(docs(R"x(
struct A {
  std::vector<int> v = {1, 2, 3};                     // v
  std::map<std::string, int> m{{"a;b", 1}, {"}", 2}};  // m
  std::string s = "// not a comment; { \" }";         // s
  std::string r = R"y(struct X { int no; // no
  })y";                                               // r
  char c = '"';                                       // c
  char d = '\'';                                      // d
  long big = 1'000'000;                               // big
  double e = 1e-3;                                    // e
  std::function<int(int, int)> f = [](int a, int b) { return a < b; };  // f
  std::array<std::pair<int, int>, (2 > 1)> g = {};    // g
  Size h = Size{.w = 1, .h = 2};                      // h
  int i[3] = {1, 2, 3};                               // i
  unsigned j : 3 = 1;                                 // j
  int k, l;                                           // k and l
  std::optional<std::vector<int>> o;                  // o
  kd::Poly<kd::Loss> p = kd::losses::L2{
      .preds = "preds.image",
  };  // p
};
)x"),
              ElementsAre("A.v: v", "A.m: m", "A.s: s", "A.r: r", "A.c: c", "A.d: d", "A.big: big",
                          "A.e: e", "A.f: f", "A.g: g", "A.h: h", "A.i: i", "A.j: j",
                          "A.k: k and l", "A.l: k and l", "A.o: o", "A.p: p"));
}

TEST(FieldDocs, Scopes) {
  EXPECT_THAT(
      docs(R"(
namespace a {
inline namespace v1 {
struct Outer : Base<1, 2>, Other {  // beside the brace
  // Nested.
  struct Inner final {
    int x = 0;  // x
  };
  Inner inner;  // inner
};
}
namespace b::c {
struct [[nodiscard]] D { int y; /* y */ };
}
namespace { struct Hidden { int z; // z
}; }
}
extern "C" { struct E { int e; // e
}; }
struct F { int f; };  // not of a field
)"),
      ElementsAre("a::v1::Outer.: beside the brace", "a::v1::Outer.inner: inner",
                  "a::v1::Outer::Inner.: Nested.", "a::v1::Outer::Inner.x: x", "a::b::c::D.y: y",
                  "a::" + std::string(kUnnamed) + "::Hidden.z: z", "E.e: e"));
}

TEST(FieldDocs, SkipsAllThatIsNoField) {
  EXPECT_THAT(docs(R"(
// forward
struct Later;
// a template
template <class T, class U = std::vector<T>>
struct Box {
  T value;  // no
  struct In { int no; /* no */ };
};
// a specialisation
template <>
struct Box<int> { int value;  /* no */ };
// a class
class C {
 public:
  C() : a_{1}, b_(2) {}  // no
  int a_;  // no
};
enum class E { kA, /* no */ kB };  // no
KONFIG_EXPORT(no)
KONFIG_REGISTER(a::b, "x:y");  // no
// a function
inline int f(int x) { return x; }  // no
auto g() -> std::vector<int> { return {}; }  // no
const int kX = 3;  // no
bool operator==(const C&, const C&);  // no
// Yes.
struct A {
  using T = int;  // no
  static constexpr int kN = 4;  // no
  static int count();  // no
  inline static int n = 1;  // no
  constexpr static int m = 1;  // no
  A() : x{1}, y(2), z(Box<int>{3}) { go(); }  // no
  // no
  int call(int a = 3, int b = {}) const;
  int run() const { return x; }  // no
  bool operator==(const A&) const = default;  // no
  bool operator=(const A&) { return true; }  // no
  template <class T>
  T get() const { return T{}; }  // no
  friend bool operator<(const A&, const A&);  // no
  static_assert(true, "no");  // no
  enum class Mode { kOne, kTwo };  // no
  KONFIG_FIELDS(x, y);  // no
  int x = 1;  // yes
 public:  // no
  int y = 2;
};
)"),
              ElementsAre("A.: Yes.", "A.x: yes"));
}

TEST(FieldDocs, SkippingKeepsTheNextComment) {
  EXPECT_THAT(
      docs(R"(
KONFIG_EXPORT(x)
// After a macro.
struct A {
  int f() const { return 1; }
  // After a body.
  int a;
  enum E { kA }; // no
  // After an enum.
  int b;
  int c = 1; // beside
  // After a field.
  int d;
  struct In {
    int e;
    // Last words.
  };
  // After a struct.
  int g;
};
// After all.
struct B { int x; };
)"),
      ElementsAre("A.: After a macro.", "A.a: After a body.", "A.b: After an enum.", "A.c: beside",
                  "A.d: After a field.", "A.g: After a struct.", "B.: After all."));
}

TEST(FieldDocs, CommentStyles) {
  EXPECT_THAT(docs(R"(
/**
 * Doxygen.
 *
 * Second paragraph.
 */
struct A {
  int a;  ///< doxygen beside
  /* block */
  int b;
  /// triple
  int c;  // and beside
  // ---------------
  int d;
  // clang-format off
  int e;
  int f;  // NOLINT(some-check)
};
)"),
              ElementsAre("A.: Doxygen.\nSecond paragraph.", "A.a: doxygen beside", "A.b: block",
                          "A.c: triple\nand beside"));
}

TEST(FieldDocs, BrokenTextDoesNotHangOrCrash) {
  for (const char* text :
       {"", "struct", "struct A {", "struct A { int x", "namespace a {", "}}}", "/*", "R\"(", "\"",
        "template <", "struct A { int x = (", "#define X \\", "struct A : B<", "enum {",
        "struct A { } } struct B { int x; // x\n};"}) {
    docs(text);
  }
  EXPECT_THAT(docs("struct A {\n int x  // no\n"), IsEmpty());
  EXPECT_THAT(docs("} struct B { int x; // x\n};"), ElementsAre("B.x: x"));
}

}  // namespace
}  // namespace base
