// Runs clang-tidy on sources of a build, many as one, for scripts/tidy:
//   tidy <root> <build folder> --all
//   tidy <root> <build folder> [--changed] <file>...
// A header stands for the source beside it, or its test; one that has neither is read by itself.
// With --changed, sources that the build does not know are named and left out. Exits with 1 if
// something is found, with 2 if it cannot look.
//
// Most of the time goes into headers, libtorch's above all. So clang-tidy reads many files as one,
// with their texts one behind the other. A file that does not compile behind the others, because
// two define the same name, is read again in another group.
#include <rapidjson/document.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/join.h"
#include "base/lines.h"
#include "base/shell_quote.h"
#include "base/temp_folder.h"

namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

constexpr std::size_t kMost = 80;  // files in a group

// The sources that the build knows, relative to the root, with the flags that a shell reads.
struct Known {
  fs::path root;
  std::map<std::string, std::string> flags;
};

// Files that are read as one.
struct Group {
  std::string flags;
  Names files;
};

struct Result {
  Names findings;
  Names again;  // files that have to be read in another group
};

struct Output {
  int code = 0;
  std::string text;
};

Output run_shell(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) throw std::runtime_error("cannot start: " + command);
  Output out;
  char buffer[4096];
  while (const std::size_t n = fread(buffer, 1, sizeof buffer, pipe)) out.text.append(buffer, n);
  const int status = pclose(pipe);
  out.code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  return out;
}

// The flags that say what a source means, each with its argument, as the shell reads them. Left out
// are those for warnings, machine code and the precompiled header, whose text is included, too.
Names flags_of(const std::string& command) {
  static const std::regex without(R"(-Xclang -include-pch -Xclang \S+|-mllvm \S+| -o .*)");
  static const std::regex word(R"re((\\.|"(\\.|[^"\\])*"|[^\s\\"])+)re");
  const std::string text = std::regex_replace(command, without, "");
  Names flags;
  std::string last;
  auto it = std::sregex_iterator(text.begin(), text.end(), word);
  for (++it; it != std::sregex_iterator(); ++it) {  // the first one is the compiler
    const std::string found = it->str();
    if (last == "-Xclang" || last == "-include" || last == "-isystem") {
      flags.back() += " " + found;
    } else if (found.starts_with("-O") || found.starts_with("-W") || found.starts_with("-f")) {
      continue;
    } else {
      flags.push_back(found);
    }
    last = found;
  }
  return flags;
}

// Two flags of one name cannot both be given: -DX=1 and -DX=2.
std::string name_of(const std::string& flag) {
  const std::string last = flag.substr(flag.rfind(' ') + 1);
  return last.substr(0, last.find('='));
}

// These sources get the same flags, so that any can be read together, but for those that need a
// macro with a value of their own.
void share_flags(Known& known, const std::map<std::string, Names>& flags) {
  Names every;
  std::map<std::string, int> values;
  for (auto& [file, own] : flags) {
    for (auto& flag : own) {
      if (std::find(every.begin(), every.end(), flag) != every.end()) continue;
      every.push_back(flag);
      ++values[name_of(flag)];
    }
  }
  std::erase_if(every, [&](auto& flag) { return values[name_of(flag)] > 1; });
  const std::set<std::string> shared(every.begin(), every.end());
  for (auto& [file, own] : flags) {
    const bool usual =
        std::all_of(own.begin(), own.end(), [&](auto& f) { return shared.contains(f); });
    known.flags[file] = base::join(usual ? every : own, " ");
  }
}

// Where the compiler finds the headers of others. A source that does without libtorch is not read
// behind its headers, which take longer than most sources.
Names foreign_headers(const Names& flags) {
  Names out;
  std::ranges::copy_if(flags, std::back_inserter(out),
                       [](auto& flag) { return flag.starts_with("-isystem"); });
  return out;
}

Known read_database(const fs::path& root, const fs::path& build) {
  const fs::path database = build / "compile_commands.json";
  if (!fs::exists(database)) {
    throw std::runtime_error(database.string() + ": not there; run `cmake --preset release`");
  }
  rapidjson::Document entries;
  if (entries.Parse(base::read_file(database).c_str()).HasParseError() || !entries.IsArray()) {
    throw std::runtime_error(database.string() + ": not a compilation database");
  }
  std::map<Names, std::map<std::string, Names>> alike;
  for (auto& entry : entries.GetArray()) {
    const fs::path file = entry["file"].GetString();
    const std::string name = file.lexically_relative(root).string();
    const std::string in_build = file.lexically_relative(build).string();
    const bool ours = !name.starts_with("..") && in_build.starts_with("..");
    if (!ours || name.find("compile_fail/") != name.npos) continue;
    const Names flags = flags_of(entry["command"].GetString());
    alike[foreign_headers(flags)].try_emplace(name, flags);
  }
  if (alike.empty()) {
    throw std::runtime_error(database.string() + ": has no source of " + root.string() +
                             "; it belongs to another checkout");
  }
  Known known{root, {}};
  for (auto& [headers, flags] : alike) share_flags(known, flags);
  return known;
}

// The length of the folders that two files have in common.
std::size_t common_folders(const std::string& a, const std::string& b) {
  const std::size_t end = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
  const std::size_t slash = a.rfind('/', end);
  return end == 0 || slash == a.npos ? 0 : slash + 1;
}

// How many folders of others' headers there are among flags.
std::size_t count_foreign(const std::string& flags) {
  std::size_t count = 0;
  for (auto at = flags.find("-isystem "); at != flags.npos; at = flags.find("-isystem ", at + 1)) {
    ++count;
  }
  return count;
}

// A header without a source is read with the flags of a source near it: that with most headers of
// others, as it may need libtorch.
void add_header(const std::string& header, Known& known) {
  std::pair<std::size_t, std::size_t> best;
  const std::string* flags = nullptr;
  for (auto& [file, own] : known.flags) {
    const std::pair next(common_folders(header, file), count_foreign(own));
    if (flags && next <= best) continue;
    best = next;
    flags = &own;
  }
  if (flags) known.flags.emplace(header, std::string(*flags));
}

// A source itself, of a header the source beside it, of x.h or x_impl.h x.cc, or its test, or the
// header itself; "" if the build does not know it.
std::string source_of(const std::string& file, Known& known) {
  const bool header = file.ends_with(".h");
  const std::string stem = header ? file.substr(0, file.size() - 2) : file;
  const std::string subject = stem.ends_with("_impl") ? stem.substr(0, stem.size() - 5) : stem;
  for (const std::string& name : {file, stem + ".cc", subject + ".cc", stem + "_test.cc"}) {
    if (known.flags.contains(name)) return name;
  }
  if (!header || !fs::exists(known.root / file)) return "";
  add_header(file, known);
  return file;
}

// Files with the same flags; those of a folder go to different groups, as they are likeliest to
// define the same names.
std::vector<Group> groups_of(const std::set<std::string>& files, const Known& known) {
  std::map<std::string, Names> alike;
  for (auto& file : files) alike[known.flags.at(file)].push_back(file);
  std::vector<Group> groups;
  for (auto& [flags, names] : alike) {
    const std::size_t count = (names.size() + kMost - 1) / kMost;
    for (std::size_t first = 0; first < count; ++first) {
      groups.push_back({flags, {}});
      for (std::size_t i = first; i < names.size(); i += count) {
        groups.back().files.push_back(names[i]);
      }
    }
  }
  return groups;
}

// Runs the command of `words`, the name of these files as one, and `more`. What it prints names the
// files.
Output run_on(const Names& files, const fs::path& root, const std::string& words,
              const std::string& more) {
  // What has the same name in many files.
  static const std::regex usual(R"((AddVerb<\w*> verb|\bmain(?=\()|LLVMFuzzerTestOneInput)\b)");
  std::string text;
  Names places = {""};  // of each line, from 1
  for (auto& file : files) {
    const std::string number = std::to_string(places.size());
    const std::string added =
        file.ends_with(".h")
            ? "#include \"" + file + "\"\n"
            : std::regex_replace(base::read_file(root / file), usual, "$1_" + number);
    int line = 0;
    for (auto& part : base::lines_of(added)) {
      text += part + "\n";
      places.push_back((root / file).string() + ":" + std::to_string(++line));
    }
  }
  const base::TempFolder folder;
  const std::string source = (folder / "group.cc").string();
  base::File(source, O_WRONLY | O_CREAT).write(text);
  Output out = run_shell("cd " + base::shell_quote(root.string()) + " && " + words + " " +
                         base::shell_quote(source) + " " + more);
  std::string named;
  for (std::size_t at = 0; at < out.text.size();) {
    const std::size_t next = std::min(out.text.find(source + ":", at), out.text.size());
    named += out.text.substr(at, next - at);
    at = next;
    if (at == out.text.size()) break;
    std::size_t digits = 0;
    const auto line = std::stoul(out.text.substr(at + source.size() + 1), &digits);
    named += places.at(line);
    at += source.size() + 1 + digits;
  }
  out.text = named;
  return out;
}

// Whether a line of a compiler begins a message of this kind: "a.cc:1:2: error: ..."
bool is_message(const std::string& line, const std::string& kind) {
  const std::size_t at = line.find(": " + kind + ": ");
  return at != line.npos && line.find(' ') > at;
}

// Those of these files that do not compile behind the others, include a header that does not, or
// make something of its templates that does not. Where no message names one, all but the first.
Names colliding(const Group& group, const fs::path& root) {
  const Output output = run_on(
      group.files, root, "clang++ " + group.flags + " -w -fsyntax-only -ferror-limit=0", "2>&1");
  if (output.code == 0) return {};
  const std::string included = "In file included from ";
  std::set<std::string> named;
  for (auto& line : base::lines_of(output.text)) {
    if (line.starts_with(included)) {
      named.insert(line.substr(included.size(), line.find(':') - included.size()));
    } else if (is_message(line, "error") || line.find(": fatal error: ") != line.npos ||
               (is_message(line, "note") && line.ends_with(" requested here"))) {
      named.insert(line.substr(0, line.find(':')));
    }
  }
  Names out;
  for (std::size_t i = 1; i < group.files.size(); ++i) {
    if (named.contains((root / group.files[i]).string())) out.push_back(group.files[i]);
  }
  if (out.empty()) out.assign(group.files.begin() + 1, group.files.end());
  return out;
}

// Leaves only files that compile behind each other, and returns the others. Without some, further
// ones may not compile: they were the first to include a header.
Names take_colliding(Group& group, const fs::path& root) {
  Names out;
  for (Names found; !(found = colliding(group, root)).empty();) {
    const std::set<std::string> later(found.begin(), found.end());
    std::erase_if(group.files, [&](auto& file) { return later.contains(file); });
    out.insert(out.end(), found.begin(), found.end());
  }
  return out;
}

Result read_group(Group group, const fs::path& root) {
  Result result{{}, take_colliding(group, root)};
  const std::string config = base::shell_quote("--config-file=" + (root / ".clang-tidy").string());
  const Output output = run_on(group.files, root, "clang-tidy " + config + " --quiet",
                               "-- " + group.flags + " 2>/dev/null");
  if (output.code == 0) return result;
  for (auto& line : base::lines_of(output.text)) {
    if (is_message(line, "error") || is_message(line, "warning")) result.findings.emplace_back();
    if (!result.findings.empty()) result.findings.back() += line + "\n";
  }
  if (result.findings.empty()) {
    result.findings.push_back("clang-tidy failed on: " + base::join(group.files, " ") + "\n");
  }
  return result;
}

// One after the other on each core.
std::vector<Result> read_groups(const std::vector<Group>& groups, const fs::path& root) {
  std::vector<Result> results(groups.size());
  std::vector<std::exception_ptr> errors(groups.size());
  std::atomic<std::size_t> next = 0;
  auto work = [&] {
    for (std::size_t i = next++; i < groups.size(); i = next++) {
      try {
        results[i] = read_group(groups[i], root);
      } catch (...) {
        errors[i] = std::current_exception();
      }
    }
  };
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i) {
      threads.emplace_back(work);
    }
  }
  for (auto& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  return results;
}

// The files that the arguments name.
std::set<std::string> chosen(const Names& arguments, Known& known) {
  std::set<std::string> files;
  Names unknown;
  if (arguments == Names{"--all"}) {
    for (auto& [file, flags] : known.flags) files.insert(file);
    return files;
  }
  const bool changed = !arguments.empty() && arguments[0] == "--changed";
  for (std::size_t i = changed ? 1 : 0; i < arguments.size(); ++i) {
    const fs::path file = fs::absolute(arguments[i]).lexically_normal();
    const std::string source = source_of(file.lexically_relative(known.root).string(), known);
    if (!source.empty()) {
      files.insert(source);
    } else if (changed) {
      unknown.push_back(arguments[i]);
    } else {
      throw std::runtime_error(
          arguments[i] +
          ": not in the build's compile_commands.json, nor a header of a file there");
    }
  }
  if (!unknown.empty()) {
    std::cout << "tidy: not in the build, so not read: " << base::join(unknown, " ") << '\n';
  }
  return files;
}

int tidy(const fs::path& root, const fs::path& build, const Names& arguments) {
  Known known = read_database(root, build);
  const std::set<std::string> files = chosen(arguments, known);
  std::set<std::string> found;  // each once: many groups read the same header
  for (std::set<std::string> left = files; !left.empty();) {
    const std::vector<Result> results = read_groups(groups_of(left, known), root);
    left.clear();
    for (auto& result : results) {
      found.insert(result.findings.begin(), result.findings.end());
      left.insert(result.again.begin(), result.again.end());
    }
  }
  std::cout << base::join(found, "") << "tidy: " << files.size() << " files, " << found.size()
            << " findings\n";
  return found.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const Names args(argv + 1, argv + argc);
  if (args.size() < 2) {
    std::cerr << "usage: tidy <root> <build folder> --all | [--changed] <file>...\n";
    return 2;
  }
  try {
    const auto whole = [](const std::string& path) { return fs::canonical(path); };
    return tidy(whole(args[0]), whole(args[1]), Names(args.begin() + 2, args.end()));
  } catch (const std::exception& error) {
    std::cerr << "tidy: " << error.what() << '\n';
    return 2;
  }
}
