// Writing to a tree by path or pattern.
//
//   set_by_path(cfg, "optimizer.learning_rate", 3e-4);     // {optimizer.learning_rate}
//   set_by_path(cfg, "**.batch_size", 8);                  // every batch_size there is
//   set_by_path(cfg, "evals.*.run.every", 100);            // every eval must have a run
//
// The last part may be a new key of a map; all parts before it must exist. `*` is every child, and
// each must take the rest of the path; `**` is any number of levels, and those without the rest are
// passed over. Nothing is written when a place is missing or cannot be written to.
#pragma once

#include <string_view>
#include <vector>

#include "kontext/path.h"
#include "kontext/tree.h"

namespace kontext {

// Returns the places written to, in order; none when a `**` matched nothing.
std::vector<Path> set_by_path(const TreeRef& tree, const GlobPath& path, const TreeRef& value);
std::vector<Path> set_by_path(const TreeRef& tree, const Path& path, const TreeRef& value);
std::vector<Path> set_by_path(const TreeRef& tree, std::string_view path, const TreeRef& value);

}  // namespace kontext
