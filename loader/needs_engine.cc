#include "loader/needs_engine_impl.h"

#include <dlfcn.h>
#include <elf.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <sstream>

#include "base/file.h"
#include "loader/files_impl.h"

namespace loader {
namespace {

std::string_view without_blanks(std::string_view text) {
  const auto at = text.find_first_not_of(" \t");
  return at == text.npos ? std::string_view() : text.substr(at);
}

// What stands between the quotes of an #include, or "".
std::string_view included(std::string_view line) {
  line = without_blanks(line);
  if (!line.starts_with('#')) return {};
  line = without_blanks(line.substr(1));
  constexpr std::string_view kInclude = "include";
  if (!line.starts_with(kInclude)) return {};
  line = without_blanks(line.substr(kInclude.size()));
  return line.starts_with('"') || line.starts_with('<') ? line.substr(1) : std::string_view();
}

// `n` structures at an offset of the file; none where that is beyond its end.
template <class T>
std::vector<T> table(const std::string& file, std::uint64_t offset, std::uint64_t n) {
  if (offset > file.size() || n > (file.size() - offset) / sizeof(T)) return {};
  std::vector<T> out(n);
  std::memcpy(out.data(), file.data() + offset, n * sizeof(T));
  return out;
}

template <class T>
std::vector<T> table(const std::string& file, const Elf64_Shdr& section) {
  return table<T>(file, section.sh_offset, section.sh_size / sizeof(T));
}

std::vector<Elf64_Shdr> sections_of(const std::string& file) {
  const auto header = table<Elf64_Ehdr>(file, 0, 1);
  if (header.empty() || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0) return {};
  return table<Elf64_Shdr>(file, header[0].e_shoff, header[0].e_shnum);
}

// Whether a path begins with a pattern, in which `*` stands for the name of one folder.
bool begins_as(std::string_view path, std::string_view pattern) {
  const auto star = pattern.find('*');
  if (star == pattern.npos) return path.starts_with(pattern);
  if (!path.starts_with(pattern.substr(0, star))) return false;
  const auto slash = path.find('/', star);
  return slash != path.npos && path.substr(slash).starts_with(pattern.substr(star + 1));
}

}  // namespace

bool source_needs_engine(std::string_view source) {
  std::istringstream words(KD_LOADER_ENGINE_INCLUDES);
  std::vector<std::string> headers;
  for (std::string word; words >> word;) headers.push_back(word);
  while (!source.empty()) {
    const auto end = source.find('\n');
    const auto path = included(source.substr(0, end));
    if (std::any_of(headers.begin(), headers.end(),
                    [&](const std::string& header) { return begins_as(path, header); })) {
      return true;
    }
    source = end == source.npos ? std::string_view() : source.substr(end + 1);
  }
  return false;
}

bool library_needs_engine(const std::filesystem::path& library) {
  return !missing_symbols(library).empty();
}

std::vector<std::string> missing_symbols(const std::filesystem::path& library) {
  std::vector<std::string> out;
  std::set<std::string> seen;
  const std::string file = base::try_read_file(library).value_or("");
  const auto sections = sections_of(file);
  // The loader of the system follows the relocations, too, and stops at the first it cannot
  // resolve.
  for (auto& relocations : sections) {
    if (relocations.sh_type != SHT_RELA || relocations.sh_link >= sections.size()) continue;
    const auto& dynamic = sections[relocations.sh_link];
    if (dynamic.sh_type != SHT_DYNSYM || dynamic.sh_link >= sections.size()) continue;
    const auto symbols = table<Elf64_Sym>(file, dynamic);
    const auto names = table<char>(file, sections[dynamic.sh_link]);
    for (auto& relocation : table<Elf64_Rela>(file, relocations)) {
      const auto index = ELF64_R_SYM(relocation.r_info);
      if (index == 0 || index >= symbols.size()) continue;
      const auto& symbol = symbols[index];
      const bool wanted =
          symbol.st_shndx == SHN_UNDEF && ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL;
      if (!wanted || symbol.st_name >= names.size() || names.back() != '\0') continue;
      const std::string name = names.data() + symbol.st_name;
      if (seen.insert(name).second && !::dlsym(RTLD_DEFAULT, name.c_str())) out.push_back(name);
    }
  }
  return out;
}

}  // namespace loader
