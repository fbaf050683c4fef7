#include "loader/cache_impl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>

#include "base/durable.h"
#include "konfig/expect_test.h"
#include "loader/fixture_test.h"
#include "loader/hash.h"

namespace loader {
namespace {

namespace fs = std::filesystem;
using std::chrono::hours;

class CacheTest : public FileTest {
 protected:
  // Stores `size` bytes made from one dependency.
  std::string store(Cache& cache, const std::string& key, std::size_t size,
                    const std::string& dependency) {
    const auto workspace = cache.workspace();
    base::write_synced(workspace->path() / "made", std::string(size, 'x'));
    const auto stored = cache.store(key, key + '-', ".so", workspace->path() / "made",
                                    {{dependency, *hash_file(dependency)}}, *workspace);
    return stored ? stored->filename().string() : "";
  }
  static void age(const fs::path& path, hours hours) {
    fs::last_write_time(path, fs::file_time_type::clock::now() - hours);
  }
  fs::path at(const std::string& name) const { return dir() / "cache" / name; }
};

TEST_F(CacheTest, ValidUntilAFileChanges) {
  Cache cache(dir() / "cache");
  const auto header = write("a b.h", "1");
  EXPECT_EQ(cache.name_of("key"), std::nullopt);
  const auto name = store(cache, "key", 10, header);
  EXPECT_EQ(cache.name_of("key"), name);
  EXPECT_EQ(cache.find(name), at(name));
  EXPECT_EQ(cache.name_of("other"), std::nullopt);
  write("a b.h", "2");
  EXPECT_EQ(cache.name_of("key"), std::nullopt);
  EXPECT_NE(store(cache, "key", 10, header), name);
  write("a b.h", "1");
  EXPECT_EQ(cache.name_of("key"), std::nullopt) << "only the last result is known by the key";
  fs::remove(header);
  EXPECT_EQ(cache.name_of("key"), std::nullopt);
  write("cache/bad.deps", "nonsense");
  EXPECT_EQ(cache.name_of("bad"), std::nullopt);
}

TEST_F(CacheTest, OnlyForThisUser) {
  const Cache cache(dir() / "deep" / "cache");
  struct stat info;
  ASSERT_EQ(::stat((dir() / "deep").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
}

TEST_F(CacheTest, LeastRecentlyUsedGoFirst) {
  const auto header = write("a.h", "1");
  Cache cache(dir() / "cache", {.bytes = 250, .entries = 10});
  const auto a = store(cache, "a", 100, header);
  const auto b = store(cache, "b", 100, header);
  age(at(a), hours(3));
  age(at(b), hours(2));
  EXPECT_TRUE(cache.find(a)) << "this makes b the oldest";
  const auto c = store(cache, "c", 100, header);
  EXPECT_TRUE(fs::exists(at(a)));
  EXPECT_FALSE(fs::exists(at(b)));
  EXPECT_TRUE(fs::exists(at(c)));
  EXPECT_EQ(cache.name_of("b"), b) << "its name is still known";
  EXPECT_EQ(cache.find(b), std::nullopt);

  Cache few(dir() / "cache", {.entries = 1});
  const auto d = store(few, "d", 1000, header);
  EXPECT_FALSE(fs::exists(at(a)));
  EXPECT_FALSE(fs::exists(at(c)));
  EXPECT_TRUE(fs::exists(at(d)));
  Cache tiny(dir() / "cache", {.bytes = 1});
  const auto e = store(tiny, "e", 1000, header);
  EXPECT_TRUE(fs::exists(at(e))) << "what was just made stays";
}

TEST_F(CacheTest, LeftoversGoAfterAnHour) {
  Cache cache(dir() / "cache");
  write("cache/kauldron-tmp.old/half.so", "");
  write("cache/kauldron-tmp.new/half.so", "");
  age(at("kauldron-tmp.old"), hours(2));
  store(cache, "a", 1, write("a.h", ""));
  EXPECT_FALSE(fs::exists(at("kauldron-tmp.old")));
  EXPECT_TRUE(fs::exists(at("kauldron-tmp.new")));
}

TEST_F(CacheTest, FoldersOfOneNameAreOne) {
  Cache cache(dir() / "cache");
  for (int i = 0; i < 2; ++i) {
    const auto workspace = cache.workspace();
    fs::create_directory(workspace->path() / "made");
    base::write_synced(workspace->path() / "made" / "file", "text");
    EXPECT_TRUE(cache.store("key", "p-", "", workspace->path() / "made", {}, *workspace));
  }
  EXPECT_EQ(base::read_file(*cache.find(*cache.name_of("key")) / "file"), "text");
}

TEST_F(CacheTest, Places) {
  set("XDG_CACHE_HOME", (dir() / "xdg").string());
  set("HOME", dir().string());
  EXPECT_EQ(Cache::open().dir(), dir() / "xdg/kauldron/configs");
  set("XDG_CACHE_HOME", "relative");
  EXPECT_EQ(Cache::open().dir(), dir() / ".cache/kauldron/configs");
  set("HOME", "/nowhere");
  fs::create_directory(dir() / "tmp");
  set("TMPDIR", (dir() / "tmp").string());
  const auto own = dir() / "tmp" / ("kauldron-" + std::to_string(::geteuid()));
  EXPECT_EQ(Cache::open().dir(), own / "configs");
  EXPECT_TRUE(Cache::open().writable());
  fs::permissions(own, fs::perms::all);
  EXPECT_TRUE(Cache::open().dir().empty()) << "others could have put libraries there";
  EXPECT_FALSE(Cache::open().writable());
}

TEST_F(CacheTest, Limit) {
  set("XDG_CACHE_HOME", dir().string());
  set("KD_CACHE_MAX_MB", "much");
  konfig::expect_error(konfig::ErrorKind::value, {"KD_CACHE_MAX_MB=much", "megabytes"},
                       [] { Cache::open(); });
}

}  // namespace
}  // namespace loader
