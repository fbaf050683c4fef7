#include "konfig/qualnames.h"

#include <gtest/gtest.h>

#include "konfig/json.h"
#include "konfig/registry.h"

namespace konfig {
namespace {

TEST(Qualnames, AsPeopleWriteThem) {
  register_symbol({.qualname = "kauldron.kxm:QualnamesTest"});
  register_symbol({.qualname = "kauldron.kd:names.Test"});
  register_symbol({.qualname = "xmanager.xm:QualnamesTest"});
  register_symbol({.qualname = "kauldron.kxm:Job"});
  std::string name = registered_qualname("kxm.Job");
  EXPECT_EQ(name, "kauldron.kxm:Job");
  for (const char* written :
       {"kauldron.kxm:QualnamesTest", "kauldron.kxm.QualnamesTest", "kxm.QualnamesTest",
        "kxm:QualnamesTest", "kauldron.xm:QualnamesTest", "kauldron.xm._src.file:QualnamesTest",
        "kauldron.xm._src.file.QualnamesTest"}) {
    EXPECT_EQ(registered_qualname(written), "kauldron.kxm:QualnamesTest") << written;
  }
  for (const char* written :
       {"kd.names.Test", "kd.names:Test", "kd:names.Test", "kauldron.kd.names.Test"}) {
    EXPECT_EQ(registered_qualname(written), "kauldron.kd:names.Test") << written;
  }
  EXPECT_EQ(registered_qualname("xm.QualnamesTest"), "xmanager.xm:QualnamesTest");
  for (const char* written :
       {"", ".", "kxm", "kxm.", ".kxm", "kxm.Nothing", "a:b:c", "xmas.Tree"}) {
    EXPECT_EQ(registered_qualname(written), written);
  }
}

TEST(Qualnames, InData) {
  register_symbol({.qualname = "kauldron.kxm:QualnamesTest"});
  const Value data = parse_json(
      R"({"__qualname__": "kxm.QualnamesTest", "x": [{"__const__": "kxm.QualnamesTest"}, "kxm.QualnamesTest"]})");
  EXPECT_EQ(to_json(with_registered_names(data)),
            R"({"__qualname__": "kauldron.kxm:QualnamesTest", )"
            R"("x": [{"__const__": "kauldron.kxm:QualnamesTest"}, "kxm.QualnamesTest"]})");
}

}  // namespace
}  // namespace konfig
