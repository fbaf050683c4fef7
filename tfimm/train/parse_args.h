// parse_args: a config from four sources, later ones first in weight: defaults of the classes, the
// config in code, the file that --cfg_file names, the command line.
//
//   int main(int argc, char** argv) {
//     const auto cfg = parse_args(ExperimentConfig{}, argc, argv);
//     ...
//   }
//
// `--problem_class=ClassificationProblem` makes the flags of its config known: --problem.nb_classes
// and so on, at any depth and in any order; classes that code, file or defaults name do the same.
// Flags are --flag=value or --flag value, the last of two wins, and a unique beginning is enough.
// --problem_class= clears; choosing another class keeps the fields that both classes have.
//
// An Error names the flag or the line of the file, what was expected, and where the class came
// from. All missing values are one Error.
#pragma once

#include <exception>
#include <string>
#include <vector>

#include "tfimm/train/formats.h"

namespace tfimm::train {

// Thrown for --help and -h: the flags of all classes chosen so far.
class HelpRequested : public std::exception {
 public:
  explicit HelpRequested(std::string text) : text_(std::move(text)) {}
  const std::string& text() const { return text_; }
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

// `cfg` is an object of a config class or a map. The result is an object of `cls`, or of the class
// of `cfg`; without either it is a map, whose values had the types that `cfg` gives them.
Value parse_args(const Value& cfg, const std::vector<std::string>& args,
                 ConfigClassPtr cls = nullptr);

template <konfig::Record T>
requires(!std::derived_from<T, konfig::PolyBase>) T
    parse_args(const T& cfg, const std::vector<std::string>& args) {
  return from_object<T>(parse_args(to_object(cfg), args));
}
// For main: prints help to standard output and exits with 0, prints an Error and exits with 2.
template <konfig::Record T>
requires(!std::derived_from<T, konfig::PolyBase>) T
    parse_args(const T& cfg, int argc, const char* const* argv);

// The config that a text in YAML describes, as --cfg_file reads it; `name` is for errors.
Value from_yaml(const ConfigClassPtr& cls, const std::string& text,
                const std::string& name = "text");
template <class T>
T from_yaml(const std::string& text, const std::string& name = "text") {
  return from_object<T>(from_yaml(describe<T>(), text, name));
}

// What a shell may complete the word `word` to, after `args`: flags ("--lr=") and values of flags
// ("--problem_class=ClassificationProblem").
std::vector<std::string> complete_args(const Value& cfg, const std::vector<std::string>& args,
                                       const std::string& word, ConfigClassPtr cls = nullptr);
template <konfig::Record T>
requires(!std::derived_from<T, konfig::PolyBase>) std::vector<std::string> complete_args(
    const T& cfg, const std::vector<std::string>& args, const std::string& word) {
  return complete_args(to_object(cfg), args, word);
}

namespace detail {
Value parse_or_exit(const Value& cfg, int argc, const char* const* argv);
}

template <konfig::Record T>
requires(!std::derived_from<T, konfig::PolyBase>) T
    parse_args(const T& cfg, int argc, const char* const* argv) {
  return from_object<T>(detail::parse_or_exit(to_object(cfg), argc, argv));
}

}  // namespace tfimm::train
