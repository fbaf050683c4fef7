// Reading OCDBT: a manifest leads to the root of a B+tree, whose nodes lie in data files and name
// other data files, relative to the folder in which the store of one process was.
#include "kd/io/ocdbt.h"

#include <filesystem>
#include <set>
#include <vector>

#include "kd/io/checksum.h"
#include "kd/io/errors.h"
#include "kd/io/protobuf.h"
#include "kd/io/zstd.h"

namespace kd::io {

namespace {

constexpr std::uint32_t kManifestMagic = 0x0cdb3a2a, kNodeMagic = 0x0cdb20de;
constexpr std::size_t kMostKey = (1 << 16) - 1;
constexpr std::uint64_t kMostNode = std::uint64_t{1}
                                    << 30;  // unpacked; Orbax writes 100 MB at most

// The fields of one unpacked block, one after the other.
class Reader {
 public:
  explicit Reader(const Bytes& block) : block_(block), rest_(block.data) {}

  std::string_view take(std::uint64_t n) {
    if (n > rest_.size()) fail("a field is longer than the block");
    const std::string_view out = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return out;
  }
  std::uint8_t byte() { return static_cast<std::uint8_t>(take(1)[0]); }
  std::uint64_t number() {
    detail::Message run(rest_, block_.path, block_.data.data());
    const std::uint64_t out = run.number();
    rest_.remove_prefix(rest_.size() - run.size());
    return out;
  }
  // How many of something follow, each of which takes a byte or more.
  std::uint64_t count() {
    const std::uint64_t n = number();
    if (n > rest_.size()) fail("more entries than bytes");
    return n;
  }
  std::vector<std::uint64_t> numbers(std::uint64_t n) {
    std::vector<std::uint64_t> out(n);
    for (std::uint64_t& x : out) x = number();
    return out;
  }
  // Texts, of which each shares a beginning with the one before. `between` reads what lies between
  // their lengths and their bytes.
  template <class Between>
  std::vector<std::string> texts(std::uint64_t n, Between&& between) {
    const std::vector<std::uint64_t> shared = numbers(n == 0 ? 0 : n - 1), own = numbers(n);
    between();
    std::vector<std::string> out;
    for (std::uint64_t i = 0; i < n; ++i) {
      const std::uint64_t start = i == 0 ? 0 : shared[i - 1];
      if (start > (i == 0 ? 0 : out.back().size())) fail("a name shares more than there is");
      std::string text = i == 0 ? "" : out.back().substr(0, start);
      text += take(own[i]);
      if (text.size() > kMostKey) fail("a name is longer than any");
      out.push_back(std::move(text));
    }
    return out;
  }
  std::string_view rest() const { return rest_; }
  void expect_end() const {
    if (!rest_.empty()) fail("bytes follow the last field");
  }
  Bytes value(std::string_view bytes) const { return {block_.path, bytes, block_.owner}; }
  [[noreturn]] void fail(const std::string& reason) const {
    fail_in_file(block_.path, block_.size() - rest_.size(), "the store is damaged: " + reason);
  }

 private:
  const Bytes& block_;
  std::string_view rest_;
};

// A block has magic, length, version and packing before it, and a checksum behind it.
Bytes unpacked_block(const Bytes& block, std::uint32_t magic, const char* what) {
  constexpr std::uint64_t kBefore = 12, kBehind = 4;
  if (block.size() < kBefore + kBehind) fail_in_file(block.path, std::string(what) + " is cut off");
  if (big_endian<std::uint32_t>(block, 0) != magic) {
    fail_in_file(block.path, 0, std::string("this is not ") + what + " of an OCDBT store");
  }
  if (little_endian<std::uint64_t>(block, 4) != block.size()) {
    fail_in_file(block.path, 4, std::string("the length of ") + what + " is wrong");
  }
  const std::string_view checked = block.data.substr(0, block.size() - kBehind);
  if (crc32c(checked) != little_endian<std::uint32_t>(block, checked.size())) {
    fail_in_file(block.path, std::string("the checksum of ") + what + " is wrong");
  }
  const Bytes inner{block.path, checked.substr(kBefore), block.owner};
  Reader reader(inner);
  const std::uint64_t version = reader.number(), packing = reader.number();
  if (version != 0 || packing > 1) {
    fail_in_file(block.path, kBefore,
                 "version " + std::to_string(version) + " of OCDBT, with packing " +
                     std::to_string(packing) +
                     ", is unknown; known are version 0, packings 0 and 1");
  }
  const std::string_view rest = reader.rest();
  if (packing == 0) return {block.path, rest, block.owner};
  return own_bytes(block.path, unpacked_zstd(rest, kMostNode, block.path));
}

// A data file: `base` is where the paths within it begin.
struct DataFile {
  std::string base, path;
};

class Store {
 public:
  explicit Store(std::string folder) : folder_(std::move(folder)) {}

  std::map<std::string, Bytes> read() {
    const Bytes packed = map_file(folder_ + "/manifest.ocdbt");
    const Bytes manifest = unpacked_block(packed, kManifestMagic, "the manifest");
    Reader reader(manifest);
    reader.take(16);  // the store's identity
    if (reader.number() != 0) {
      fail_in_file(packed.path, "the store has numbered manifests, which are not read");
    }
    reader.numbers(2);                         // limits of the writer
    reader.byte();                             // the arity of the tree of versions
    if (reader.number() == 1) reader.take(4);  // how hard zstd packs
    const std::vector<DataFile> files = read_files(reader, "");
    const std::uint64_t n = reader.count();
    if (n == 0) return {};
    reader.numbers(n);  // the generations: the newest is the last
    const std::string_view heights = reader.take(n);
    const auto ids = reader.numbers(n), offsets = reader.numbers(n), lengths = reader.numbers(n);
    if (lengths.back() != 0) {
      read_node(reader, files, ids.back(), offsets.back(), lengths.back(), "",
                static_cast<std::uint8_t>(heights.back()));
    }
    return std::move(values_);
  }

 private:
  static std::vector<DataFile> read_files(Reader& reader, const std::string& base) {
    const std::uint64_t n = reader.count();
    std::vector<std::uint64_t> bases;
    const auto paths = reader.texts(n, [&] { bases = reader.numbers(n); });
    std::vector<DataFile> out;
    for (std::uint64_t i = 0; i < n; ++i) {
      if (bases[i] > paths[i].size()) reader.fail("a folder is longer than its path");
      const std::string path = base + paths[i];
      for (const auto& part : std::filesystem::path(path)) {
        if (part == ".." || part == "/") reader.fail("a path leads out of the store: " + path);
      }
      out.push_back({base + paths[i].substr(0, bases[i]), path});
    }
    return out;
  }

  // A part of a data file.
  Bytes part(Reader& reader, const std::vector<DataFile>& files, std::uint64_t id,
             std::uint64_t offset, std::uint64_t length) {
    if (id >= files.size()) reader.fail("there is no data file " + std::to_string(id));
    const std::string path = folder_ + "/" + files[id].path;
    auto found = mapped_.find(path);
    if (found == mapped_.end()) found = mapped_.emplace(path, map_file(path)).first;
    const Bytes& file = found->second;
    if (offset > file.size() || length > file.size() - offset) {
      fail_in_file(path, offset,
                   std::to_string(length) + " bytes were expected, the file has " +
                       std::to_string(file.size()));
    }
    return {path + ": block at byte " + std::to_string(offset), file.data.substr(offset, length),
            file.owner};
  }

  void read_node(Reader& from, const std::vector<DataFile>& known, std::uint64_t id,
                 std::uint64_t offset, std::uint64_t length, const std::string& prefix,
                 std::uint8_t height) {
    const Bytes packed = part(from, known, id, offset, length);
    if (!seen_.insert(packed.path).second) from.fail("a node has two parents: " + packed.path);
    const Bytes node = unpacked_block(packed, kNodeMagic, "a node");
    Reader reader(node);
    if (reader.byte() != height) reader.fail("a node is at the wrong height");
    const std::vector<DataFile> files = read_files(reader, known[id].base);
    const std::uint64_t n = reader.count();
    std::vector<std::uint64_t> shared;  // how much of its key all of a child's keys begin with
    const auto keys = reader.texts(n, [&] {
      if (height > 0) shared = reader.numbers(n);
    });
    if (height == 0) return read_leaf(reader, files, keys, prefix);
    const auto ids = reader.numbers(n), offsets = reader.numbers(n), lengths = reader.numbers(n);
    reader.numbers(3 * n);  // statistics
    reader.expect_end();
    for (std::uint64_t i = 0; i < n; ++i) {
      if (shared[i] > keys[i].size()) reader.fail("a child shares more than its key");
      read_node(reader, files, ids[i], offsets[i], lengths[i],
                prefix + keys[i].substr(0, shared[i]), static_cast<std::uint8_t>(height - 1));
    }
  }

  void read_leaf(Reader& reader, const std::vector<DataFile>& files,
                 const std::vector<std::string>& keys, const std::string& prefix) {
    const std::uint64_t n = keys.size();
    const auto lengths = reader.numbers(n), kinds = reader.numbers(n);
    std::uint64_t apart = 0;
    for (std::uint64_t kind : kinds) {
      if (kind > 1) reader.fail("a value is stored in an unknown way");
      apart += kind;
    }
    const auto ids = reader.numbers(apart), offsets = reader.numbers(apart);
    for (std::uint64_t i = 0, k = 0; i < n; ++i) {
      Bytes value;
      if (kinds[i] == 0) {
        value = reader.value(reader.take(lengths[i]));
      } else {
        value = part(reader, files, ids[k], offsets[k], lengths[i]);
        ++k;
      }
      if (!values_.emplace(prefix + keys[i], std::move(value)).second) {
        reader.fail("the key '" + prefix + keys[i] + "' is there twice");
      }
    }
    reader.expect_end();
  }

  std::string folder_;
  std::map<std::string, Bytes> mapped_, values_;
  std::set<std::string> seen_;  // nodes
};

}  // namespace

std::map<std::string, Bytes> read_ocdbt(const std::string& folder) { return Store(folder).read(); }

}  // namespace kd::io
