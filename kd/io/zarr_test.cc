// Arrays of Zarr stores in memory.
#include "kd/io/zarr.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <map>

#include "konfig/error.h"

namespace kd::io {
namespace {

using konfig::Error;
using ::testing::HasSubstr;
using Values = std::map<std::string, std::string>;

Tensor read(const Values& values) {
  return read_zarr(
      [&](const std::string& key) -> std::optional<Bytes> {
        auto found = values.find(key);
        if (found == values.end()) return {};
        return own_bytes(key, found->second);
      },
      "a.b");
}

std::string error_of(const Values& values) {
  try {
    read(values);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string v2(const std::string& shape, const std::string& chunks, const std::string& dtype,
               const std::string& more = R"("compressor":null,"order":"C","fill_value":null)") {
  return R"({"zarr_format":2,"shape":)" + shape + R"(,"chunks":)" + chunks + R"(,"dtype":")" +
         dtype + R"(","filters":null,)" + more + "}";
}

std::string v3(const std::string& codecs, const std::string& keys = R"({"name":"default"})") {
  return R"({"zarr_format":3,"shape":[3],"data_type":"uint8","chunk_grid":{"name":"regular",)"
         R"("configuration":{"chunk_shape":[2]}},"chunk_key_encoding":)" +
         keys + R"(,"fill_value":7,"codecs":[)" + codecs + "]}";
}

std::string zstd_of(const std::string& data) {
  std::string out(::ZSTD_compressBound(data.size()), '\0');
  out.resize(::ZSTD_compress(out.data(), out.size(), data.data(), data.size(), 1));
  return out;
}

std::string gzip_of(const std::string& data) {
  z_stream stream = {};
  ::deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string in = data, out(::deflateBound(&stream, data.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  ::deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  ::deflateEnd(&stream);
  return out;
}

Tensor bytes(std::initializer_list<int> values) {
  return at::tensor(std::vector<int>(values)).to(at::kByte);
}

TEST(Zarr, ChunksMakeUpAnArray) {
  // 3 x 3 in chunks of 2 x 2, which are whole also at the edges; one is missing.
  const Values values = {{"a.b/.zarray", v2("[3,3]", "[2,2]", "|u1",
                                            R"("compressor":null,"order":"C","fill_value":9)")},
                         {"a.b/0.0", "\1\2\4\5"},
                         {"a.b/0.1", std::string("\3\0\6\0", 4)},
                         {"a.b/1.0", std::string("\7\10\0\0", 4)}};
  EXPECT_TRUE(at::equal(read(values), at::arange(1, 10).reshape({3, 3}).to(at::kByte)));
}

TEST(Zarr, OrdersOfBytesAndAxes) {
  const std::string fortran = R"("compressor":null,"order":"F","fill_value":null)";
  EXPECT_TRUE(at::equal(read({{"a.b/.zarray", v2("[2,3]", "[2,3]", "|u1", fortran)},
                              {"a.b/0.0", std::string("\0\3\1\4\2\5", 6)}}),
                        at::arange(6).reshape({2, 3}).to(at::kByte)));
  EXPECT_EQ(read({{"a.b/.zarray", v2("[]", "[]", ">i4")}, {"a.b/0", std::string("\0\0\1\2", 4)}})
                .item<int>(),
            258);
  EXPECT_EQ(read({{"a.b/.zarray", v2("[0]", "[1]", "<f4")}}).numel(), 0);
}

TEST(Zarr, Packings) {
  for (const auto& [name, packed] :
       {std::pair("zstd", zstd_of("\1\2")), std::pair("gzip", gzip_of("\1\2"))}) {
    const std::string compressor =
        R"("compressor":{"id":")" + std::string(name) + R"("},"order":"C","fill_value":null)";
    Values values = {{"a.b/.zarray", v2("[2]", "[2]", "|u1", compressor)}, {"a.b/0", packed}};
    EXPECT_TRUE(at::equal(read(values), bytes({1, 2}))) << name;
    for (std::size_t n = 0; n < packed.size(); ++n) {
      values["a.b/0"] = packed.substr(0, n);
      EXPECT_THAT(error_of(values), HasSubstr("array 'a.b': ")) << name << n;
    }
  }
}

TEST(Zarr, VersionThree) {
  EXPECT_TRUE(at::equal(read({{"a.b/zarr.json", v3(R"({"name":"bytes"},{"name":"zstd"})")},
                              {"a.b/c/0", zstd_of("\1\2")}}),
                        bytes({1, 2, 7})));
  const std::string old = R"({"name":"v2","configuration":{"separator":"/"}})";
  EXPECT_TRUE(
      at::equal(read({{"a.b/zarr.json", v3("", old)}, {"a.b/0", "\1\2"}, {"a.b/1", "\3\4"}}),
                bytes({1, 2, 3})));
  EXPECT_THAT(error_of({{"a.b/zarr.json", v3(R"({"name":"sharding_indexed"})")}}),
              HasSubstr("packing 'sharding_indexed' is not read, only zstd and gzip"));
}

TEST(Zarr, ErrorsNameTheArray) {
  EXPECT_EQ(error_of({}), "array 'a.b': it is not in the store");
  const std::string blosc = R"("compressor":{"id":"blosc"},"order":"C","fill_value":null)";
  EXPECT_THAT(error_of({{"a.b/.zarray", v2("[2]", "[2]", "|u1", blosc)}}),
              HasSubstr("packing 'blosc' is not read"));
  EXPECT_THAT(error_of({{"a.b/.zarray", v2("[2]", "[2]", "<c8")}}), HasSubstr("dtype '<c8'"));
  EXPECT_THAT(error_of({{"a.b/.zarray", v2("[2]", "[2]", "|u1")}, {"a.b/0", "\1"}}),
              HasSubstr("has 1 bytes, its shape has 2"));
  EXPECT_THAT(error_of({{"a.b/.zarray", v2("[2]", "[0]", "|u1")}}),
              HasSubstr("its chunks do not fit its shape"));
  EXPECT_THAT(error_of({{"a.b/.zarray", v2("[2]", "[2,2]", "|u1")}}),
              HasSubstr("its chunks do not fit its shape"));
  EXPECT_THAT(error_of({{"a.b/.zarray", v2("[99999999999,9999]", "[1,1]", "|u1")}}),
              HasSubstr("more than this machine's memory"));
  EXPECT_THAT(error_of({{"a.b/.zarray", v2("[-2]", "[2]", "|u1")}}), HasSubstr("negative"));
  EXPECT_THAT(error_of({{"a.b/.zarray", "{"}}), HasSubstr("array 'a.b': "));
}

}  // namespace
}  // namespace kd::io
