// The words of a command line, before anything is known of the flags.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace tfimm::train::detail {

struct Word {
  std::string typed;                      // "--n_cl=Leaf"
  std::string name = {};                  // "n_class", once the beginning "n_cl" is understood
  std::optional<std::string> value = {};  // nothing: none was given
  bool is_flag = false;
};

// Names of flags, which are also found by how they begin.
class Names {
 public:
  void add(const std::string& name) { names_.insert(name); }
  bool contains(const std::string& name) const { return names_.contains(name); }
  std::vector<std::string> beginning_with(std::string_view text) const;
  const std::vector<std::string>& sorted() const;

 private:
  std::unordered_set<std::string> names_;
  mutable std::vector<std::string> sorted_;  // once it is asked for
};

class Flags {
 public:
  explicit Flags(const std::vector<std::string>& args);

  bool wants_help() const { return help_; }
  // The last value given to a flag; nullptr: it is not given. A flag without its value counts.
  const Word* find(const std::string& name) const;
  const std::vector<Word>& words() const { return words_; }

  // Takes words that are the beginning of exactly one of `known` for that flag. True: some were.
  bool complete(const Names& known);

 private:
  void index();
  std::vector<Word> words_;
  std::unordered_map<std::string, std::size_t> last_;
  bool help_ = false;
};

}  // namespace tfimm::train::detail
