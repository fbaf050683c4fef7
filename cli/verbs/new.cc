// kd new: writes a project to start from.
#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/replace_all.h"
#include "cli/errors.h"
#include "cli/project_files.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/write_file.h"

namespace cli {
namespace {

namespace fs = std::filesystem;

struct NewOptions {
  std::string path = "";  // the folder; its last part is the project's name
};

constexpr std::string_view kName = "my_project";  // in the files

// The name becomes a namespace and targets: not one that is taken.
constexpr std::string_view kTaken[] = {
    "alignas",  "alignof",   "and",       "asm",       "at",       "auto",     "bool",
    "break",    "c10",       "case",      "catch",     "char",     "class",    "concept",
    "const",    "consteval", "constexpr", "constinit", "continue", "decltype", "default",
    "delete",   "do",        "double",    "else",      "enum",     "explicit", "export",
    "extern",   "false",     "float",     "flags",     "for",      "friend",   "goto",
    "if",       "inline",    "int",       "kd",        "konfig",   "kontext",  "loader",
    "long",     "mutable",   "namespace", "new",       "noexcept", "not",      "nullptr",
    "operator", "or",        "private",   "protected", "public",   "register", "requires",
    "return",   "short",     "signed",    "sizeof",    "static",   "std",      "struct",
    "switch",   "template",  "test",      "this",      "throw",    "torch",    "true",
    "try",      "typedef",   "typeid",    "typename",  "union",    "unsigned", "using",
    "virtual",  "void",      "volatile",  "while",     "xor"};

bool is_name_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// The name with what cannot stand in one replaced: "my_project" for "my-project".
std::string repaired(std::string name) {
  std::ranges::replace_if(
      name, [](char c) { return !is_name_character(c); }, '_');
  if (name.empty() || !std::isalpha(static_cast<unsigned char>(name[0]))) name = "my_" + name;
  return name;
}

void check_name(const std::string& name) {
  if (name.empty()) throw UsageError("the project needs a name, such as: kd new my_project");
  const std::string good = repaired(name);
  if (good != name) {
    throw UsageError("'" + name +
                     "' cannot be a project's name, which stands in the code too: letters, digits "
                     "and '_', a letter first; how about " +
                     good + "?");
  }
  if (std::ranges::find(kTaken, name) != std::end(kTaken)) {
    throw UsageError("'" + name + "' means something in C++ or in Kauldron already; how about my_" +
                     name + "?");
  }
}

// By its real name git would take it for a rule about our own tree.
std::string file_name(std::string_view name) {
  return name == "gitignore" ? ".gitignore" : std::string(name);
}

int new_project(Session&, const NewOptions& options) {
  fs::path folder = fs::path(options.path).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();  // "my_project/"
  const std::string name = folder.filename().string();
  check_name(name);
  std::error_code error;
  if (fs::exists(folder, error)) {
    if (!fs::is_directory(folder, error)) {
      throw UsageError(folder.string() + " is there already, and is no folder");
    }
    if (!fs::is_empty(folder, error) || error) {
      throw UsageError("the folder " + folder.string() +
                       " is there already and has files in it; take another name");
    }
  }
  fs::create_directories(folder, error);
  if (error) {
    throw Failure("the folder " + folder.string() + " cannot be made: " + error.message());
  }
  for (auto& file : project_files()) {
    write_file(folder / file_name(file.name), base::replace_all(file.text, kName, name));
  }
  print("made " + folder.string() + ". To train it:\n  cd " + folder.string() +
        "\n  kd train --cfg=config.cc\nREADME.md there tells what each file is for.\n");
  return kFine;
}

const AddVerb<NewOptions> verb = {{
    .name = "new",
    .place = 100,
    .summary = "Start a project: a model, data and a config of your own",
    .help = R"(
Writes a small experiment of your own into the new folder: a data source, a
model, a loss, a config, a test, a CMakeLists.txt and a README that tells more.
The last part of PATH is its name, in the code too: letters, digits and '_'.

Examples:
  kd new my_project
  cd my_project && kd train --cfg=config.cc)",
    .options =
        [](Options& add, NewOptions& o) {
          add.value("PATH", o.path, "PATH", "The folder to make; its name is the project's")
              ->required();
        },
    .run = new_project,
}};

}  // namespace
}  // namespace cli
