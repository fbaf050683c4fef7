#include "kd/typing/checked.h"

#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "kd/typing/typing.h"
#include "konfig/error.h"
#include "kontext/call.h"
#include "kontext/get.h"

namespace kd::typing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Tensor f32(at::IntArrayRef sizes) { return at::ones(sizes); }
Tensor i64(at::IntArrayRef sizes) { return at::ones(sizes, at::kLong); }

template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const konfig::Error& e) {
    EXPECT_EQ(e.kind(), konfig::ErrorKind::type);
    return e.what();
  }
  return "";
}

// Whether tensors of these shapes pass as these types in one call.
template <class... T>
bool fit(const T&... values) {
  try {
    checked_values(values...);
    return true;
  } catch (const konfig::Error&) {
    return false;
  }
}

Float<"*b n"> logits(Float<"*b h w c"> image, Float<"d n"> kernel, std::optional<Bool<"*b">> mask) {
  (void)mask;
  return image.flatten(-3).matmul(kernel);
}

TEST(Checked, PassesWhatFits) {
  Tensor out = checked<logits>(f32({2, 5, 4, 4, 3}), f32({48, 10}), std::nullopt);
  EXPECT_EQ(out.sizes(), (at::IntArrayRef{2, 5, 10}));
  checked<logits>(f32({4, 4, 3}), f32({48, 10}), at::ones({}, at::kBool));
  checked<logits>(f32({7, 4, 4, 3}), f32({48, 10}), at::ones({7}, at::kBool));
}

TEST(Checked, TellsEverything) {
  auto call = [] { checked<logits>(f32({7, 4, 4, 3}), f32({48, 10}), at::ones({6}, at::kBool)); };
  EXPECT_EQ(error_of(call),
            "logits: argument 3 is no Bool<\"*b\">: *b must be [7], but is [6]\n"
            "  argument 1: Float<\"*b h w c\"> = float32[7, 4, 4, 3]\n"
            "  argument 2: Float<\"d n\"> = float32[48, 10]\n"
            "  argument 3: Bool<\"*b\"> = bool[6]  <- here\n"
            "  bound: *b = [7], h = 4, w = 4, c = 3, d = 48, n = 10");
}

Float<"b n"> wrong_result(Float<"b n"> x) { return x.t(); }

TEST(Checked, TheResultUsesTheSameNames) {
  checked<wrong_result>(f32({3, 3}));
  EXPECT_EQ(error_of([] {
              checked<wrong_result>(f32({3, 4}));
            }),
            "wrong_result: result is no Float<\"b n\">: axis 0, b, must be 3, but is 4\n"
            "  argument 1: Float<\"b n\"> = float32[3, 4]\n"
            "  result: Float<\"b n\"> = float32[4, 3]  <- here\n"
            "  bound: b = 3, n = 4");
}

struct Mlp {
  int features = 4;
  std::string activation = "relu";
  Float<"*b {features}"> call(Float<"*b c"> x) const {
    return at::zeros({x.size(0), features + (activation == "wrong")});
  }
  Tensor plain(const Tensor& x) const { return x; }
};

TEST(Checked, MembersKnowTheirFields) {
  EXPECT_EQ(checked<&Mlp::call>(Mlp{}, f32({2, 3})).size(1), 4);
  EXPECT_THAT(
      error_of([] {
        checked<&Mlp::call>(Mlp{.activation = "wrong"}, f32({2, 3}));
      }),
      AllOf(HasSubstr("Mlp.call: result is no Float<\"*b {features}\">: axis 1, {features}, "
                      "must be 4, but is 5")));
  EXPECT_EQ(checked<&Mlp::plain>(Mlp{}, f32({2})).size(0), 2);
}

TEST(Checked, Elements) {
  EXPECT_TRUE(
      fit(Float<"n">(f32({2})), Int<"n">(i64({2})), Num<"n">(i64({2})), Array<"n">(f32({2}))));
  EXPECT_TRUE(fit(Float16<"n">(f32({2}).to(at::kHalf)), Float<"n">(f32({2}).to(at::kBFloat16))));
  EXPECT_TRUE(fit(UInt8<"n">(i64({2}).to(at::kByte)), Int<"n">(i64({2}).to(at::kByte))));
  EXPECT_TRUE(fit(ScalarFloat(f32({})), ScalarInt(i64({})), Scalar(i64({}))));
  EXPECT_FALSE(fit(Float<"n">(i64({2}))));
  EXPECT_FALSE(fit(Int<"n">(f32({2}))));
  EXPECT_FALSE(fit(Num<"n">(at::ones({2}, at::kBool))));
  EXPECT_FALSE(fit(Float<"">(Tensor())));
  EXPECT_THAT(error_of([] { checked_values(Int32<"n">(i64({2}))); }),
              HasSubstr("values: value is no Int32<\"n\">: its elements are int64"));
}

TEST(Checked, VariableLengths) {
  EXPECT_TRUE(fit(Array<"+d">(f32({1}))));
  EXPECT_FALSE(fit(Array<"+d">(f32({}))));
  EXPECT_TRUE(fit(Array<"...">(f32({}))));
  EXPECT_TRUE(fit(Array<"... c">(f32({4, 5, 3})), Array<"... c">(f32({3}))));
  EXPECT_TRUE(fit(Array<"a *b c">(f32({1, 2, 3, 4})), Array<"*b">(f32({2, 3}))));
  EXPECT_FALSE(fit(Array<"a *b c">(f32({1, 2, 3, 4})), Array<"*b">(f32({2, 4}))));
  EXPECT_TRUE(fit(Array<"b t? c">(f32({2, 3})), Array<"b t?">(f32({2}))));
  EXPECT_TRUE(fit(Array<"b t? c">(f32({2, 7, 3})), Array<"b t?">(f32({2, 7}))));
  EXPECT_FALSE(fit(Array<"b t? c">(f32({2, 7, 3})), Array<"b t?">(f32({2}))));
  EXPECT_FALSE(fit(Array<"b t? c">(f32({2, 3})), Array<"b t?">(f32({2, 7}))));
  EXPECT_TRUE(fit(Array<"b 1?">(f32({2})), Array<"b 1?">(f32({2, 1}))));
  EXPECT_FALSE(fit(Array<"b 1?">(f32({2, 2}))));
}

TEST(Checked, WhatIsAmbiguousIsSettledByTheOthers) {
  // The longest *b that fits all: here *b = [2], t = 5.
  EXPECT_TRUE(fit(Array<"*b t? c">(f32({2, 5, 3})), Array<"*b c">(f32({2, 3}))));
  EXPECT_TRUE(fit(Array<"*b t? c">(f32({2, 5, 3})), Array<"*b c">(f32({2, 5, 3}))));
  EXPECT_TRUE(fit(Array<"*a *b">(f32({2, 5, 3})), Array<"*b *a">(f32({5, 3, 2}))));
  EXPECT_FALSE(fit(Array<"*a *b">(f32({2, 5, 3})), Array<"*b *a">(f32({3, 5, 2}))));
}

TEST(Checked, Broadcasting) {
  EXPECT_TRUE(fit(Array<"c">(f32({3})), Array<"#c">(f32({1})), Array<"#c">(f32({3}))));
  EXPECT_FALSE(fit(Array<"c">(f32({3})), Array<"#c">(f32({2}))));
  EXPECT_TRUE(fit(Array<"#c">(f32({1})), Array<"c">(f32({3}))));
  EXPECT_TRUE(fit(Array<"#c">(f32({1})), Array<"#c">(f32({3})), Array<"#c">(f32({1}))));
  EXPECT_FALSE(fit(Array<"#c">(f32({2})), Array<"#c">(f32({3}))));
  EXPECT_TRUE(
      fit(Array<"*#b c">(f32({5, 1, 3})), Array<"*#b c">(f32({4, 3})), Array<"*b">(f32({5, 4}))));
  EXPECT_FALSE(fit(Array<"*#b c">(f32({5, 2, 3})), Array<"*#b c">(f32({4, 3}))));
  EXPECT_TRUE(fit(Array<"*b">(f32({5, 4})), Array<"#*b">(f32({1}))));
  EXPECT_FALSE(fit(Array<"*b">(f32({4})), Array<"*#b">(f32({1, 1}))));
}

Float<"c"> grown(Float<"#c"> a, Float<"#c"> b) { return at::ones({a.size(0) + b.size(0) - 1}); }

TEST(Checked, ABroadcastDimIsSettledBeforeTheResult) {
  checked<grown>(f32({1}), f32({3}));
  checked<grown>(f32({1}), f32({1}));
  EXPECT_NE(error_of([] { checked<grown>(f32({3}), f32({3})); }), "");
}

TEST(Checked, Arithmetic) {
  EXPECT_TRUE(fit(Array<"h w">(f32({4, 6})), Array<"h*2 (w // 4) h+w-1 h**2">(f32({8, 1, 9, 16}))));
  EXPECT_TRUE(fit(Array<"h*2">(f32({8})), Array<"h">(f32({4}))));
  EXPECT_FALSE(fit(Array<"h*2">(f32({8})), Array<"h">(f32({5}))));
  EXPECT_TRUE(fit(Array<"w">(f32({6})), Array<"w/3 w%4 max(w,9) min(w,2)">(f32({2, 2, 9, 2}))));
  EXPECT_FALSE(fit(Array<"w">(f32({6})), Array<"w/4">(f32({1}))));
  EXPECT_TRUE(
      fit(Array<"*b c">(f32({2, 3, 5})), Array<"prod(*b) sum(*b) len(*b)">(f32({6, 5, 2}))));
  EXPECT_TRUE(
      fit(Array<"*b c">(f32({2, 3, 5})),
          Array<"sum(*b,c) prod(*b, 2) min(*b) max(c, *b) min(c)">(f32({10, 12, 2, 5, 5}))));
  EXPECT_FALSE(fit(Array<"*b c">(f32({5})), Array<"min(*b)">(f32({5}))));
  EXPECT_TRUE(fit(Array<"3|4">(f32({4})), Array<"3|4">(f32({3}))));
  EXPECT_FALSE(fit(Array<"3|4">(f32({5}))));
  EXPECT_TRUE(fit(Array<"#3">(f32({3})), Array<"#3">(f32({1}))));
  EXPECT_FALSE(fit(Array<"#3">(f32({2}))));
  EXPECT_TRUE(fit(Array<"c">(f32({5})), Array<"c|1">(f32({1})), Array<"1|c">(f32({5}))));
  EXPECT_FALSE(fit(Array<"c">(f32({5})), Array<"c|1">(f32({2}))));
  EXPECT_FALSE(fit(Array<"{nowhere}">(f32({5}))));
  EXPECT_FALSE(fit(Array<"w w//0">(f32({6, 0}))));
}

using Image = OneOf<Float<"*b h w 3">, Int<"*b h w">>;

Tensor gray(Image image, std::optional<Bool<"*b">> mask) {
  return mask ? Tensor(*mask) : Tensor(image);
}

TEST(Checked, OneOfSeveralForms) {
  checked<gray>(f32({2, 4, 4, 3}), at::ones({2}, at::kBool));
  checked<gray>(i64({2, 4, 4}), at::ones({2}, at::kBool));
  checked<gray>(i64({4, 4}), at::ones({}, at::kBool));
  EXPECT_EQ(error_of([] {
              checked<gray>(i64({2, 4, 4}), at::ones({3}, at::kBool));
            }),
            "gray: argument 2 is no Bool<\"*b\">: *b must be [2], but is [3]\n"
            "  argument 1: Float<\"*b h w 3\"> | Int<\"*b h w\"> = int64[2, 4, 4]\n"
            "  argument 2: Bool<\"*b\"> = bool[3]  <- here\n"
            "  bound: *b = [2], h = 4, w = 4");
  EXPECT_THAT(error_of([] {
                checked<gray>(f32({2, 4, 4, 1}), std::nullopt);
              }),
              HasSubstr("argument 1 is no Float<\"*b h w 3\"> | Int<\"*b h w\">: "));
  // The form is chosen by all tensors together.
  EXPECT_TRUE(fit(OneOf<Array<"a b">, Array<"b a">>(f32({2, 3})), Array<"a">(f32({3}))));
  EXPECT_FALSE(fit(OneOf<Array<"a b">, Array<"b a">>(f32({2, 3})), Array<"a">(f32({4}))));
}

Tensor stacked(Float<"*b h w">, std::optional<Float<"t?">>) {
  return at::zeros(shape<"*b h*2 sum(*b,w) 7">());
}
Tensor nowhere(Float<"n">) { return at::zeros(shape<"m">()); }
Tensor choice(Float<"n">) { return at::zeros(shape<"n|1">()); }

TEST(Checked, ShapesWithinACall) {
  EXPECT_EQ(checked<stacked>(f32({2, 3, 4, 5}), std::nullopt).sizes(),
            (at::IntArrayRef{2, 3, 8, 10, 7}));
  auto failure = [](auto&& f) -> std::string {
    try {
      f();
    } catch (const konfig::Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(failure([] { checked<nowhere>(f32({2})); }),
            "shape<\"m\">: 'm' is no dim of this call; bound: n = 2");
  EXPECT_THAT(failure([] { checked<choice>(f32({2})); }), HasSubstr("'n|1' leaves a choice"));
  EXPECT_THAT(failure([] { shape<"n">(); }), HasSubstr("no checked call is under way"));
}

struct Preds {
  Float<"b n"> logits;
  std::optional<Float<"b">> weight = {};
  int step = 0;
};
using Two = std::pair<Float<"b n">, Int<"b">>;

Preds preds(Float<"b c"> x, int n) { return {x.new_zeros({x.size(0), 5}), x.new_zeros({n})}; }
Two two(std::vector<Float<"b c">> xs) { return {xs[0], xs[1].select(1, 0).to(at::kLong)}; }

TEST(Checked, LooksIntoStructsListsAndPairs) {
  EXPECT_EQ(checked<preds>(f32({2, 3}), 2).logits.size(1), 5);
  EXPECT_THAT(error_of([] {
                checked<preds>(f32({2, 3}), 4);
              }),
              HasSubstr("result.weight is no Float<\"b\">: axis 0, b, must be 2, but is 4"));
  checked<two>({f32({2, 3}), f32({2, 3})});
  EXPECT_THAT(error_of([] {
                checked<two>({f32({2, 3}), f32({3, 3})});
              }),
              HasSubstr("argument 1[1] is no"));
}

Tensor norms(TreeOf<Float<"...">> tree) { return tree["a"].tensor(); }

TEST(Checked, Trees) {
  checked<norms>(Tree::dict({{"a", f32({2})}, {"b", f32({})}}));
  EXPECT_THAT(error_of([] {
                checked<norms>(Tree::dict({{"a", f32({2})}, {"b", i64({})}}));
              }),
              HasSubstr("argument 1[1] is no Float<\"...\">: its elements are int64"));
}

TEST(Checked, NamesBelongToOneCall) {
  auto inner = checked_function("inner", [](Float<"n"> x) -> Tensor { return x; });
  auto outer = checked_function(
      "outer", [&](Float<"n"> x) -> Float<"n"> {
        inner(f32({9}));
        Float<"n m"> local = x.unsqueeze(1);
        checked_values(local);
        return local.select(1, 0);
      });
  outer(f32({3}));
  auto bad = checked_function("bad", [&](Float<"n">) { checked_values(Float<"n">(f32({9}))); });
  EXPECT_THAT(error_of([&] { bad(f32({3})); }), HasSubstr("bad: value is no Float<\"n\">"));
}

TEST(Checked, CanBeTurnedOff) {
  set_enabled(false);
  EXPECT_TRUE(fit(Float<"n">(i64({2, 2}))));
  EXPECT_EQ(checked<wrong_result>(f32({3, 4})).size(0), 4);
  set_enabled(true);
  EXPECT_FALSE(fit(Float<"n">(i64({2, 2}))));
}

struct Loss {
  kontext::Key preds = "preds";
  std::optional<kontext::Key> mask = {};
  Float<"b"> values(Float<"b n"> x, std::optional<Bool<"b">> m) const {
    return m ? x.sum(-1) * *m : x.sum(-1);
  }
};

TEST(Checked, KeysBindAnnotatedParameters) {
  Tree context = Tree::dict({{"preds", f32({2, 3})}, {"m", at::ones({3}, at::kBool)}});
  Loss loss;
  auto call = [&] {
    return kontext::call_with_keys(context, loss, checked_member<&Loss::values>(loss));
  };
  EXPECT_EQ(call().sizes(), (at::IntArrayRef{2}));
  loss.mask = "m";
  EXPECT_THAT(error_of(call), HasSubstr("Loss.values: argument 2 is no Bool<\"b\">"));
}

TEST(Annotated, IsATensorForPaths) {
  Preds value{f32({2, 5})};
  EXPECT_EQ(kontext::get_by_path(value, "logits").as<Tensor>().size(1), 5);
  EXPECT_EQ(kontext::get_by_path(value, "logits[0]").as<Tensor>().dim(), 1);
  EXPECT_EQ(kontext::TreeRef(3).to<ScalarInt>().dim(), 0);
  Float<"a b"> x = f32({2, 3});
  Float<"c d"> y = x;
  Tensor z = x + y;
  x = z;
  EXPECT_EQ(x.sizes(), y.sizes());
}

}  // namespace
}  // namespace kd::typing
