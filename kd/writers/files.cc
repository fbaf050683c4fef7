// Files that grow by whole records.
#include <chrono>
#include <system_error>
#include <utility>

#include "kd/core/durable.h"
#include "kd/io/file.h"
#include "kd/io/tfrecord.h"
#include "kd/writers/engine/events.h"
#include "kd/writers/files_impl.h"

namespace kd::writers {

namespace fs = std::filesystem;

double wall_time() {
  using std::chrono::duration;
  return duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

namespace {

fs::path with_folder(fs::path file) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (error) fail_with_errno(file.parent_path(), "cannot be made", error.value());
  return file;
}

}  // namespace

AppendFile::AppendFile(fs::path path)
    : file_(with_file_errors([&] {
        return base::File(with_folder(std::move(path)), O_WRONLY | O_CREAT | O_APPEND);
      })) {}

void AppendFile::append(std::string_view record) {
  with_file_errors([&] { file_.write(record); });
}

std::vector<std::string> keep_lines(const fs::path& file,
                                    const std::function<bool(std::string_view)>& keep) {
  std::vector<std::string> lines;
  if (!fs::exists(file)) return lines;
  const std::string text = read_file(file);
  std::string kept;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string::npos) break;
    const std::string_view line(text.data() + at, end - at);
    if (keep(line)) {
      lines.emplace_back(line);
      kept.append(line) += '\n';
    }
    at = end + 1;
  }
  if (kept != text) replace_file(file, kept);
  return lines;
}

void keep_events(const fs::path& file, Before before) {
  const std::string text = read_file(file);
  const io::Bytes bytes = io::own_bytes(file, text);
  std::string kept;
  bool has_summary = false;
  for (std::uint64_t at = 0; at < text.size();) {
    // The rest, as far as it is whole.
    io::Bytes rest = bytes;
    rest.data = rest.data.substr(at);
    std::uint64_t next = text.size();
    try {
      if (rest.size() < 16) break;
      const auto length = io::little_endian<std::uint64_t>(rest, 0);
      if (length > rest.size() - 16) break;
      rest.data = rest.data.substr(0, length + 16);
      const auto spans = io::index_tfrecords(rest);
      const EventHead head = event_head(io::tfrecord_at(rest, spans.at(0)), file);
      next = at + length + 16;
      if (!head.has_summary || !before || head.step < *before) {
        kept += rest.data;
        has_summary |= head.has_summary;
      }
    } catch (const konfig::Error&) {
      break;  // torn or damaged: nothing behind it can be read
    }
    at = next;
  }
  if (!has_summary) {
    fs::remove(file);
  } else if (kept != text) {
    replace_file(file, kept);
  }
}

}  // namespace kd::writers
