// OCDBT stores written by hand: trees of several levels, and damage behind right checksums.
#include "kd/io/ocdbt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/temp_folder.h"
#include "kd/io/checksum.h"
#include "konfig/error.h"

namespace kd::io {
namespace {

namespace fs = std::filesystem;
using konfig::Error;
using ::testing::HasSubstr;

std::string bytes_of(std::uint64_t value, int n) {
  std::string out;
  for (int i = 0; i < n; ++i) out += static_cast<char>(value >> 8 * i);
  return out;
}

// A block with its header and checksum; `body` begins behind the packing, which is none.
std::string sealed(const std::string& magic, const std::string& body) {
  const std::string inner = std::string(2, '\0') + body;
  const std::string all = magic + bytes_of(12 + inner.size() + 4, 8) + inner;
  return all + bytes_of(crc32c(all), 4);
}
const std::string kManifest("\x0c\xdb\x3a\x2a"), kNode("\x0c\xdb\x20\xde");

// "\1a" is a number and a letter: all numbers here are below 128.
using namespace std::string_literals;

// A table of one data file: no shared starts; lengths of path and folder; the path.
std::string table(const std::string& path, int folder = 0) {
  return "\1"s + static_cast<char>(path.size()) + static_cast<char>(folder) + path;
}

class Ocdbt : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& content) {
    const fs::path file = folder_ / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << content;
  }
  // The root is the whole of the file "root".
  void write_manifest(int height, std::size_t root_size) {
    const std::string limits = std::string(16, 'u') + "\0\1\1\0\0"s;
    write("manifest.ocdbt",
          sealed(kManifest, limits + table("root") + "\1\1"s + static_cast<char>(height) + "\0\0"s +
                                static_cast<char>(root_size) + "\0\0\0"s + std::string(8, 't')));
  }
  // "ka" -> "one" in the node, "kb" -> "two" in p/d/values.
  std::string leaf() const {
    return sealed(kNode, "\0"s + table("d/values") + "\2\1\2\1kab\3\3\0\1\0\4one"s);
  }
  void write_one_leaf() {
    write("root", leaf());
    write("d/values", "....two...");
    write_manifest(0, leaf().size());
  }
  // The same with a level above: the leaf is in the folder p/, and 'x' begins all of its keys.
  void write_two_levels() {
    const std::string root = sealed(kNode, "\1"s + table("p/leaf", 2) + "\1\2\1xk\0\0"s +
                                               static_cast<char>(leaf().size()) + "\2\0\0"s);
    write("root", root);
    write("p/leaf", leaf());
    write("p/d/values", "....two...");
    write_manifest(1, root.size());
  }
  std::map<std::string, std::string> read() const {
    std::map<std::string, std::string> out;
    for (auto& [key, value] : read_ocdbt(folder_)) out[key] = std::string(value.data);
    return out;
  }
  std::string error() const {
    try {
      read();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  base::TempFolder temp_{"kd_ocdbt_"};
  fs::path folder_ = temp_.path();
};

using Values = std::map<std::string, std::string>;

TEST_F(Ocdbt, ALeafHasValuesOfItsOwnAndOfDataFiles) {
  write_one_leaf();
  EXPECT_EQ(read(), (Values{{"ka", "one"}, {"kb", "two"}}));
}

TEST_F(Ocdbt, ALevelAboveAddsStartsOfKeysAndFolders) {
  write_two_levels();
  EXPECT_EQ(read(), (Values{{"xka", "one"}, {"xkb", "two"}}));
}

TEST_F(Ocdbt, DamageIsFound) {
  write_one_leaf();
  write("d/values", "...");
  EXPECT_THAT(error(), HasSubstr("3 bytes were expected, the file has 3"));
  std::string broken = leaf();
  broken[20] ^= 1;
  write("root", broken);
  EXPECT_THAT(error(), HasSubstr("root: block at byte 0: the checksum of a node is wrong"));
  write("root", leaf().substr(1));
  EXPECT_THAT(error(), HasSubstr("bytes were expected"));
  fs::remove(folder_ / "root");
  EXPECT_THAT(error(), HasSubstr("root: cannot be read"));
  write("manifest.ocdbt", "");
  EXPECT_THAT(error(), HasSubstr("the manifest is cut off"));
}

TEST_F(Ocdbt, PathsStayWithinTheStore) {
  for (const std::string path : {"../values", "d/../../v", "/etc/file"}) {
    const std::string node = sealed(kNode, "\0"s + table(path) + "\2\1\2\1kab\3\3\0\1\0\4one"s);
    write("root", node);
    write_manifest(0, node.size());
    EXPECT_THAT(error(), HasSubstr("a path leads out of the store: " + path));
  }
}

// Every byte of every block changed, with the checksum put right.
TEST_F(Ocdbt, NoBlockIsTrusted) {
  write_two_levels();
  for (const std::string name : {"manifest.ocdbt", "root", "p/leaf"}) {
    std::ifstream in(folder_ / name, std::ios::binary);
    const std::string good{std::istreambuf_iterator<char>(in), {}};
    for (std::size_t i = 0; i + 4 < good.size(); ++i) {
      for (const int change : {0x01, 0x80, 0xff, 0x7f}) {
        std::string bad = good.substr(0, good.size() - 4);
        bad[i] = static_cast<char>(bad[i] ^ change);
        write(name, bad + bytes_of(crc32c(bad), 4));
        error();  // whatever it is: no crash, no other exception
      }
    }
    write(name, good);
  }
  EXPECT_EQ(read().size(), 2u);
}

}  // namespace
}  // namespace kd::io
