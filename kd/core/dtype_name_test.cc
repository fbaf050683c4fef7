// Tests of the names of element types.
#include "kd/core/dtype_name.h"

#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

namespace kd {
namespace {

TEST(DTypeName, EachNameLeadsBack) {
  for (const char* name :
       {"float32", "float64", "float16", "bfloat16", "bool", "uint8", "int8", "int16", "int32",
        "int64", "uint16", "uint32", "uint64", "complex64", "complex128"}) {
    const auto dtype = dtype_named(name);
    ASSERT_TRUE(dtype) << name;
    EXPECT_EQ(dtype_name(*dtype), name);
  }
  EXPECT_EQ(dtype_named("Float"), std::nullopt);
  EXPECT_EQ(dtype_named(""), std::nullopt);
}

TEST(DTypeName, Specs) {
  EXPECT_EQ(spec_text(at::zeros({2, 784})), "float32[2 784]");
  EXPECT_EQ(spec_text(at::zeros({}, at::kInt)), "int32[]");
}

}  // namespace
}  // namespace kd
