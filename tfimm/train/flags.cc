// The words of a command line.
#include "tfimm/train/flags_impl.h"

#include <algorithm>

#include "tfimm/train/values_impl.h"

namespace tfimm::train::detail {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "-3", "-1,-2", "-inf" and "- x" are values, "-x" and "--x" are flags.
bool looks_like_flag(const std::string& word) {
  if (word.size() < 2 || word[0] != '-') return false;
  if (word.starts_with("--")) return true;
  const bool begins_a_number = is_digit(word[word[1] == '.' && word.size() > 2 ? 2 : 1]);
  return !begins_a_number && !read_float(word) && word.find(' ') == word.npos;
}

Word flag_word(const std::string& typed) {
  Word word{.typed = typed, .is_flag = true};
  const auto equals = typed.find('=');
  word.name = typed.substr(2, equals == typed.npos ? equals : equals - 2);
  if (equals != typed.npos) word.value = typed.substr(equals + 1);
  return word;
}

}  // namespace

const std::vector<std::string>& Names::sorted() const {
  if (sorted_.size() != names_.size()) {
    sorted_.assign(names_.begin(), names_.end());
    std::sort(sorted_.begin(), sorted_.end());
  }
  return sorted_;
}

std::vector<std::string> Names::beginning_with(std::string_view text) const {
  std::vector<std::string> out;
  for (auto it = std::lower_bound(sorted().begin(), sorted().end(), text); it != sorted().end();
       ++it) {
    if (!it->starts_with(text)) break;
    out.push_back(*it);
  }
  return out;
}

Flags::Flags(const std::vector<std::string>& args) {
  bool only_words = false;  // behind "--"
  for (std::size_t i = 0; i < args.size(); ++i) {
    only_words = only_words || args[i] == "--";
    if (only_words) {
      words_.push_back({.typed = args[i]});
    } else if (args[i] == "-h" || args[i] == "--help") {
      help_ = true;
    } else if (args[i].starts_with("--") && args[i].size() > 2) {
      Word word = flag_word(args[i]);
      if (!word.value && i + 1 < args.size() && !looks_like_flag(args[i + 1])) {
        word.value = args[++i];
      }
      words_.push_back(std::move(word));
    } else {
      words_.push_back({.typed = args[i]});
    }
  }
  index();
}

const Word* Flags::find(const std::string& name) const {
  auto it = last_.find(name);
  return it == last_.end() ? nullptr : &words_[it->second];
}

bool Flags::complete(const Names& known) {
  bool any = false;
  for (Word& word : words_) {
    if (!word.is_flag || known.contains(word.name)) continue;
    auto candidates = known.beginning_with(word.name);
    if (candidates.size() != 1) continue;
    word.name = candidates[0];
    any = true;
  }
  if (any) index();
  return any;
}

void Flags::index() {
  last_.clear();
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if (words_[i].is_flag) last_[words_[i].name] = i;
  }
}

}  // namespace tfimm::train::detail
