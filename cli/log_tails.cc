#include "cli/log_tails.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace cli {
namespace {

constexpr std::size_t kMostAtOnce = 1 << 20;     // of one file, so that no job silences the others
constexpr std::int64_t kMostOfTheEnd = 1 << 16;  // where the last lines are looked for

// "50%\r100%" is "100%" for who looks at it.
std::string_view as_seen(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  const auto redrawn = line.rfind('\r');
  return redrawn == line.npos ? line : line.substr(redrawn + 1);
}

}  // namespace

void LogTails::add(const std::string& name, const std::string& file, std::int64_t offset) {
  tails_[name] = {.file = file, .offset = offset};
}

void LogTails::read_one(const std::string& name, Tail& tail, const OnLine& on_line) const {
  std::ifstream in(tail.file, std::ios::binary);
  if (!in.seekg(tail.offset)) return;
  std::string text(kMostAtOnce, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  tail.offset += in.gcount();
  std::string_view view = text;
  for (auto end = view.find('\n'); end != view.npos; end = view.find('\n')) {
    tail.rest += view.substr(0, end);
    on_line(name, as_seen(tail.rest));
    tail.rest.clear();
    view.remove_prefix(end + 1);
  }
  tail.rest += view;
  if (longest_ == 0 || tail.rest.size() <= longest_) return;
  if (const auto redrawn = tail.rest.rfind('\r', tail.rest.size() - 2); redrawn != view.npos) {
    tail.rest.erase(0, redrawn + 1);
  }
  tail.rest.resize(std::min(tail.rest.size(), longest_));
}

void LogTails::read(const OnLine& on_line) {
  for (auto& [name, tail] : tails_) read_one(name, tail, on_line);
}

std::int64_t LogTails::skip(const std::string& name, std::int64_t most) {
  const auto found = tails_.find(name);
  std::error_code unclear;
  if (found == tails_.end()) return 0;
  Tail& tail = found->second;
  const auto size = std::filesystem::file_size(tail.file, unclear);
  if (unclear || static_cast<std::int64_t>(size) - tail.offset <= most) return 0;
  const std::int64_t left_out = static_cast<std::int64_t>(size) - kMostOfTheEnd - tail.offset;
  tail.offset += left_out;
  tail.rest.clear();
  return left_out;
}

void LogTails::finish(const std::string& name, const OnLine& on_line) {
  const auto found = tails_.find(name);
  if (found == tails_.end()) return;
  Tail& tail = found->second;
  for (std::int64_t before = -1; before != tail.offset;) {
    before = tail.offset;
    read_one(name, tail, on_line);
  }
  if (!as_seen(tail.rest).empty()) on_line(name, as_seen(tail.rest));
  tails_.erase(found);
}

std::int64_t start_of_last_lines(const std::string& file, std::size_t count) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in) return 0;
  const std::int64_t size = in.tellg();
  if (count == 0) return size;
  std::size_t ends = 0;
  std::string block;
  for (std::int64_t end = size; end > 0; end -= static_cast<std::int64_t>(block.size())) {
    block.resize(static_cast<std::size_t>(std::min(end, kMostOfTheEnd)));
    const std::int64_t begin = end - static_cast<std::int64_t>(block.size());
    if (!in.seekg(begin).read(block.data(), static_cast<std::streamsize>(block.size()))) return 0;
    for (std::size_t at = block.size(); at-- > 0;) {
      const std::int64_t next = begin + static_cast<std::int64_t>(at) + 1;
      // The end of the last line starts no other.
      if (block[at] == '\n' && next < size && ++ends == count) return next;
    }
  }
  return 0;
}

std::vector<std::string> last_lines(const std::string& file, std::size_t count) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in) return {};
  const std::int64_t size = in.tellg();
  in.seekg(std::max<std::int64_t>(0, size - kMostOfTheEnd));
  std::deque<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    lines.emplace_back(as_seen(line));
    if (lines.size() > count) lines.pop_front();
  }
  return {lines.begin(), lines.end()};
}

}  // namespace cli
