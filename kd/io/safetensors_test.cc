// Tests of safetensors: round trips of every dtype, the layout of the file, and broken files.
#include "kd/io/safetensors.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/temp_folder.h"
#include "konfig/error.h"

namespace kd::io {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

std::string bytes_of(const Tensor& t) {
  Tensor packed = t.contiguous();
  return {static_cast<const char*>(packed.data_ptr()), packed.nbytes()};
}

// A file with this header and these bytes.
std::string file(const std::string& json, const std::string& data = "") {
  std::uint64_t length = json.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + json + data;
}

std::string entry(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"("x":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets +
         "}";
}

std::string message(const std::function<void()>& f) {
  try {
    f();
  } catch (const konfig::Error& error) {
    return error.what();
  }
  return "no error";
}

std::string refusal(const std::string& bytes) {
  return message([&] { parse_safetensors(bytes); });
}

class SafetensorsFile : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_ / name; }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (auto& item : fs::directory_iterator(folder_)) out.push_back(item.path().filename());
    return out;
  }
  base::TempFolder temp_{"kd_safetensors_"};
  fs::path folder_ = temp_.path();
};

TEST(Safetensors, KeepsEveryDtypeAndShape) {
  using at::ScalarType;
  TensorMap tensors;
  for (auto dtype :
       {ScalarType::Bool, ScalarType::Byte, ScalarType::Char, ScalarType::UInt16, ScalarType::Short,
        ScalarType::UInt32, ScalarType::Int, ScalarType::UInt64, ScalarType::Long, ScalarType::Half,
        ScalarType::BFloat16, ScalarType::Float, ScalarType::Double, ScalarType::ComplexFloat,
        ScalarType::Float8_e4m3fn, ScalarType::Float8_e5m2, ScalarType::Float8_e8m0fnu}) {
    for (auto& shape : std::vector<std::vector<std::int64_t>>{{}, {3}, {2, 0, 4}, {2, 3}}) {
      Tensor t = at::empty(shape, at::TensorOptions(dtype));
      if (t.nbytes() > 0) std::memset(t.data_ptr(), 1, t.nbytes());
      tensors[std::string(c10::toString(dtype)) + std::to_string(t.numel())] = t;
    }
  }
  TensorMap again = parse_safetensors(to_safetensors(tensors));
  ASSERT_EQ(again.size(), tensors.size());
  for (auto& [name, tensor] : tensors) {
    EXPECT_EQ(again.at(name).scalar_type(), tensor.scalar_type()) << name;
    EXPECT_EQ(again.at(name).sizes(), tensor.sizes()) << name;
    EXPECT_EQ(bytes_of(again.at(name)), bytes_of(tensor)) << name;
  }
}

TEST(Safetensors, WritesTheBytesOfTheReference) {
  // From Python: safetensors.numpy.save({'b': np.array([1, 2], 'i2'), 'a': np.array(1.5, 'f4')}).
  std::string wanted = file(
      R"({"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]},"b":{"dtype":"I16","shape":[2],"data_offsets":[4,8]}}      )");
  wanted += std::string("\x00\x00\xc0\x3f\x01\x00\x02\x00", 8);
  TensorMap tensors = {{"b", at::tensor({1, 2}, at::kShort)}, {"a", at::full({}, 1.5, at::kFloat)}};
  EXPECT_EQ(to_safetensors(tensors), wanted);
}

TEST(Safetensors, PacksStridedTensors) {
  Tensor t = at::arange(6).reshape({2, 3}).t();
  Tensor again = parse_safetensors(to_safetensors({{"t", t}})).at("t");
  EXPECT_TRUE(again.is_contiguous());
  EXPECT_TRUE(at::equal(again, t));
}

TEST(Safetensors, KeepsMetadataAndAnyName) {
  std::string bytes =
      to_safetensors({{"h\u00e9llo \"x\"/\n", at::zeros({2})}, {"", at::zeros({1})}},
                     {{"format", "pt"}, {"note", "\u4e16"}});
  auto header = parse_safetensors_header(bytes, bytes.size());
  EXPECT_EQ(header.metadata, (Metadata{{"format", "pt"}, {"note", "\u4e16"}}));
  EXPECT_EQ(header.data_begin % 8, 0u);
  EXPECT_EQ(parse_safetensors(bytes).count("h\u00e9llo \"x\"/\n"), 1u);
}

TEST(Safetensors, EmptyFileOfNoTensors) {
  EXPECT_TRUE(parse_safetensors(to_safetensors({})).empty());
  EXPECT_TRUE(parse_safetensors(file("{}")).empty());
}

TEST(Safetensors, RefusesBrokenFiles) {
  EXPECT_THAT(refusal(""), HasSubstr("the file has 0 bytes"));
  EXPECT_THAT(refusal("1234567"), HasSubstr("at least 8"));
  EXPECT_THAT(refusal(std::string(8, '\xff')), HasSubstr("is it a safetensors file?"));
  EXPECT_THAT(refusal(file("{}").substr(0, 9)), HasSubstr("cut short"));
  EXPECT_THAT(refusal(file("")), HasSubstr("does not begin with '{'"));
  EXPECT_THAT(refusal(file(" {}")), HasSubstr("does not begin with '{'"));
  EXPECT_THAT(refusal(file("{\"x\"")), HasSubstr("line 1"));
  EXPECT_THAT(refusal(file("{}", "abc")), HasSubstr("too long"));
  EXPECT_THAT(refusal(file("{\"x\": 3}")), HasSubstr("tensor 'x': is described by 3"));
  EXPECT_THAT(refusal(file(R"({"__metadata__": {"a": 1}})")), HasSubstr("wanted a text"));
  EXPECT_THAT(refusal(file(R"({"__metadata__": []})")), HasSubstr("texts by name"));
}

TEST(Safetensors, RefusesBrokenEntries) {
  auto of = [](const std::string& dtype, const std::string& shape, const std::string& offsets) {
    return refusal(file("{" + entry(dtype, shape, offsets) + "}", "12345678"));
  };
  EXPECT_EQ(of("F32", "[2]", "[0,8]"), "no error");
  EXPECT_THAT(of("F33", "[2]", "[0,8]"), AllOf(HasSubstr("unknown dtype 'F33'"), HasSubstr("F32")));
  EXPECT_THAT(of("F32", "[3]", "[0,8]"), HasSubstr("take 12 bytes, but data_offsets are [0, 8]"));
  EXPECT_THAT(of("F32", "[2]", "[8,0]"), HasSubstr("data_offsets are [8, 0]"));
  EXPECT_THAT(of("F32", "[-2]", "[0,8]"), HasSubstr("whole numbers from 0"));
  EXPECT_THAT(of("F32", "[2.0]", "[0,8]"), HasSubstr("whole numbers from 0"));
  EXPECT_THAT(of("F32", "2", "[0,8]"), HasSubstr("shape is 2, wanted a list"));
  EXPECT_THAT(of("F32", "[2]", "[0]"), HasSubstr("begin and end"));
  EXPECT_THAT(of("F32", "[1]", "[4,8]"), HasSubstr("begins at byte 4"));
  EXPECT_THAT(of("F32", "[1]", "[0,4]"), HasSubstr("too long"));
  EXPECT_THAT(of("F32", "[3]", "[0,12]"), HasSubstr("cut short"));
  EXPECT_THAT(of("F32", "[4294967296,4294967296]", "[0,8]"), HasSubstr("too large"));
  EXPECT_THAT(of("F32", "[0,4294967296,4294967296]", "[0,0]"), HasSubstr("too large"));
  EXPECT_THAT(refusal(file(R"({"x":{"shape":[],"data_offsets":[0,4]}})", "1234")),
              HasSubstr("has no dtype"));
  EXPECT_THAT(
      refusal(file(R"({"x":{"dtype":"U8","shape":[],"data_offsets":[0,1],"more":1}})", "1")),
      HasSubstr("unknown field 'more'"));
}

TEST(Safetensors, RefusesOverlaps) {
  std::string two = R"({"x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
                    R"("y":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})";
  EXPECT_THAT(refusal(file(two, "123")), HasSubstr("tensor 'y': begins at byte 1"));
}

TEST(Safetensors, RefusesWhatCannotBeWritten) {
  auto of = [](const std::string& name, const Tensor& t) {
    return message([&] { to_safetensors({{name, t}}); });
  };
  EXPECT_THAT(of("x", Tensor()), HasSubstr("tensor 'x': is undefined"));
  EXPECT_THAT(of("x", at::zeros({2}, at::kComplexDouble)), HasSubstr("no dtype complex128"));
  EXPECT_THAT(of("x", at::empty({2}, at::TensorOptions(at::kMeta))), HasSubstr("no values"));
  EXPECT_THAT(of("__metadata__", at::zeros({2})), HasSubstr("reserves this name"));
}

TEST_F(SafetensorsFile, SavesAndLoads) {
  TensorMap tensors = {{"a.kernel", at::arange(100000).reshape({100, 1000})},
                       {"b", at::zeros({0})}};
  save_safetensors(path("x"), tensors, {{"step", "7"}});
  TensorMap again = load_safetensors(path("x"));
  EXPECT_TRUE(at::equal(again.at("a.kernel"), tensors.at("a.kernel")));
  EXPECT_EQ(again.at("b").numel(), 0);
  EXPECT_EQ(read_safetensors_header(path("x")).metadata.at("step"), "7");
  EXPECT_THAT(names(), ElementsAre("x"));
  save_safetensors(path("x"), {{"c", at::zeros({1})}});
  EXPECT_EQ(load_safetensors(path("x")).count("c"), 1u);
}

TEST_F(SafetensorsFile, AFailedSaveKeepsTheOldFile) {
  save_safetensors(path("x"), {{"a", at::zeros({1})}});
  EXPECT_THAT(message([&] {
                save_safetensors(path("x"), {{"a", Tensor()}});
              }),
              AllOf(HasSubstr(path("x")), HasSubstr("is undefined")));
  EXPECT_EQ(load_safetensors(path("x")).count("a"), 1u);
  EXPECT_THAT(names(), ElementsAre("x"));
}

TEST_F(SafetensorsFile, ErrorsNameTheFile) {
  EXPECT_THAT(message([&] { load_safetensors(path("none")); }),
              AllOf(HasSubstr(path("none")), EndsWith("No such file or directory")));
  EXPECT_THAT(message([&] { load_safetensors(folder_); }), HasSubstr("is not a file"));
  EXPECT_THAT(message([&] { save_safetensors(path("no/x"), {}); }), HasSubstr("cannot be written"));
  std::ofstream(path("short")) << "abc";
  EXPECT_THAT(message([&] { load_safetensors(path("short")); }),
              AllOf(HasSubstr(path("short")), HasSubstr("at least 8")));
}

}  // namespace
}  // namespace kd::io
