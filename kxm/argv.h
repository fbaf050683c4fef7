// XManager's arguments: keywords and positional ones, merged in order.
//
//   SequentialArgs args;
//   args.add(List{1}), args.add(Dict{{"a", "x y"}});
//   args.to_list();                                     // {"1", "--a='x y'"}
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "konfig/value.h"

namespace kxm {

class SequentialArgs {
 public:
  // A Dict of keywords or a List of positional arguments. A keyword that is there already keeps its
  // place. Text is an Error: it would be taken apart letter by letter.
  void add(const konfig::Value& part);
  void add(const konfig::Dict& keywords);

  // Shell-quoted: true is --k, false is --nok, None is left out, a list repeats the flag.
  std::vector<std::string> to_list() const;

 private:
  std::vector<std::pair<std::string, konfig::Value>> items_;  // key "": positional
};

// As Python's shlex.quote.
std::string shell_quote(std::string_view text);
// A command line for people to copy: on one line, with nothing in it that a terminal obeys.
std::string shell_line(const std::vector<std::string>& argv);

// The names of environment variables that shells take; others are an Error.
void check_env_name(std::string_view name);

}  // namespace kxm
