// The files that the build makes of what headers declare.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/field_docs.h"
#include "tools/declarations.h"

namespace components {

struct Header {
  std::string path;  // as an include names it: kd/losses/losses.h
  Declarations declared = {};
  std::vector<base::StructDocs> docs = {};
};
Header read_header(std::string path, std::string_view text);

// A name that is not "module:Name", and two types that configs would know by the same name, in
// whatever spelling, are a std::runtime_error.
void check_names(const std::vector<Header>& headers);

// A source that registers the components and the comments of their fields, before main.
std::string register_source(const std::vector<Header>& headers);

// A source that implements the components declared below `folder` ("kd/losses/"), which includes
// all headers of that folder: members may need types that are complete in another one. An interface
// that no header tells how to implement is a std::runtime_error, but for one without functions.
std::string implement_source(const std::vector<Header>& headers, std::string_view folder);

// A header that includes every one that declares something for configs.
std::string umbrella_header(const std::vector<Header>& headers);

}  // namespace components
