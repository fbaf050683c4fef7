// Properties that hold for all config classes, checked on random ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <random>

#include "base/file.h"
#include "base/temp_folder.h"
#include "tfimm/train/train.h"
#include "tfimm/train/words_test.h"

namespace tfimm::train {
namespace {

using konfig::Tuple;

// Random classes, each made of earlier ones, and random configs of them.
class RandomClasses {
 public:
  RandomClasses(unsigned seed, const std::string& prefix) : rng_(seed) {
    for (int i = 0; i < 6; ++i) add(prefix + std::to_string(i));
  }

  int below(int n) { return static_cast<int>(rng_() % static_cast<unsigned>(n)); }
  const ConfigClassPtr& outermost() const { return classes_.back(); }

  // An object with some fields given, nested ones too.
  Value object(const ConfigClassPtr& cls) {
    Dict fields;
    for (const Field& field : cls->fields) {
      if (field.type == FieldType::any) continue;
      if (const Field* x = cls->chosen_by(field)) {
        const bool none = classes_.empty() || below(3) == 0;
        const ConfigClassPtr& part = classes_[static_cast<std::size_t>(below(rank(cls) + 1))];
        const bool usable = !none && part != cls;
        fields.set(field.name, usable ? part->name : "");
        fields.set(x->name, usable ? object(part) : Value());
      } else {
        fields.set(field.name, field.nullable && below(3) == 0 ? Value() : value(field.type));
      }
    }
    return make_object(cls, fields);
  }

  Value value(FieldType type) {
    switch (type) {
      case FieldType::integer:
        return below(1000) - 500;
      case FieldType::floating:
        if (below(20) == 0) return std::numeric_limits<double>::infinity() * (below(2) - 0.5);
        return std::ldexp(below(1000) - 500, below(60) - 30);
      case FieldType::boolean:
        return below(2) == 0;
      case FieldType::tuple: {
        std::vector<Value> items;
        for (int n = below(4); n > 0; --n) {
          items.push_back(value(static_cast<FieldType>(below(5))));
        }
        return Tuple(std::move(items));
      }
      default:
        return text();
    }
  }

 private:
  int rank(const ConfigClassPtr& cls) const {
    return static_cast<int>(std::find(classes_.begin(), classes_.end(), cls) - classes_.begin()) -
           1;
  }

  std::string text() {
    static const std::vector<std::string> parts = {
        "a", "x y", "'",      "\"",   "\\",  "\n", "1",    "true", "null", ": ", "- ",
        "#", "é",   "\u2028", "1e-3", "yes", " ",  "None", "(1,)", "--",   "=",  "."};
    std::string out;
    for (int i = below(4); i > 0; --i) {
      out += parts[static_cast<std::size_t>(below(static_cast<int>(parts.size())))];
    }
    return out;
  }

  void add(const std::string& name) {
    std::vector<Field> fields;
    for (int i = 1 + below(4); i > 0; --i) {
      Field field{.name = "f" + std::to_string(i), .type = static_cast<FieldType>(below(5))};
      if (below(2) == 0) field.default_value = value(field.type);
      // Text is None only where nobody gives a value, which flags cannot say.
      field.nullable = field.type != FieldType::text && below(3) == 0;
      fields.push_back(std::move(field));
    }
    for (int i = classes_.empty() ? 0 : below(3); i > 0; --i) {
      const std::string x = "part" + std::to_string(i);
      fields.push_back({.name = x, .type = FieldType::any});
      Field x_class{.name = x + "_class", .type = FieldType::text};
      if (below(2) == 0) x_class.default_value = "";
      fields.push_back(std::move(x_class));
    }
    std::shuffle(fields.begin(), fields.end(), rng_);
    classes_.push_back(make_config_class(name, std::move(fields)));
    cfg_serializable(
        {.name = name, .cfg_class = classes_.back(), .is_class = false, .place = name});
  }

  std::mt19937 rng_;
  std::vector<ConfigClassPtr> classes_;
};

Value nested(const Value& cfg) { return to_dict_format(cfg); }

// The flags that say all of a config.
std::vector<std::string> flags_of(const Value& cfg) {
  return words_of(to_text(cfg, TextFormat::flat));
}

constexpr unsigned kRounds = 150;

TEST(Property, ConversionsLoseNothing) {
  for (unsigned seed = 0; seed < kRounds; ++seed) {
    RandomClasses classes(seed, "Convert" + std::to_string(seed) + "_");
    const Value cfg = classes.object(classes.outermost());
    const Dict deep = to_dict_format(cfg);
    const Dict again = flat_to_deep(deep_to_flat(deep));
    ASSERT_EQ(nested(from_dict(classes.outermost(), deep)), Value(deep)) << seed;
    ASSERT_EQ(nested(from_dict(classes.outermost(), again)), Value(deep)) << seed;
    ASSERT_EQ(nested(from_dict(classes.outermost(), to_cls_format(again))), Value(deep)) << seed;
    ASSERT_EQ(Value(to_dict_format(to_cls_format(deep))), Value(deep)) << seed;
  }
}

TEST(Property, EveryOrderOfFlagsGivesTheSameConfig) {
  std::mt19937 rng(1);
  for (unsigned seed = 0; seed < kRounds; ++seed) {
    RandomClasses classes(seed, "Order" + std::to_string(seed) + "_");
    const Value cfg = classes.object(classes.outermost());
    std::vector<std::string> flags = flags_of(cfg);
    for (int i = 0; i < 5; ++i) {
      const Value parsed = parse_args(Value(Dict()), flags, classes.outermost());
      ASSERT_EQ(nested(parsed), nested(cfg)) << seed;
      std::shuffle(flags.begin(), flags.end(), rng);
    }
  }
}

TEST(Property, DumpedAndParsedItIsDumpedTheSame) {
  const base::TempFolder folder;
  for (unsigned seed = 0; seed < kRounds / 3; ++seed) {
    RandomClasses classes(seed, "Dump" + std::to_string(seed) + "_");
    const ConfigClassPtr outer = make_config_class(
        "Outermost", {{.name = "x", .type = FieldType::any},
                      {.name = "x_class", .type = FieldType::text},
                      {.name = "cfg_file", .type = FieldType::text, .default_value = Value("")}});
    const Value cfg = make_object(outer, {{"x", classes.object(classes.outermost())},
                                          {"x_class", classes.outermost()->name}});
    const std::string file = (folder / "a.yaml").string();
    dump_config(cfg, file);
    // From the file alone, and with every flag on top of it.
    const Value read = parse_args(Value(Dict()), {"--cfg_file=" + file}, outer);
    std::vector<std::string> flags = flags_of(read);
    const Value again = parse_args(read, flags, outer);
    for (const Value& one : {read, again}) {
      Dict fields = fields_of(one);
      fields.set("cfg_file", "");
      ASSERT_EQ(to_text(make_object(outer, fields), TextFormat::yaml), base::read_file(file))
          << seed;
    }
  }
}

// A chain of classes, each inside the other one.
TEST(Property, DiscoveryGoesDeep) {
  constexpr int kMany = 150;
  std::vector<std::string> flags;
  std::string path;
  for (int i = 0; i < kMany; ++i) {
    const std::string name = "Chain" + std::to_string(i);
    cfg_serializable(
        {.name = name,
         .cfg_class = make_config_class(
             name, {{.name = "a", .type = FieldType::integer},
                    {.name = "x", .type = FieldType::any},
                    {.name = "x_class", .type = FieldType::text, .default_value = Value("")}}),
         .is_class = false,
         .place = name});
    flags.push_back("--" + path + "x_class=" + name);
    path += "x.";
    flags.push_back("--" + path + "a=" + std::to_string(i));
  }
  std::shuffle(flags.begin(), flags.end(), std::mt19937(3));
  const Value cfg = parse_args(Value(Dict{{"x_class", ""}}), flags);
  EXPECT_EQ(deep_to_flat(to_dict_format(cfg)).at(path + "a"), Value(kMany - 1));
}

// So many classes side by side, with a flag for each.
class Wide {
 public:
  explicit Wide(int classes) {
    std::vector<Field> fields;
    const std::string prefix = "Wide" + std::to_string(classes) + "_";
    for (int i = 0; i < classes; ++i) {
      const std::string name = prefix + std::to_string(i), x = "x" + std::to_string(i);
      cfg_serializable(
          {.name = name,
           .cfg_class = make_config_class(name, {{.name = "a", .type = FieldType::integer}}),
           .is_class = false,
           .place = name});
      fields.push_back({.name = x, .type = FieldType::any});
      fields.push_back({.name = x + "_class", .type = FieldType::text});
      flags_.push_back("--" + x + ".a=" + std::to_string(i));
      flags_.push_back("--" + x + "_class=" + name);
    }
    cls_ = make_config_class(prefix, std::move(fields));
  }

  // Parses once more; the shortest time of the processor so far, in ticks.
  double parse() {
    const std::clock_t start = std::clock();
    const Value cfg = parse_args(Value(Dict()), flags_, cls_);
    const std::clock_t end = std::clock();
    EXPECT_EQ(fields_of(fields_of(cfg).at("x99")).at("a"), Value(99));
    return best_ = std::min(best_, static_cast<double>(end - start));
  }

 private:
  std::vector<std::string> flags_;
  ConfigClassPtr cls_;
  double best_ = 1e9;
};

TEST(Property, TheTimeOfDiscoveryGrowsWithTheNumberOfClasses) {
  Wide few(100), many(1000);
  double ratio = 1000;
  // Ten times as many: far below the hundred times of anything quadratic. Other work on the machine
  // hardly counts in the time of the processor, and only makes it longer.
  for (int i = 0; i < 50 && ratio > 30; ++i) ratio = many.parse() / few.parse();
  EXPECT_LT(ratio, 50);
}

}  // namespace
}  // namespace tfimm::train
