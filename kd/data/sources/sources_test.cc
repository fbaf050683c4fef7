// Sources: what they give, and what they say about files that are damaged.
#include "kd/data/sources/sources.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>

#include "kd/data/engine/batch.h"
#include "kd/data/engine/pipeline.h"
#include "kd/data/engine/records.h"
#include "kd/data/formats.h"
#include "kd/data/sources/sources_test.h"
#include "kd/io/image.h"
#include "kd/io/safetensors.h"
#include "kd/io/tfrecord.h"
#include "konfig/json.h"
#include "konfig/load.h"
#include "konfig/resolve.h"

namespace kd::data {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST_F(Sources, IdxIsReadPackedOrNot) {
  const std::string content = big_endian_words({0x802, 3, 2}) + std::string("abcdef");
  for (const std::string& file : {write("plain", content), write("packed.gz", gzipped(content))}) {
    const auto records = Idx{.files = {{"x", file}}}.open();
    ASSERT_EQ(records->size(), 3);
    EXPECT_EQ(spec_text(records->read(1)), "x: uint8[2]\n");
    EXPECT_EQ(number(records->read(1)["x"].tensor()[0]), 'c');
  }
  const std::string wide = write("wide", big_endian_words({0xC01, 2, 7, 0xFFFFFFFE}));
  const auto records = Idx{.files = {{"x", wide}}}.open();
  EXPECT_EQ(number(records->read(1)["x"]), -2);
}

TEST_F(Sources, DamagedIdxFilesAreNamed) {
  auto error = [&](const std::string& content) {
    const std::string file = write("f", content);
    const std::string text = error_of([&] { Idx{.files = {{"x", file}}}.open(); });
    EXPECT_THAT(text, StartsWith(file + ": "));
    return text.substr(file.size() + 2);
  };
  EXPECT_THAT(error(""), StartsWith("byte 0: the file ends here"));
  EXPECT_THAT(error("abcdefgh"), StartsWith("byte 0: not an IDX file: expected two leading zero "
                                            "bytes, found 0x61 0x62"));
  EXPECT_THAT(error(big_endian_words({0x701, 1})),
              StartsWith("byte 2: there is no element type 7"));
  EXPECT_THAT(error(big_endian_words({0x802, 3})), StartsWith("byte 8: the file ends here"));
  EXPECT_THAT(error(big_endian_words({0x801, 3}) + "ab"),
              StartsWith("byte 8: 3 bytes were expected, 2 follow"));
  EXPECT_THAT(error(big_endian_words({0x801, 1}) + "ab"), StartsWith("byte 9: the file goes on"));
  EXPECT_THAT(error(big_endian_words({0x804, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 9})),
              HasSubstr("larger than any memory"));
  EXPECT_THAT(error(gzipped(big_endian_words({0x802, 0xFFFFFF, 0xFFFF}))),
              HasSubstr("more than the file can hold"));
  const std::string packed = gzipped(big_endian_words({0x801, 4}) + "abcd");
  EXPECT_THAT(error(packed.substr(0, packed.size() - 9)), HasSubstr("ends too early"));
  std::string flipped = packed;
  flipped[flipped.size() - 6] ^= 1;
  EXPECT_THAT(error(flipped), HasSubstr("damaged: incorrect data check"));
  EXPECT_THAT(error_of([&] {
                Idx{.files = {{"x", path("none")}}}.open();
              }),
              EndsWith("none: cannot be read: No such file or directory"));
}

TEST_F(Sources, NpyKnowsOrdersAndTypes) {
  const std::string data("\1\0\2\0\3\0\4\0\5\0\6\0", 12);
  const std::string c =
      write("c.npy", npy("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }", data));
  const std::string f =
      write("f.npy", npy("{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3), }", data));
  const std::string b =
      write("b.npy", npy("{'descr': '>i2', 'fortran_order': False, 'shape': (2, 3), }", data));
  const auto records = Npy{.files = {{"c", c}, {"f", f}, {"b", b}}}.open();
  EXPECT_EQ(number(records->read(1)["c"].tensor()[0]), 4);
  EXPECT_EQ(number(records->read(1)["f"].tensor()[0]), 2);
  EXPECT_EQ(number(records->read(1)["b"].tensor()[0]), 4 * 256);
}

TEST_F(Sources, DamagedNpyFilesAreNamed) {
  auto error = [&](const std::string& content) {
    return error_of([&] { Npy{.files = {{"x", write("f", content)}}}.open(); });
  };
  EXPECT_THAT(error("abc"), HasSubstr("byte 0: not an NPY file: expected it to begin with "
                                      "\\x93NUMPY, found 0x61 0x62 0x63"));
  EXPECT_THAT(error(npy("{'descr': '<i2'}", "")), HasSubstr("no 'fortran_order'"));
  EXPECT_THAT(error(npy("{nonsense", "")), HasSubstr("the header cannot be read"));
  EXPECT_THAT(error(npy("{'descr': '<U7', 'fortran_order': False, 'shape': (2,)}", "")),
              HasSubstr("elements of type '<U7'"));
  EXPECT_THAT(error(npy("{'descr': '<i8', 'fortran_order': False, 'shape': (2,)}", "12345678")),
              HasSubstr("16 bytes were expected, 8 follow"));
  EXPECT_THAT(error(npy("{'descr': '<i8', 'fortran_order': False, 'shape': (-1,)}", "")),
              HasSubstr("a dimension is negative"));
}

TEST_F(Sources, SafetensorsRowsAreRecords) {
  save_safetensors(path("s"), {{"a", at::arange(6, at::kFloat).reshape({3, 2})},
                               {"b", at::arange(3, at::kLong)}});
  const auto records = Safetensors{.path = path("s")}.open();
  EXPECT_EQ(records->size(), 3);
  EXPECT_EQ(number(records->read(2)["b"]), 2);
  EXPECT_EQ(number(records->read(2)["a"].tensor()[1]), 5);
}

TEST_F(Sources, CsvColumnsHaveTypes) {
  const std::string file =
      write("t.csv", "a,b,\"c, d\"\r\n1,2.5,x\r\n\r\n-3,,\"say \"\"hi\"\"\nthere\"\r\n");
  const auto records = Csv{.path = file}.open();
  ASSERT_EQ(records->size(), 2);
  EXPECT_EQ(spec_text(records->read(0)), "a: int64[]\nb: float64[]\nc, d: text[1]\n");
  const Tree second = records->read(1);
  EXPECT_EQ(number(second["a"]), -3);
  EXPECT_TRUE(std::isnan(second["b"].tensor().item().toDouble()));
  EXPECT_THAT(second["c, d"].texts(), ElementsAre("say \"hi\"\nthere"));
  const std::string plain = write("p.csv.gz", gzipped("1;2\n3;4\n"));
  const auto unnamed = Csv{.path = plain, .separator = ";", .header = false}.open();
  EXPECT_EQ(number(unnamed->read(1)["column1"]), 4);
}

TEST_F(Sources, CsvErrorsNameTheByte) {
  auto error = [&](const std::string& content) {
    return error_of([&] { Csv{.path = write("f", content)}.open(); });
  };
  EXPECT_THAT(error("a,b\n1,2\n3\n"), HasSubstr("byte 8: the line has 1 cells, 2 were expected"));
  EXPECT_THAT(error("a\n\"open\n"), HasSubstr("byte 2: a quote is not closed"));
  EXPECT_THAT(error("a,a\n1,2\n"), HasSubstr("two columns have the same name"));
}

TEST_F(Sources, JsonRecordsAreObjects) {
  const std::string lines =
      write("f.jsonl", "{\"x\": 1, \"t\": \"a\"}\n\n{\"x\": 2, \"t\": \"b\"}\n");
  const auto records = JsonLines{.path = lines}.open();
  ASSERT_EQ(records->size(), 2);
  EXPECT_EQ(number(records->read(1)["x"]), 2);
  EXPECT_THAT(records->read(1)["t"].texts(), ElementsAre("b"));
  const std::string bad = write("bad.jsonl", "{\"x\": 1}\n{\"x\": \n[1]\n");
  const auto broken = JsonLines{.path = bad}.open();
  EXPECT_THAT(error_of([&] { broken->read(1); }), StartsWith(bad + ": byte 9: "));
  EXPECT_THAT(error_of([&] { broken->read(2); }), HasSubstr("a record is an object"));
  const std::string list = write("list.json", R"([{"v": [[1, 2], [3, 4.5]]}, {"v": [1, "a"]}])");
  const auto in_list = JsonList{.path = list}.open();
  EXPECT_EQ(spec_text(in_list->read(0)), "v: float64[2 2]\n");
  EXPECT_EQ(in_list->read(1)["v"].kind(), Tree::Kind::list);
}

TEST_F(Sources, JsonPipelinesRead) {
  const std::string file = write("list.json", R"([{"i": 3}, {"i": 4}, {"i": 5}])");
  const py::Json pipeline{
      .path = file, .shuffle = false, .num_epochs = 1, .batch_size = 2, .seed = 0};
  const Dataset ds = open(Poly<Pipeline>(pipeline));
  EXPECT_EQ(ds.size(), 1);
  EXPECT_EQ(number((*ds.iterate().next())["i"].tensor()[1]), 4);
}

TEST_F(Sources, ImageFoldersHaveAClassPerFolder) {
  write("cats/1.png", encode_png(picture(3)));
  write("cats/readme.txt", "no picture");
  write("dogs/2.PNG", encode_png(picture(1)));
  const auto records = ImageFolder{.path = folder_.string()}.open();
  ASSERT_EQ(records->size(), 2);
  const Tree cat = records->read(0), dog = records->read(1);
  EXPECT_TRUE(at::equal(cat["image"].tensor(), picture(3)));
  EXPECT_EQ(number(cat["label"]), 0);
  EXPECT_EQ(number(dog["label"]), 1);
  EXPECT_EQ(dog["image"].tensor().size(2), 3);  // grey as colour
  EXPECT_THAT(dog["filename"].texts()[0], EndsWith("dogs/2.PNG"));
  EXPECT_THAT(error_of([&] { ImageFolder{.path = path("cats")}.open(); }),
              HasSubstr("there are no pictures"));
}

TEST_F(Sources, PngKeepsItsPixels) {
  for (std::int64_t channels : {1, 2, 3, 4}) {
    const std::string png = encode_png(picture(channels));
    EXPECT_TRUE(at::equal(decode_png(png, 0, "p"), picture(channels)));
    EXPECT_EQ(decode_png(png, 4, "p").size(2), 4);
    EXPECT_EQ(decode_png(png, 1, "p").size(2), 1);
  }
  const std::string png = encode_png(picture(3));
  EXPECT_THAT(error_of([&] { decode_image(png.substr(0, 60), 3, "p"); }),
              HasSubstr("PNG: the picture ends too early"));
  std::string broken = png;
  broken[45] ^= 0x55;
  EXPECT_THAT(error_of([&] { decode_image(broken, 3, "p"); }), HasSubstr("p: byte "));
  EXPECT_THAT(error_of([&] { decode_image("GIF89a", 3, "p"); }),
              HasSubstr("neither a PNG nor a JPEG"));
}

TEST_F(Sources, CifarHasPlanesAndLabels) {
  const auto record = [](char label, char red) {
    return std::string(1, label) + std::string(1024, red) + std::string(1024, '\2') +
           std::string(1024, '\3');
  };
  for (int i = 1; i <= 5; ++i) {
    write("data_batch_" + std::to_string(i) + ".bin",
          record(static_cast<char>(i), 'r') + record(9, 's'));
  }
  write("test_batch.bin", record(7, 't'));
  const auto train = Cifar{.path = folder_.string(), .split = "train[2:]"}.open();
  ASSERT_EQ(train->size(), 8);
  EXPECT_EQ(number(train->read(0)["label"]), 2);
  EXPECT_EQ(spec_text(train->read(0)), "image: uint8[32 32 3]\nlabel: int64[]\n");
  EXPECT_EQ(number(train->read(1)["image"].tensor()[4][5][0]), 's');
  EXPECT_EQ(number(train->read(1)["image"].tensor()[4][5][2]), 3);
  write("test_batch.bin", record(7, 't') + "x");
  EXPECT_THAT(error_of([&] { Cifar{.path = folder_.string(), .split = "test"}.open(); }),
              HasSubstr("byte 3073: the file ends within a record"));
}

TEST_F(Sources, TfRecordsHoldExamples) {
  const std::string a = example_of({{"y", integers({3, -1})},
                                    {"t", field(1, field(1, "hi"))},
                                    {"p", field(1, field(1, encode_png(picture(1))))}});
  const std::string file = write("f.tfrecord", tfrecord_frame(a) + tfrecord_frame(a));
  const auto records = TfRecord{.paths = {file}, .images = {{"p", 1}}}.open();
  ASSERT_EQ(records->size(), 2);
  EXPECT_EQ(spec_text(records->read(1)), "p: uint8[5 7 1]\nt: text[1]\ny: int64[2]\n");
  EXPECT_EQ(number(records->read(1)["y"].tensor()[1]), -1);
  const auto some = TfRecord{.paths = {file}, .features = {"y"}}.open();
  EXPECT_EQ(spec_text(some->read(0)), "y: int64[2]\n");

  std::string damaged = tfrecord_frame(a) + tfrecord_frame(a);
  damaged[damaged.size() - 20] ^= 1;
  const std::string bad = write("bad.tfrecord", damaged);
  const auto broken = TfRecord{.paths = {bad}}.open();
  EXPECT_NO_THROW(broken->read(0));
  EXPECT_THAT(error_of([&] { broken->read(1); }), HasSubstr("the checksum of a record is wrong"));
  const std::string cut = write("cut.tfrecord", tfrecord_frame(a).substr(0, 30));
  EXPECT_THAT(error_of([&] { TfRecord{.paths = {cut}}.open(); }),
              HasSubstr("byte 0: a record of "));
  const std::string nonsense = write("n.tfrecord", tfrecord_frame("\x0a\x50zz"));
  EXPECT_THAT(error_of([&] { TfRecord{.paths = {nonsense}}.open()->read(0); }),
              HasSubstr("record 0 at byte 12: byte 2: the message is damaged: a field is longer"));
}

// ---- By name.

std::string idx_labels(std::initializer_list<char> labels) {
  return big_endian_words({0x801, static_cast<std::uint32_t>(labels.size())}) + std::string(labels);
}
std::string idx_images(std::uint32_t n) {
  return big_endian_words({0x803, n, 2, 2}) + std::string(std::size_t{n} * 4, 'x');
}

py::Tfds tfds(const std::string& name, const std::string& split, const std::string& dir) {
  return {.name = name, .split = split, .shuffle = false, .seed = 0, .data_dir = dir};
}

TEST_F(Sources, AnotherDatasetIsNeverServedSilently) {
  const std::initializer_list<char> fashion = {9, 0, 0, 3, 0, 2, 7, 2, 5, 5, 1};
  write("train-labels-idx1-ubyte", idx_labels(fashion));
  write("train-images-idx3-ubyte", idx_images(11));
  write("t10k-labels-idx1-ubyte", idx_labels({1, 2}));
  write("t10k-images-idx3-ubyte", idx_images(2));
  const auto records = tfds("fashion_mnist", "train[:5]", folder_.string()).records();
  ASSERT_EQ(records->size(), 5);
  EXPECT_EQ(spec_text(records->read(0)), "image: uint8[2 2 1]\nlabel: int64[]\n");
  EXPECT_EQ(number(records->read(0)["label"]), 9);
  EXPECT_THAT(error_of([&] { tfds("mnist", "train", folder_.string()).records(); }),
              HasSubstr("this is fashion_mnist, not mnist"));
  const std::string missing =
      error_of([&] { tfds("imagenet2012", "train", folder_.string()).records(); });
  EXPECT_THAT(missing, StartsWith("there is no dataset 'imagenet2012'; looked for " +
                                  path("imagenet2012") + ". Name the folder that has it"));
  EXPECT_THAT(missing, HasSubstr("substitute=\"fashion_mnist\""));
  EXPECT_THAT(error_of([&] { tfds("fashion_mnst", "train", path("none")).records(); }),
              StartsWith("there is no dataset 'fashion_mnst'; did you mean 'fashion_mnist'?"));
  auto asked = tfds("imagenet2012", "test", folder_.string());
  asked.substitute = "fashion_mnist";
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(asked.records()->size(), 2);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("'imagenet2012' was not found; 'fashion_mnist' is read instead"));
  asked.substitute = "cifar10";
  EXPECT_THAT(error_of([&] { asked.records(); }), StartsWith("there is no dataset 'cifar10'"));
  asked.decoders = konfig::Dict{{"image", "skip"}};
  EXPECT_THAT(error_of([&] { asked.records(); }), HasSubstr("decoders: expected None"));
}

// Prepared folders are found below TFDS_DATA_DIR.
TEST_F(Sources, PreparedFoldersAreFoundByName) {
  fs::create_directories(folder_ / "golden_tiny");
  fs::copy(kGoldenFiles / "golden_tiny_tfrecord" / "1.0.0", folder_ / "golden_tiny" / "1.0.0");
  ::setenv("TFDS_DATA_DIR", folder_.c_str(), 1);
  py::Tfds named{.name = "golden_tiny", .split = "train", .shuffle = false, .seed = 0};
  const auto records = named.records();
  ASSERT_GT(records->size(), 0);
  const Tree whole = records->read(0);
  const Tree part = records->read_part(0, "image", [](std::int64_t height, std::int64_t width) {
    return ImageBox{1, 2, height - 3, width - 2};
  });
  const Tensor image = whole["image"].tensor();
  EXPECT_TRUE(part["image"].tensor().equal(image.slice(0, 1, image.size(0) - 2).slice(1, 2)));
  EXPECT_EQ(number(part["label"]), number(whole["label"]));
  named.name = "golden_tny";
  EXPECT_THAT(error_of([&] { named.records(); }), HasSubstr("did you mean 'golden_tiny'?"));
  ::unsetenv("TFDS_DATA_DIR");
}

TEST(Absent, PipelinesThatNeedPythonSayWhatToUse) {
  auto refusal = [](const char* json) {
    return error_of([&] {
      data::open(konfig::load<Poly<Pipeline>>(konfig::resolve(konfig::parse_json(json))));
    });
  };
  EXPECT_THAT(refusal(R"({"__qualname__": "kauldron.kd:data.py.HuggingFace", "path": "imdb",
                          "split": "train", "shuffle": true, "batch_size": 8})"),
              AllOf(StartsWith("kd.data.py.HuggingFace: 'imdb' is read by a Python library"),
                    HasSubstr("JsonLines(path=\"train.jsonl\")")));
  for (const char* name : {"SeqIOTask", "SeqIOMixture"}) {
    EXPECT_THAT(refusal((R"({"__qualname__": "kauldron.kd:data.tf.)" + std::string(name) +
                         R"(", "name": "c4", "split": "train", "register": null})")
                            .c_str()),
                AllOf(StartsWith("kd.data.tf." + std::string(name) + ": 'c4'"),
                      HasSubstr("TfRecord(paths=[...])")));
  }
}

}  // namespace
}  // namespace kd::data
