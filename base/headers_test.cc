// The code in the opening comments of this folder's headers.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/durable.h"
#include "base/file.h"
#include "base/join.h"
#include "base/shape_text.h"
#include "base/temp_folder.h"
#include "base/whole_folder.h"

namespace {

namespace fs = std::filesystem;

// The examples write below the working directory.
class BaseHeaders : public ::testing::Test {
 protected:
  BaseHeaders() {
    fs::create_directories(folder_ / "runs/a");
    fs::current_path(folder_.path());
  }
  ~BaseHeaders() override { fs::current_path(before_); }

 private:
  fs::path before_ = fs::current_path();
  base::TempFolder folder_;
};

TEST_F(BaseHeaders, Durable) {
  const std::string text = "{}", header = "a", data = "b";
  base::replace_file("runs/a/config.json", text);

  base::Replacement file("model.safetensors");
  file.write(header);
  file.write(data);
  file.commit();
  EXPECT_EQ(base::read_file("runs/a/config.json"), "{}");
  EXPECT_EQ(base::read_file("model.safetensors"), "ab");
}

TEST_F(BaseHeaders, WholeFolder) {
  const std::string text = "{}";
  base::write_folder("runs/a/model", [&](const std::filesystem::path& aside) {
    base::write_synced(aside / "config.json", text);
  });
  EXPECT_EQ(base::read_file("runs/a/model/config.json"), "{}");
  base::remove_folder("runs/a/model");
  EXPECT_FALSE(fs::exists("runs/a/model"));
}

TEST_F(BaseHeaders, File) {
  base::replace_file("runs/a/config.json", "{}");
  const std::string text = base::read_file("runs/a/config.json");
  base::File log("runs/a/log", O_WRONLY | O_CREAT | O_APPEND);
  log.write("step 1\n");
  EXPECT_EQ(text, "{}");
  EXPECT_EQ(base::read_file("runs/a/log"), "step 1\n");
}

TEST_F(BaseHeaders, Join) {
  struct Field {
    std::string name;
  };
  const std::vector<std::string> names = {"a", "b", "c"}, choices = {"a", "b", "c"};
  const std::vector<Field> fields = {{"x"}, {"y"}};
  EXPECT_EQ(base::join(names, ", "), "a, b, c");
  EXPECT_EQ(base::join(std::vector{2, 3}, " x "), "2 x 3");
  EXPECT_EQ(base::join(fields, ", ", [](auto& field) { return field.name; }), "x, y");
  EXPECT_EQ(base::join_or(choices), "a, b or c");
}

TEST_F(BaseHeaders, ShapeText) {
  struct {
    std::vector<int> sizes() const { return {2, 3}; }
  } tensor;
  EXPECT_EQ(base::shape_text(tensor.sizes()), "(2, 3)");
  EXPECT_EQ(base::shape_text(std::vector{3}), "(3)");
  EXPECT_EQ(base::tuple_text(std::vector{3}), "(3,)");
}

TEST_F(BaseHeaders, TempFolder) {
  const base::TempFolder folder;
  base::write_synced(folder / "a.txt", "text");
  EXPECT_EQ(base::read_file(folder / "a.txt"), "text");
}

}  // namespace
