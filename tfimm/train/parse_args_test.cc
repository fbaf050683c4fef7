#include "tfimm/train/parse_args.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/temp_folder.h"
#include "konfig/expect_test.h"
#include "tfimm/train/dump_config.h"
#include "tfimm/train/registry.h"
#include "tfimm/train/toys_test.h"

namespace parse_args_test {

using tfimm::train::Any;
using tfimm::train::Required;

// A class that has itself as its part by default.
struct EndlessConfig {
  Any x;
  std::string x_class = "Endless";
};
struct Endless {
  using cfg_class = EndlessConfig;
};

// A class that must be chosen: nothing but a flag, file or code can.
struct OpenConfig {
  Any x;
  Required<std::string> x_class;
};
struct Open {
  using cfg_class = OpenConfig;
};

// Fields of Leaf, with other types.
struct LeafLikeConfig {
  double a = 0.5;
  std::string b = "text";
  bool name = true;
};
struct LeafLike {
  using cfg_class = LeafLikeConfig;
};

struct Flat {
  int alpha = 1;
  int alphabet = 2;
  bool b = false;
  std::string s = "";
  std::optional<int> most = 3;
};

}  // namespace parse_args_test

CFG_SERIALIZABLE(parse_args_test::Endless);
CFG_SERIALIZABLE(parse_args_test::Open);
CFG_SERIALIZABLE(parse_args_test::LeafLike);

namespace tfimm::train {
namespace {

using konfig::error_of;
using konfig::ErrorKind;
using konfig::expect_error;
using konfig::Tuple;
using parse_args_test::Flat;
using ::testing::HasSubstr;
using ::testing::Not;
using toy::LeafConfig;
using toy::MidConfig;
using toy::OtherConfig;
using toy::Outer;
using toy::SimpleConfig;
using toy::TypesConfig;

using Words = std::vector<std::string>;

const Outer kNothing{.n = nullptr, .n_class = ""};

class WithFile : public ::testing::Test {
 protected:
  std::string write(const std::string& text) {
    const auto file = folder_ / "exp.yaml";
    std::ofstream(file) << text;
    return file.string();
  }
  std::string flag(const std::string& text) { return "--cfg_file=" + write(text); }
  std::string error(const std::string& text) {
    return error_of([&] { parse_args(kNothing, Words{flag(text)}); });
  }
  base::TempFolder folder_;
};
using ConfigFile = WithFile;

TEST(ParseArgs, FlagsAreFoundThroughTheClassChosen) {
  const Words words = {"--n_class=SimpleClass", "--n.i=2", "--n.f=2.5", "--n.b=f", "--n.s=d",
                       "--n.t=(1, 1)"};
  const Words reversed(words.rbegin(), words.rend());
  for (const Words& args : {words, reversed}) {
    const Outer cfg = parse_args(kNothing, args);
    const auto& simple = cfg.n.as<SimpleConfig>();
    EXPECT_EQ(simple.i, 2);
    EXPECT_EQ(simple.f, 2.5);
    EXPECT_FALSE(simple.b);
    EXPECT_EQ(simple.s.value(), "d");
    EXPECT_EQ(simple.t->size(), 2u);
    EXPECT_EQ(simple.sd, "abc");
    EXPECT_EQ(get_class(cfg.n_class)(cfg.n).as<toy::SimpleClass>().total, 2);
  }
}

TEST(ParseArgs, DefaultsAreFollowedAtAnyDepth) {
  const auto cfg = parse_args(kNothing, Words{"--n_class=Mid"});
  // MidConfig's default for its part, not the default of the part's class.
  EXPECT_EQ(cfg.n.as<MidConfig>().m.as<LeafConfig>().a, 7);
  const auto deep = parse_args(
      kNothing, Words{"--n.x.x.m.b=1", "--n_class=Open", "--n.x_class=Open", "--n.x.x_class=Mid"});
  const auto& mid = deep.n.as<parse_args_test::OpenConfig>()
                        .x.as<parse_args_test::OpenConfig>()
                        .x.as<MidConfig>();
  EXPECT_EQ(mid.m.as<LeafConfig>().b, 1);
  EXPECT_EQ(mid.m.as<LeafConfig>().a, 7);
}

TEST_F(ConfigFile, IsBetweenCodeAndCommandLine) {
  const std::string file = flag("n:\n  a: 7\nn_class: Mid\nlr: 0.7\n");
  const Outer code{.n = MidConfig{.a = 5, .c = true}, .n_class = "Mid", .lr = 0.5};
  auto a = [&](const Words& args) { return parse_args(code, args).n.as<MidConfig>().a; };
  EXPECT_EQ(a({}), 5);
  EXPECT_EQ(a({file}), 7);
  EXPECT_EQ(a({file, "--n.a=9"}), 9);
  EXPECT_EQ(parse_args(code, Words{file}).lr, 0.7);
  EXPECT_TRUE(parse_args(code, Words{file}).n.as<MidConfig>().c);
  // The flag beats the name in code.
  Outer with_file = code;
  with_file.cfg_file = "no such file";
  EXPECT_EQ(parse_args(with_file, Words{file}).n.as<MidConfig>().a, 7);
  expect_error(ErrorKind::value, {"cfg_file: ", "no such file", "No such file or directory"},
               [&] { parse_args(with_file, Words{}); });
  EXPECT_EQ(parse_args(with_file, Words{"--cfg_file="}).n.as<MidConfig>().a, 5);
}

TEST(ParseArgs, ValuesHaveTheirDeclaredType) {
  const Outer code{.n = LeafConfig{}, .n_class = "Leaf"};
  auto error = [&](const char* word) { return error_of([&] { parse_args(code, Words{word}); }); };
  EXPECT_EQ(parse_args(code, Words{"--n.b=3"}).n.as<LeafConfig>().b, 3);
  EXPECT_EQ(parse_args(code, Words{"--n.a=1_000"}).n.as<LeafConfig>().a, 1000);
  EXPECT_EQ(parse_args(code, Words{"--n.name=12"}).n.as<LeafConfig>().name, "12");
  EXPECT_EQ(error("--n.a=0.5"),
            "--n.a: expected a whole number, got '0.5' (LeafConfig, chosen in code)");
  EXPECT_THAT(error("--n.a=3000000000"), HasSubstr("--n.a: expected a whole number from -21474"));
  EXPECT_THAT(error("--n.b=x"), HasSubstr("--n.b: expected a number, got 'x'"));
  EXPECT_THAT(error("--n.a="), HasSubstr("got ''"));
  EXPECT_EQ(error("--lr"), "--lr: expects a value, a number: --lr=...");
}

TEST(ParseArgs, EveryTypeOfField) {
  const Outer code{.n = TypesConfig{}, .n_class = "Types"};
  auto types = [&](const Words& args) { return parse_args(code, args).n.as<TypesConfig>(); };
  EXPECT_EQ(types({"--n.size.height=5"}).size.height, 5);
  EXPECT_EQ(types({"--n.size.height=5"}).size.width, 28);
  EXPECT_EQ(types({"--n.most=5"}).most, 5);
  EXPECT_EQ(types({"--n.most=None"}).most, std::nullopt);
  EXPECT_EQ(types({"--n.title=None"}).title, "None");
  EXPECT_EQ(types({"--n.rates=(1, 0.5)"}).rates, (std::vector<double>{1, 0.5}));
  EXPECT_EQ(types({"--n.names='a','b'"}).names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(types({"--n.mixed=(3, 'y', False)"}).mixed, (std::tuple(3, "y", false)));
  EXPECT_EQ(types({"--n.table=((1,), ())"}).table, (std::vector<std::vector<int>>{{1}, {}}));
  EXPECT_EQ(types({"--n.byte", "9"}).byte, 9);
  auto error = [&](const char* word) { return error_of([&] { types({word}); }); };
  EXPECT_THAT(error("--n.rates=(1, 'x')"), HasSubstr("--n.rates[1]: expected a number"));
  EXPECT_THAT(error("--n.rates=[1]"), HasSubstr("a tuple looks like (1, 2), (1,) or ()"));
  for (const char* item : {"{}", "b'x'", "{1}", "2j", "..."}) {
    EXPECT_THAT(error_of([&] {
                  parse_args(kNothing,
                             Words{"--n_class=SimpleClass", "--n.t=(" + std::string(item) + ",)"});
                }),
                HasSubstr("--n.t: a tuple holds numbers, booleans, text, None and tuples, not"));
  }
  EXPECT_THAT(error("--n.mixed=(1,)"),
              HasSubstr("--n.mixed: expected a tuple of 3, got a tuple of 1"));
  EXPECT_THAT(error("--n.betas=0.9,"),
              HasSubstr("--n.betas: expected a tuple of 2, got a tuple of 1"));
  EXPECT_THAT(error("--n.betas=x"), HasSubstr("--n.betas: expected a tuple of 2, got 'x'"));
  EXPECT_THAT(error("--n.byte=256"), HasSubstr("from 0 to 255"));
  EXPECT_THAT(error("--n.size=3"),
              HasSubstr("ambiguous, could be --n.size.height or --n.size.width"));
}

TEST(ParseArgs, WordsOfTheCommandLine) {
  auto flat = [](const Words& args) { return parse_args(Flat{}, args); };
  EXPECT_EQ(flat({"--alpha", "-3"}).alpha, -3);
  EXPECT_EQ(flat({"--s", "-1e-3"}).s, "-1e-3");
  for (const char* value : {"-1,-2", "-.5,1", "-1x", "-inf", "- x"}) {
    EXPECT_EQ(flat({"--s", value}).s, value);
  }
  EXPECT_EQ(flat({"--s", "x y"}).s, "x y");
  EXPECT_EQ(flat({"--s=a=b"}).s, "a=b");
  EXPECT_EQ(flat({"--s="}).s, "");
  EXPECT_EQ(flat({"--alpha=1", "--alpha=2"}).alpha, 2);
  EXPECT_EQ(flat({"--mo=7"}).most, 7);
  EXPECT_TRUE(flat({"--b=YES"}).b);
  auto error = [&](const Words& args) { return error_of([&] { flat(args); }); };
  EXPECT_EQ(error({"--alph=1"}), "--alph: ambiguous, could be --alpha or --alphabet");
  EXPECT_THAT(error({"--alpha=x", "--alpha=2"}), HasSubstr("got 'x'"));
  EXPECT_THAT(error({"--s", "--b=1"}), HasSubstr("--s: expects a value"));
  EXPECT_THAT(error({"--s", "-x1"}), HasSubstr("--s: expects a value"));
  EXPECT_THAT(error({"extra"}), HasSubstr("unexpected argument 'extra'"));
  EXPECT_THAT(error({"--", "--alpha=1"}), HasSubstr("unexpected argument '--alpha=1'"));
  EXPECT_THAT(error({"-alpha=1"}), HasSubstr("unexpected argument '-alpha=1'"));
  EXPECT_THAT(error({"--alpa=1"}), HasSubstr("--alpa: unknown flag; did you mean --alpha?"));
  EXPECT_THAT(error({"--zzz", "5"}), HasSubstr("--zzz: unknown flag ('5' follows it)"));
  EXPECT_THAT(error({"--yyy=1", "--zzz=2"}), HasSubstr("--yyy: unknown flag\n--zzz: unknown flag"));
}

TEST(ParseArgs, ABeginningMayChooseAClass) {
  EXPECT_EQ(parse_args(kNothing, Words{"--n.a=9", "--n_c=Leaf"}).n.as<LeafConfig>().a, 9);
  // What was unique is not any more once the class is chosen.
  expect_error(ErrorKind::key,
               {"--n: not a value; choose its class with --n_class=NAME and set its fields with "
                "--n.FIELD=VALUE"},
               [] { parse_args(kNothing, Words{"--n=Leaf"}); });
  EXPECT_EQ(parse_args(kNothing, Words{"--n_class=nope", "--n_cl=Leaf"}).n_class.value(), "Leaf");
}

TEST(ParseArgs, SwitchingAClassKeepsWhatBothHave) {
  const Outer code{.n = LeafConfig{.a = 9, .b = 4}, .n_class = "Leaf"};
  const auto other = parse_args(code, Words{"--n_class=Other"}).n;
  EXPECT_EQ(other.as<OtherConfig>().a, 9);
  EXPECT_EQ(other.as<OtherConfig>().z, "other");
  // A field of another type is another field; a whole number serves as a float.
  const auto like = parse_args(code, Words{"--n_class=LeafLike"}).n;
  EXPECT_EQ(like.as<parse_args_test::LeafLikeConfig>().a, 9);
  EXPECT_EQ(like.as<parse_args_test::LeafLikeConfig>().b, "text");
  EXPECT_TRUE(like.as<parse_args_test::LeafLikeConfig>().name);
  // Cleared.
  EXPECT_EQ(parse_args(code, Words{"--n_class="}).n, Any());
  // Only what was given is kept: a default of the old class has no weight.
  const Outer named{.n = nullptr, .n_class = "Leaf"};
  EXPECT_EQ(parse_args(named, Words{"--n_class=Other"}).n.as<OtherConfig>().a, 100);
  // None takes back the config that is the default of a field.
  for (const bool none : {false, true}) {
    const Dict mid = none ? Dict{{"m", nullptr}} : Dict();
    const Value cfg =
        parse_args(Value(Dict{{"n_class", "Mid"}, {"n", mid}}), Words{}, describe<Outer>());
    const auto n = from_object<Outer>(cfg).n;
    EXPECT_EQ(n.as<MidConfig>().m.as<LeafConfig>().a, none ? 2 : 7);
  }
  // What the command line gives itself must fit the class it chooses.
  expect_error(ErrorKind::key, {"--n.b: OtherConfig has no field 'b'", "--n_class=Other"}, [&] {
    parse_args(code, Words{"--n_class=Other", "--n.b=1"});
  });
}

TEST_F(ConfigFile, MaySwitchAClass) {
  const Outer code{.n = LeafConfig{.a = 9}, .n_class = "Leaf"};
  const std::string file = flag("n_class: Other\n");
  for (const Words& args : {Words{file}, Words{file, "--lr=1"}}) {
    EXPECT_EQ(parse_args(code, args).n.as<OtherConfig>().a, 9);
  }
  // Keys of the old class must not stand beside the new one in the file.
  const std::string both = flag("n_class: Other\nn:\n  b: 1\n");
  EXPECT_THAT(error_of([&] { parse_args(code, Words{both}); }),
              HasSubstr("exp.yaml, line 3: n.b: OtherConfig has no field 'b'"));
  // Each class on the way has to have the field: Other has `a`, Types has none of Leaf's.
  const Outer both_given{.n = LeafConfig{.a = 9, .b = 4}, .n_class = "Leaf"};
  const auto back = parse_args(both_given, Words{flag("n_class: Other\n"), "--n_class=Leaf"}).n;
  EXPECT_EQ(back.as<LeafConfig>().a, 9);
  EXPECT_EQ(back.as<LeafConfig>().b, 2.5);
  for (const char* between : {"n_class: Types\n", "n_class: ''\n", "n:\nn_class: Other\n"}) {
    const auto anew = parse_args(both_given, Words{flag(between), "--n_class=Leaf"}).n;
    EXPECT_EQ(anew.as<LeafConfig>().a, 2) << between;
  }
  // None takes back what code gave.
  EXPECT_EQ(parse_args(both_given, Words{flag("n: null\n")}).n.as<LeafConfig>().a, 2);
  EXPECT_EQ(parse_args(both_given, Words{flag("n: null\n"), "--n.a=3"}).n.as<LeafConfig>().a, 3);
  // The class may come from elsewhere.
  const std::string values = flag("n:\n  a: 3\n");
  EXPECT_EQ(parse_args(kNothing, Words{values, "--n_class=Leaf"}).n.as<LeafConfig>().a, 3);
  EXPECT_THAT(error_of([&] { parse_args(kNothing, Words{values}); }),
              HasSubstr("exp.yaml, line 2: n.a: given, but n_class is empty; choose a class"));
}

TEST(ParseArgs, MissingValuesAreOneErrorAtEveryDepth) {
  const std::string error = error_of([] {
    parse_args(Outer{}, Words{"--n_class=Open", "--n.x_class=SimpleClass", "--n.x.i=1"});
  });
  EXPECT_EQ(error,
            "not given:\n"
            "  --n.x.f (float; SimpleConfig, chosen by --n.x_class=SimpleClass)\n"
            "  --n.x.b (bool; SimpleConfig, chosen by --n.x_class=SimpleClass)\n"
            "  --n.x.s (str; SimpleConfig, chosen by --n.x_class=SimpleClass)\n"
            "  --n.x.t (tuple; SimpleConfig, chosen by --n.x_class=SimpleClass)");
  EXPECT_EQ(error_of([] { parse_args(Outer{}, Words{}); }), "not given: --n_class (str)");
  EXPECT_EQ(error_of([] { parse_args(Outer{}, Words{"--n_class=Open"}); }),
            "not given: --n.x_class (str; OpenConfig, chosen by --n_class=Open)");
}

TEST(ParseArgs, UnknownFlagsSayWhy) {
  auto error = [](const Words& args) { return error_of([&] { parse_args(kNothing, args); }); };
  EXPECT_THAT(error({"--n.i=2"}), HasSubstr("--n.i: n has no class yet; choose one with "
                                            "--n_class=NAME: "));
  EXPECT_THAT(error({"--n_class=Leaf", "--n.nane=x"}),
              HasSubstr("--n.nane: LeafConfig has no field 'nane'; did you mean --n.name? "
                        "(LeafConfig, chosen by --n_class=Leaf)"));
  EXPECT_THAT(error({"--n_class=Mid", "--n.m.c=1"}),
              HasSubstr("(LeafConfig, the default of MidConfig.m_class)"));
  // The flags below an unknown class are no errors of their own.
  EXPECT_THAT(error({"--n_class=Leave", "--n.a=1"}),
              ::testing::AllOf(HasSubstr("--n_class: no class is registered as 'Leave'"),
                               HasSubstr("did you mean 'Leaf'?"), Not(HasSubstr("--n.a"))));
}

TEST(ParseArgs, CodeIsCheckedToo) {
  const Outer wrong{.n = LeafConfig{}, .n_class = "Other"};
  EXPECT_THAT(
      error_of([&] { parse_args(wrong, Words{}); }),
      HasSubstr("n.b: OtherConfig has no field 'b' (in code; OtherConfig, chosen in code)"));
  const Outer lost{.n = LeafConfig{}, .n_class = ""};
  EXPECT_THAT(error_of([&] { parse_args(lost, Words{}); }), HasSubstr("n_class is empty"));
  const Outer unknown{.n = nullptr, .n_class = "nope"};
  EXPECT_THAT(error_of([&] { parse_args(unknown, Words{}); }),
              HasSubstr("n_class: no class is registered as 'nope'"));
  EXPECT_EQ(parse_args(unknown, Words{"--n_class=Leaf"}).n.as<LeafConfig>().a, 2);
}

TEST(ParseArgs, AClassThatContainsItselfEnds) {
  expect_error(ErrorKind::cycle, {"EndlessConfig contains itself by default"},
               [] { parse_args(kNothing, Words{"--n_class=Endless"}); });
  const auto cfg =
      parse_args(kNothing, Words{"--n_class=Endless", "--n.x_class=Endless", "--n.x.x_class="});
  EXPECT_EQ(cfg.n.as<parse_args_test::EndlessConfig>().x.as<parse_args_test::EndlessConfig>().x,
            Any());
}

TEST(ParseArgs, PlainMapsHaveTheTypesOfTheirValues) {
  auto parse = [](const Dict& cfg, const Words& args) { return parse_args(Value(cfg), args); };
  EXPECT_EQ(parse({{"x", 1.0}, {"y", nullptr}}, {"--x=5", "--y=5"}),
            Value(Dict{{"x", 5.0}, {"y", "5"}}));
  EXPECT_EQ(parse({{"x", konfig::List{1}}}, {"--x=(2,)"}), Value(Dict{{"x", Tuple{2}}}));
  expect_error(ErrorKind::value, {"--x: expected a whole number"}, [&] {
    parse({{"x", 1}}, {"--x=0.5"});
  });
  const Value nested = parse({{"n_class", "Leaf"}, {"n.a", 4}}, {});
  EXPECT_EQ(from_object<LeafConfig>(nested.as<Dict>().at("n")).a, 4);
  expect_error(ErrorKind::value, {"x: a map inside a config needs 'x_class'"}, [&] {
    parse({{"x.y", 1}}, {});
  });
  expect_error(ErrorKind::type, {"expected a config or a map"}, [] { parse_args(Value(5), {}); });
}

// ---- Files.

TEST_F(ConfigFile, ScalarsAreReadByTheDeclaredType) {
  const std::string file = flag(
      "n_class: SimpleClass\n"
      "n: {i: 0x1F, f: 1e-3, b: yes, s: 1e-3, t: [1, 2.5, x, [yes, 1e-3]], sd: 012, td: [3, 4]}\n");
  const auto simple = parse_args(kNothing, Words{file}).n.as<SimpleConfig>();
  EXPECT_EQ(simple.i, 31);
  EXPECT_EQ(simple.f, 1e-3);
  EXPECT_TRUE(simple.b);
  EXPECT_EQ(simple.s.value(), "1e-3");
  EXPECT_EQ(simple.sd, "012");
  EXPECT_EQ(Value(Tuple(*simple.t)), Value(Tuple{1, 2.5, "x", Tuple{true, "1e-3"}}));
  EXPECT_EQ(simple.td, (std::tuple(3, 4)));
  const auto types =
      parse_args(kNothing, Words{flag("n_class: Types\nn: {rates: [1e-3, .inf], names: [12, yes], "
                                      "most: null, size: {width: 3}, mixed: !!python/tuple [1, 2, "
                                      "on], mask: [1, no], betas: [1, 1e-3], range: [5, 6]}\n")})
          .n.as<TypesConfig>();
  EXPECT_EQ(types.rates[0], 1e-3);
  EXPECT_EQ(types.names, (std::vector<std::string>{"12", "yes"}));
  EXPECT_EQ(types.mixed, (std::tuple(1, "2", true)));
  EXPECT_EQ(types.size.width, 3);
  EXPECT_EQ(types.mask, (std::vector<bool>{true, false}));
  EXPECT_EQ(types.betas[1], 1e-3);
  EXPECT_EQ(types.range.second, 6);
}

TEST(FromYaml, ReadsJson) {
  const Outer cfg{.n = LeafConfig{.name = "\\\xF0\x9F\x9A\x80\\ud83d \"\xC3\xA9"},
                  .n_class = "Leaf"};
  const std::string json = to_text(cfg, TextFormat::json);
  EXPECT_THAT(json, HasSubstr("\\ud83d\\ude80"));
  EXPECT_TRUE(same(from_yaml<Outer>(json), cfg)) << json;
  // Elsewhere such an escape is text.
  EXPECT_EQ(
      from_yaml<Outer>("{n_class: Leaf, n: {name: '\\ud83d\\ude80'}}").n.as<LeafConfig>().name,
      "\\ud83d\\ude80");
}

TEST(FromYaml, ReadsATextAsIfItWereAFile) {
  const auto cfg = from_yaml<Outer>("n_class: Leaf\nn: {a: 3}\ncfg_file: not opened\n");
  EXPECT_EQ(cfg.n.as<LeafConfig>().a, 3);
  EXPECT_EQ(cfg.cfg_file, "not opened");
  expect_error(ErrorKind::key, {"x.yaml, line 1: lrr: Outer has no field"},
               [] { from_yaml<Outer>("lrr: 1", "x.yaml"); });
}

TEST_F(ConfigFile, MistakesHaveTheirLine) {
  EXPECT_THAT(error(""), HasSubstr("exp.yaml, line 1 column 1: the file is empty"));
  EXPECT_THAT(error("# nothing\n"), HasSubstr("line 1 column 1: the file is empty"));
  EXPECT_THAT(error("\n just text\n"), HasSubstr("line 2 column 2: expected a map of fields, got "
                                                 "'just text'"));
  EXPECT_THAT(error("- 1\n"), HasSubstr("expected a map of fields, got a list"));
  EXPECT_THAT(error("lr: 1\na: [1\n"), HasSubstr("exp.yaml, line 3 column 1: "));
  EXPECT_THAT(error("lr: 1\nlr: 2\n"), HasSubstr("line 2 column 1: 'lr' is given twice"));
  EXPECT_THAT(error("lr: text\n"),
              HasSubstr("exp.yaml, line 1: lr: expected a number, got \"text\""));
  EXPECT_THAT(error("\nlr: ~\n"), HasSubstr("exp.yaml, line 2: lr: expected a number, got None"));
  EXPECT_THAT(error("lrr: 1\n"),
              HasSubstr("line 1: lrr: Outer has no field 'lrr'; did you mean 'lr'?"));
  EXPECT_THAT(error("n: 5\nn_class: Leaf\n"),
              HasSubstr("line 1: n: expected a map of fields, got 5"));
  EXPECT_THAT(error("n: ''\nn_class: Leaf\n"), HasSubstr("expected a map of fields, got ''"));
  EXPECT_THAT(error("n_class: [Leaf]\n"), HasSubstr("n_class: expected the name of a class"));
  EXPECT_THAT(error("lr: {x: 1}\n"), HasSubstr("lr: expected a number, got a map"));
  EXPECT_THAT(error("a: 1\n---\nb: 2\n"), HasSubstr("a config file has one document"));
  EXPECT_THAT(error("n.a: 1\nn: 2\n"), HasSubstr("n: given both as a value and as a map"));
  EXPECT_THAT(error("n: 2\nn.a: 1\n"), HasSubstr("n: given both as a value and as a map"));
  EXPECT_THAT(error("n: {a: 1}\nn.a: 2\n"), HasSubstr("n.a: given twice"));
  for (const char* open : {"'a", "\"a", "'it''s", "\"a\\\"", "!!str \"a", "&x 'a\n  b"}) {
    EXPECT_THAT(error("lr: 1\nt: " + std::string(open) + "\n"),
                HasSubstr("exp.yaml, line 2 column 4: a quoted text without an end"));
  }
  EXPECT_THAT(error("t: \xC3\xA9\nlr: \xff\n"),
              HasSubstr("line 2 column 5: the file is not UTF-8"));
  EXPECT_THAT(error(std::string("t: \xC3\xA9\0n", 7) + "\n"),
              HasSubstr("line 1 column 5: the character U+0000 cannot stand in YAML"));
  EXPECT_THAT(error("lr: 1\nt: \x7F\n"), HasSubstr("line 2 column 4: the character U+007F"));
  EXPECT_THAT(error("n_class: Leaf\nn:\n\ta: 1\n"),
              HasSubstr("; the line is indented by a tab, and YAML wants spaces"));
  EXPECT_THAT(error("lr: 010\n"),
              HasSubstr("line 1: lr: '010' may be 10, or octal as YAML reads it, 8; write one"));
}

TEST_F(ConfigFile, NothingInAFileIsExecuted) {
  for (const char* tag : {"!!python/object/apply:os.system [\"touch x\"]",
                          "!!python/name:os.system x", "!!python/tuple x", "!!python/tuple {a: 1}",
                          "!own 3", "!!set {a: 1}", "!!int text", "!!python/object:a.B {}"}) {
    EXPECT_THAT(error("lr: " + std::string(tag) + "\n"), HasSubstr("exp.yaml, line 1 column "))
        << tag;
  }
  EXPECT_THAT(error("lr: !!python/object/apply:os.system [x]\n"),
              HasSubstr("unknown tag !!python/object/apply:os.system; of Python's tags only "
                        "!!python/tuple is read"));
  EXPECT_THAT(error("lr: !!python/tuple 5\n"), HasSubstr("!!python/tuple is for sequences"));
  EXPECT_EQ(parse_args(kNothing, Words{flag("lr: !!float 3\n")}).lr, 3);
}

TEST_F(ConfigFile, AliasesAreBounded) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) bomb += (j ? ", *a" : "*a") + std::to_string(i - 1);
    bomb += "]\n";
  }
  EXPECT_THAT(error(bomb), HasSubstr("its aliases make too large a config"));
  EXPECT_THAT(error("lr: &a [*a]\n"), HasSubstr("an alias inside the value it names"));
  EXPECT_THAT(error("lr: " + std::string(300, '[') + std::string(300, ']')),
              HasSubstr("nested deeper than 200 levels"));
  EXPECT_THAT(error("lr: " + std::string(5000, '[')), HasSubstr("exp.yaml, line 1 column "));
  const auto cfg = parse_args(
      kNothing,
      Words{flag("n: {m: &base {a: 3, b: 1}, m_class: Leaf}\nn_class: Mid\n"), "--n.m.a=9"});
  EXPECT_EQ(cfg.n.as<MidConfig>().m.as<LeafConfig>().b, 1);
  const auto merged = parse_args(
      kNothing, Words{flag("n: {<<: [{a: 3, c: false}, {a: 4}], c: true}\nn_class: Mid\n")});
  EXPECT_EQ(merged.n.as<MidConfig>().a, 3);
  EXPECT_TRUE(merged.n.as<MidConfig>().c);
}

TEST(ParseArgsDeathTest, MainExitsWithTwo) {
  const char* wrong[] = {"script", "--lr=x"};
  EXPECT_EXIT(parse_args(kNothing, 2, wrong), ::testing::ExitedWithCode(2),
              "error: --lr: expected a number, got 'x'");
  const char* help[] = {"script", "--help"};
  EXPECT_EXIT(parse_args(kNothing, 2, help), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace tfimm::train
