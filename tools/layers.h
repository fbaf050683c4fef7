// The parts of the source tree and who includes whom, for tests/layering_test.cc and the picture in
// docs/architecture.md.
//
//   std::cout << layers::draw(layers::read_tree(argv[1]));  // for Graphviz
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace layers {

using Tree = std::map<std::string, std::string>;  // path from the source root -> text

// Whether a folder is a project by itself, as `kd new` writes one.
bool is_own_project(const std::string& folder);

// The headers and sources below a folder; builds are left out, and so are projects of users.
Tree read_tree(const std::string& root);

// A part of the tree, and the parts it may include besides itself: all of them lower ones.
struct Part {
  std::string name;  // "konfig", "kd/nn"; "kd": the umbrella headers
  std::set<std::string> below;
};
// Lowest first.
const std::vector<Part>& parts();

// The part a file belongs to, "" for files outside: tests, examples, benchmarks, tools.
std::string part_of(const std::string& path);

// Whether a file is a test, or a helper of tests, beside what it tests.
bool is_test(const std::string& path);

// Parts of kd that are about tensors: any of their headers may need libtorch. In the other parts of
// kd only headers in a folder called `engine` do, and nothing else does.
const std::set<std::string>& tensor_parts();

// Whether a text declares components: KONFIG_COMPONENT or KONFIG_TYPE.
bool declares_component(const std::string& text);

// Every broken rule as one line that starts with the place.
std::vector<std::string> check(const Tree& tree);

// Edges of parts() that no file of the tree needs: "kd/nn -> kd/io".
std::vector<std::string> unused_edges(const Tree& tree);

// Which part includes which, tests left out. Edges that follow from others are left out, too.
std::set<std::pair<std::string, std::string>> edges(const Tree& tree);
// The same as a graph for Graphviz.
std::string draw(const Tree& tree);

// The headers and all that they include, directly or not.
std::set<std::string> reached_from(const std::set<std::string>& headers, const Tree& tree);

}  // namespace layers
