// The libraries that a program finds in its own folders.
#include <elf.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <sstream>

#include "base/file.h"
#include "konfig/error.h"
#include "kxm/keep.h"

namespace kxm {

namespace fs = std::filesystem;

namespace {

struct Linked {
  std::vector<std::string> needed;
  std::vector<std::string> run_path;  // with $ORIGIN as it is
};

// A view of the file that ends where the file does: damaged ones have nothing.
class Image {
 public:
  explicit Image(std::string_view bytes) : bytes_(bytes) {}
  template <class T>
  std::optional<T> at(std::uint64_t offset) const {
    if (offset > bytes_.size() || sizeof(T) > bytes_.size() - offset) return std::nullopt;
    T out;
    std::memcpy(&out, bytes_.data() + offset, sizeof out);
    return out;
  }
  std::string text(std::uint64_t offset) const {
    if (offset >= bytes_.size()) return "";
    const auto rest = bytes_.substr(offset);
    return std::string(rest.substr(0, rest.find('\0')));
  }

 private:
  std::string_view bytes_;
};

Linked linked(const fs::path& file) {
  Linked out;
  const std::string bytes = base::read_file(file);
  const Image image(bytes);
  const auto header = image.at<Elf64_Ehdr>(0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64) {
    return out;
  }
  std::vector<Elf64_Phdr> segments;
  for (int i = 0; i < header->e_phnum; ++i) {
    if (auto segment =
            image.at<Elf64_Phdr>(header->e_phoff + static_cast<unsigned>(i) * sizeof(Elf64_Phdr))) {
      segments.push_back(*segment);
    }
  }
  const auto offset_of = [&](std::uint64_t address) -> std::uint64_t {
    for (const auto& s : segments) {
      if (s.p_type == PT_LOAD && address >= s.p_vaddr && address - s.p_vaddr < s.p_filesz) {
        return s.p_offset + (address - s.p_vaddr);
      }
    }
    return ~std::uint64_t{0};
  };
  std::vector<Elf64_Dyn> entries;
  std::uint64_t texts = ~std::uint64_t{0};
  for (const auto& s : segments) {
    if (s.p_type != PT_DYNAMIC) continue;
    for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= s.p_filesz; at += sizeof(Elf64_Dyn)) {
      const auto entry = image.at<Elf64_Dyn>(s.p_offset + at);
      if (!entry || entry->d_tag == DT_NULL) break;
      entries.push_back(*entry);
      if (entry->d_tag == DT_STRTAB) texts = offset_of(entry->d_un.d_ptr);
    }
  }
  if (texts == ~std::uint64_t{0}) return out;
  for (const auto& entry : entries) {
    const std::string text = image.text(texts + entry.d_un.d_val);
    if (entry.d_tag == DT_NEEDED) out.needed.push_back(text);
    if (entry.d_tag != DT_RUNPATH && entry.d_tag != DT_RPATH) continue;
    std::istringstream folders(text);
    for (std::string folder; std::getline(folders, folder, ':');) out.run_path.push_back(folder);
  }
  return out;
}

// A folder of a run path that is relative to the file.
std::optional<fs::path> own_folder(const std::string& folder, const fs::path& file) {
  for (const std::string origin : {"$ORIGIN", "${ORIGIN}"}) {
    if (folder.starts_with(origin)) {
      return fs::path(file.parent_path().string() + folder.substr(origin.size()))
          .lexically_normal();
    }
  }
  return std::nullopt;
}

fs::path common_root(const std::set<fs::path>& files) {
  fs::path root = files.begin()->parent_path();
  for (const fs::path& file : files) {
    while (root.has_relative_path()) {
      const auto relative = file.lexically_relative(root);
      if (!relative.empty() && *relative.begin() != "..") break;
      root = root.parent_path();
    }
  }
  return root;
}

}  // namespace

std::vector<KeptFile> program_files(const fs::path& given, std::string_view opened) {
  const fs::path program = fs::canonical(given);
  std::set<fs::path> found = {program};
  std::vector<fs::path> waiting = {program};
  const auto add = [&](const fs::path& file) {
    if (found.insert(file).second) waiting.push_back(file);
  };
  std::error_code error;
  while (!waiting.empty()) {
    const fs::path file = waiting.back();
    waiting.pop_back();
    const Linked needs = linked(file);
    for (const std::string& path : needs.run_path) {
      const auto folder = own_folder(path, file);
      if (!folder) continue;
      bool own = false;
      for (const std::string& name : needs.needed) {
        if (!fs::exists(*folder / name, error)) continue;
        add(*folder / name);
        own |= name.starts_with(opened);
      }
      if (!own || opened.empty()) continue;
      // By the names that are looked for: links have their own.
      for (const auto& entry : fs::directory_iterator(*folder, error)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with(opened) && name.find(".so") != name.npos) add(entry.path());
      }
    }
  }
  const fs::path root = common_root(found);
  std::vector<KeptFile> out = {{program.lexically_relative(root), program}};
  for (const fs::path& file : found) {
    if (file != program) out.push_back({file.lexically_relative(root), fs::canonical(file)});
  }
  return out;
}

}  // namespace kxm
