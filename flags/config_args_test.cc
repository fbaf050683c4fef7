// Arguments of get_config: reading them and fitting them to the fields.
#include "flags/config_args.h"

#include <gtest/gtest.h>

#include "konfig/konfig.h"
#include "konfig/make_type.h"

namespace flags_test {
struct Arguments {
  std::string name = "a";
  int size = 1;
  double rate = 0.5;
  bool on = false;
};
}  // namespace flags_test

namespace flags {
namespace {

using namespace konfig;
using Words = std::vector<std::string>;

std::string json(const std::vector<ConfigArg>& args, const Type* type = nullptr) {
  return to_json(args_for(type, args));
}

TEST(ConfigArgs, Text) {
  EXPECT_EQ(json(parse_config_args("name='a,b',size=4,pair=(1,2),")),
            R"({"name": "a,b", "size": 4, "pair": [1, 2]})");
  EXPECT_EQ(json(parse_config_args(" size = 4 , name = x=y ")), R"({"size": 4, "name": "x=y"})");
  EXPECT_EQ(json(parse_config_args("")), "{}");
  for (const char* text : {"oops", "=3", "a=1,b"}) {
    EXPECT_THROW(parse_config_args(text), Error) << text;
  }
}

TEST(ConfigArgs, Flags) {
  Words words{"--cfg=x", "--cfg.__args__.size=5", "--cfg.__args__={\"name\": \"b\"}",
              "--cfg.__args__.on"};
  EXPECT_EQ(json(config_args(take_config_flag(words))), R"({"size": 5, "name": "b", "on": true})");
  for (const char* text : {"--cfg.__args__=5", "--cfg.__args__={1: 2}"}) {
    Words bad{"--cfg=x", text};
    EXPECT_THROW(config_args(take_config_flag(bad)), Error) << text;
  }
}

TEST(ConfigArgs, InFavourOfTheFields) {
  EXPECT_EQ(json(parse_config_args("name=0x10,size=1e3,rate=inf,on=1,other=0x10"),
                 &type_of<flags_test::Arguments>()),
            R"({"name": "0x10", "size": 1000, "rate": Infinity, "on": true, "other": 16})");
}

}  // namespace
}  // namespace flags
