#include "konfig/implement.h"

#include <gtest/gtest.h>

#include "konfig/error.h"

// shape.h, once per interface: the table of functions, and how it is made for a struct
class Shape {
 public:
  struct Ops {
    double (*area)(const void* shape);
  };
  template <class T>
  static constexpr Ops ops = {[](const void* s) { return static_cast<const T*>(s)->area(); }};
};
struct Disc {
  double radius = 1;
  double area() const { return 3 * radius * radius; }
};
// a component: one struct with the member function, and one line
KONFIG_LOCAL_COMPONENT(Shape, Disc);
KONFIG_IMPLEMENT(Shape, Disc);

struct Declared {};
KONFIG_LOCAL_COMPONENT(Shape, Declared);

namespace konfig {
namespace {

TEST(Implement, FunctionsAreFoundByTheTypeHeld) {
  Poly<Shape> poly = Disc{.radius = 2};
  EXPECT_EQ(ops_of(poly).area(poly.object().get()), 12);
  poly = Declared();
  EXPECT_THROW(ops_of(poly), Error);
  EXPECT_THROW(ops_of(Poly<Shape>()), Error);
}

}  // namespace
}  // namespace konfig
