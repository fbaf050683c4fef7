// Damaged files of every format: an error that names the file, never a crash or a huge allocation.
#include <gmock/gmock.h>
#include <sys/resource.h>

#include <cstdlib>
#include <ranges>

#include "base/file.h"
#include "kd/data/engine/batch.h"
#include "kd/data/engine/pipeline.h"
#include "kd/data/engine/records.h"
#include "kd/data/engine/tfds_folder.h"
#include "kd/data/formats.h"
#include "kd/data/sources/jpeg_test.h"
#include "kd/data/sources/sources.h"
#include "kd/data/sources/sources_test.h"
#include "kd/io/image.h"
#include "kd/io/safetensors.h"
#include "kd/io/tfrecord.h"

namespace kd::data {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A format: the file that is damaged, its good content, and how it is read.
struct Format {
  std::string name;
  std::string file;
  std::string content;
  std::function<RecordsPtr()> open;
  // Part of a text is a shorter text, and pixels without a checksum are other pixels: such damage
  // cannot always be seen.
  bool always_seen = false;  // any shorter file is an error
  bool has_offsets = true;   // errors name the byte
};

std::string tar_of(const std::string& name, const std::string& content) {
  std::string header(512, '\0');
  header.replace(0, name.size(), name);
  char size[13];
  std::snprintf(size, sizeof size, "%011zo", content.size());
  header.replace(124, 12, size, 12);
  header[156] = '0';
  header.replace(148, 8, "        ");
  unsigned sum = 0;
  for (char c : header) sum += static_cast<unsigned char>(c);
  char digits[9];
  std::snprintf(digits, sizeof digits, "%06o", sum);
  header.replace(148, 7, digits, 7);
  return header + content + std::string((512 - content.size() % 512) % 512, '\0');
}

// A zip file with one entry that is not packed.
std::string zip_of(const std::string& name, const std::string& content) {
  auto number = [](std::uint64_t n, int bytes) {
    std::string out;
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(n >> 8 * i & 0xFF);
    return out;
  };
  const auto crc =
      ::crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size()));
  const std::string common = number(20, 2) + number(0, 2) + number(0, 2) + number(0, 4) +
                             number(crc, 4) + number(content.size(), 4) +
                             number(content.size(), 4) + number(name.size(), 2) + number(0, 2);
  const std::string local = "PK\3\4" + common + name + content;
  const std::string central = "PK\1\2" + number(20, 2) + common + std::string(14, '\0') + name;
  return local + central + "PK\5\6" + number(0, 4) + number(1, 2) + number(1, 2) +
         number(central.size(), 4) + number(local.size(), 4) + number(0, 2);
}

class Damaged : public Sources {
 protected:
  std::vector<Format> formats() {
    const std::string idx = big_endian_words({0x802, 3, 2}) + "abcdef";
    const std::string array =
        npy("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }", std::string(12, 'x'));
    const std::string example = tfrecord_frame(example_of({{"y", integers({3, -1})}}));
    save_safetensors(path("s"), {{"a", at::arange(6, at::kFloat).reshape({3, 2})}});
    const std::string cifar = std::string(1, '\7') + std::string(3072, 'p');
    std::string archive;
    for (const char* name : {"train.bin", "test.bin"}) archive += tar_of(name, "\1" + cifar);
    archive += std::string(1024, '\0');
    auto tfds = [&](const std::string& format, const std::string& file) {
      const std::string name = "golden_tiny_" + format;
      fs::copy(kGoldenFiles / name / "1.0.0", folder_ / name,
               fs::copy_options::recursive | fs::copy_options::overwrite_existing);
      return Format{.name = format + " " + file,
                    .file = path(name + "/" + file),
                    .content = base::read_file(path(name + "/" + file)),
                    .open = [folder = path(name)] {
                      return TfdsFolder{.path = folder, .split = "test"}.open();
                    }};
    };
    auto with = [](Format format, bool always_seen, bool has_offsets = true) {
      format.always_seen = always_seen;
      format.has_offsets = has_offsets;
      return format;
    };
    auto idx_of = [](const std::string& file) {
      return [file] { return Idx{.files = {{"x", file}}}.open(); };
    };
    auto pictures = [this] { return ImageFolder{.path = path("pictures")}.open(); };
    for (int i = 1; i <= 5; ++i) write("cifar/data_batch_" + std::to_string(i) + ".bin", cifar);
    return {
        {"idx", path("idx"), idx, idx_of(path("idx")), true},
        {"idx.gz", path("idx.gz"), gzipped(idx), idx_of(path("idx.gz")), true},
        {"npy", path("npy"), array,
         [this] {
           return Npy{.files = {{"x", path("npy")}}}.open();
         },
         true},
        {"npz", path("npz"), zip_of("x.npy", array), [this] { return Npz{path("npz")}.open(); },
         true},
        {"safetensors", path("s"), base::read_file(path("s")),
         [this] { return Safetensors{.path = path("s")}.open(); }, true, false},
        {"csv", path("csv"), "a,b\n1,2\n3,\"x\"\n", [this] { return Csv{path("csv")}.open(); }},
        {"csv.gz", path("csv.gz"), gzipped("a,b\n1,2\n3,4\n"),
         [this] { return Csv{path("csv.gz")}.open(); }},
        {"jsonl", path("jsonl"), "{\"x\": [1, 2]}\n{\"x\": \"t\"}\n",
         [this] { return JsonLines{path("jsonl")}.open(); }},
        {"json list", path("json"), R"([{"x": 1}, {"x": 2}])",
         [this] { return JsonList{path("json")}.open(); }, true, false},
        {"png", path("pictures/a/1.png"), encode_png(picture(3)), pictures, true},
        {"jpeg", path("pictures/a/1.png"), encode_jpeg({.height = 9, .width = 17}), pictures, true},
        {"cifar", path("cifar/test_batch.bin"), cifar,
         [this] { return Cifar{.path = path("cifar"), .split = "test"}.open(); }, true},
        {"cifar.tar.gz", path("cifar.tar.gz"), gzipped(archive),
         [this] { return Cifar{.path = path("cifar.tar.gz"), .split = "test"}.open(); }, true},
        {"tfrecord", path("tfrecord"), example + example,
         [this] { return TfRecord{.paths = {path("tfrecord")}}.open(); }},
        tfds("tfrecord", "golden_tiny-test.tfrecord-00000-of-00001"),
        with(tfds("array_record", "golden_tiny-test.array_record-00000-of-00001"), true),
        with(tfds("tfrecord", "dataset_info.json"), true, false),
        with(tfds("tfrecord", "features.json"), true, false),
    };
  }

  // What reading everything says; "" when nothing is wrong.
  static std::string reading(const Format& format, const std::string& content) {
    fs::create_directories(fs::path(format.file).parent_path());
    fs::remove(format.file);  // a new file: some disks take their time to write over one
    std::ofstream(format.file, std::ios::binary) << content;
    try {
      const RecordsPtr records = format.open();
      for (std::int64_t i = 0; i < records->size(); ++i) records->read(i);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  }

  // The file and the byte; but texts tell line and column themselves, and some is said of a whole.
  static void expect_place(const Format& format, const std::string& error,
                           const std::string& what) {
    const std::string folder = fs::path(format.file).parent_path().string();
    EXPECT_THAT(error, StartsWith(folder)) << format.name << " " << what;
    if (format.has_offsets) {
      EXPECT_THAT(error, AnyOf(HasSubstr(": byte "), HasSubstr("at byte "),
                               HasSubstr(": there is n"), HasSubstr(": it h")))
          << format.name << " " << what;
    }
  }
};

// All places of a small file, some of a large one.
std::vector<std::size_t> places(std::size_t size) {
  const std::size_t most = std::getenv("KD_TEST_FULL") ? 4000 : 40;
  const std::size_t step = std::max<std::size_t>(1, size / most);
  std::vector<std::size_t> out;
  for (std::size_t at = 0; at < size; at += step) out.push_back(at);
  return out;
}

TEST_F(Damaged, GoodFilesOfEveryFormatAreRead) {
  for (const Format& format : formats()) EXPECT_EQ(reading(format, format.content), "");
}

TEST_F(Damaged, ShorterFilesAreErrorsWithAPlace) {
  for (const Format& format : formats()) {
    for (std::size_t size : places(format.content.size())) {
      const std::string error = reading(format, format.content.substr(0, size));
      const std::string what = "cut at " + std::to_string(size);
      EXPECT_TRUE(!format.always_seen || !error.empty()) << format.name << " " << what;
      if (!error.empty()) expect_place(format, error, what);
    }
    reading(format, format.content);
  }
}

TEST_F(Damaged, EmptyFilesAreErrors) {
  for (const Format& format : formats()) {
    const std::string error = reading(format, "");
    EXPECT_NE(error, "") << format.name;
    expect_place(format, error, "empty");
    reading(format, format.content);
  }
}

TEST_F(Damaged, ChangedBytesAreErrorsWithAPlace) {
  for (const Format& format : formats()) {
    for (std::size_t at : places(format.content.size())) {
      for (int mask : {0x01, 0xFF}) {
        std::string content = format.content;
        content[at] = static_cast<char>(content[at] ^ mask);
        const std::string error = reading(format, content);
        if (!error.empty()) expect_place(format, error, "changed at " + std::to_string(at));
      }
    }
    reading(format, format.content);
  }
}

TEST_F(Damaged, FilesOfAnotherTypeAreErrorsWithAPlace) {
  const auto all = formats();
  for (const Format& format : all) {
    for (const Format& other : all) {
      // Any text is a table.
      const bool text = other.name.find("csv") == 0 || other.name.find("json") != other.name.npos;
      if (format.name == other.name) continue;
      if (format.name.starts_with("csv") && text) continue;
      if (format.name.starts_with("idx") && other.name.starts_with("idx")) continue;
      if (format.name.find(".json") != format.name.npos) continue;
      const std::string error = reading(format, other.content);
      const auto is_picture = [](const Format& f) { return f.name == "png" || f.name == "jpeg"; };
      const bool same = format.name.substr(0, 3) == other.name.substr(0, 3) ||
                        (is_picture(format) && is_picture(other));
      EXPECT_TRUE(same || format.name.starts_with("csv") || !error.empty())
          << format.name << " as " << other.name;
      if (!error.empty()) expect_place(format, error, "as " + other.name);
    }
    reading(format, format.content);
  }
}

TEST_F(Damaged, HeadersThatPromiseTooMuchCostNoMemory) {
  rusage before = {}, after = {};
  ::getrusage(RUSAGE_SELF, &before);
  const auto all = formats();
  auto error = [&](const std::string& name, const std::string& content) {
    return reading(*std::ranges::find(all, name, &Format::name), content);
  };
  EXPECT_THAT(error("idx", big_endian_words({0x803, 0x7FFFFFFF, 0x7FFF, 1})), HasSubstr("byte "));
  EXPECT_THAT(
      error("npy", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999,)}", "")),
      HasSubstr("bytes were expected"));
  EXPECT_THAT(error("npz", zip_of("x.npy", npy("{'descr': '<f8', 'fortran_order': True, "
                                               "'shape': (99999, 999999)}",
                                               ""))),
              HasSubstr("bytes were expected"));
  EXPECT_THAT(error("safetensors", std::string("\xff\xff\xff\xff\xff\xff\xff\x7f{}", 10)),
              HasSubstr("header"));
  EXPECT_THAT(
      error("tfrecord", tfrecord_frame("").replace(0, 8, "\xff\xff\xff\xff\xff\xff\xff\x7f")),
      HasSubstr("byte 0: the checksum of a record's length is wrong"));
  std::string png = encode_png(picture(3));
  png.replace(16, 8, std::string("\x00\x7f\xff\xff\x00\x7f\xff\xff", 8));
  EXPECT_THAT(error("png", png), HasSubstr("byte "));
  std::string info = std::ranges::find(all, "tfrecord dataset_info.json", &Format::name)->content;
  const auto lengths = info.find("\"shardLengths\"");
  ASSERT_NE(lengths, info.npos);
  info.insert(info.find('[', lengths) + 1, "\"9223372036854775807\", \"9223372036854775807\", ");
  EXPECT_NE(error("tfrecord dataset_info.json", info), "");
  ::getrusage(RUSAGE_SELF, &after);
  constexpr long kMostKilobytes = 100'000;
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, kMostKilobytes);
}

TEST_F(Damaged, RecordsInTheMiddleAreSkippedAndCounted) {
  const std::string good = example_of({{"i", integers({1})}});
  std::string content = tfrecord_frame(good) + tfrecord_frame(good) + tfrecord_frame(good);
  content[content.size() / 2] ^= 1;
  write("pictures/a/1.png", encode_png(picture(1)));
  write("pictures/a/2.png", encode_png(picture(1)).substr(0, 50));
  write("pictures/a/3.png", encode_png(picture(1)));
  const Poly<Source> sources[] = {
      TfRecord{.paths = {write("f", content)}}, ImageFolder{.path = path("pictures")},
      JsonLines{.path = write("l", "{\"i\": 1}\n{\"i\": \n{\"i\": 3}\n")}};
  for (const Poly<Source>& source : sources) {
    py::DataSource pipeline{
        .data_source = source, .shuffle = false, .num_epochs = 1, .batch_size = 2, .seed = 0};
    EXPECT_THAT(error_of([&] { open(Poly<Pipeline>(pipeline)).iterate().next(); }),
                StartsWith("position 1 of the data: " + folder_.string()));
    pipeline.skip_bad_records = true;
    for (int workers : {0, 2}) {
      pipeline.num_workers = workers;
      const std::int64_t skipped = skipped_records();
      Iterator it = open(Poly<Pipeline>(pipeline)).iterate();
      ASSERT_TRUE(it.next().has_value());
      EXPECT_THAT(it.records(), ::testing::ElementsAre(RecordId{0, 0}, RecordId{0, 2}));
      EXPECT_EQ(skipped_records(), skipped + 1);
    }
  }
}

}  // namespace
}  // namespace kd::data
