// Folder, target and namespace of a part have one name: kd/optim is kd_optim and kd::optim.
//
//   const layers::Tree tree = layers::read_tree(KD_SOURCE_DIR);
//   EXPECT_THAT(check_namespaces(tree), IsEmpty());
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tools/layers.h"

namespace layers {

// What a file declares for others, and where: "kd::optim", "" for the global namespace. Left out
// are forward declarations of types, other names for what there is, functions of C, and
// specialisations and members of what is declared elsewhere, since their namespace is given.
struct Declared {
  std::string space;
  std::string name;  // the word in front of its parameters or its body
  int line = 0;

  friend bool operator==(const Declared&, const Declared&) = default;
};
std::vector<Declared> declared_in(std::string_view text);

// The namespace of a part: "kd::optim" of "kd/optim".
std::string namespace_of(const std::string& part);

// Everything that a part declares in the namespace of another one, as lines that start with the
// place. Tests are left out: they are programs of their own.
std::vector<std::string> check_namespaces(const Tree& tree);

// The parts whose CMakeLists.txt makes no library of their name. `lists` has the texts of those
// files by path.
std::vector<std::string> check_targets(const std::map<std::string, std::string>& lists);

// Those whose library links one that its part may not include, directly or not.
std::vector<std::string> check_links(const std::map<std::string, std::string>& lists);

}  // namespace layers
