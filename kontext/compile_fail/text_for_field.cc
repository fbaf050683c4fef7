// A field of a struct named by text, which could be wrong.
#include "kontext/path_builder.h"

struct Batch {
  int image = 0;
};

kontext::Key key() { return kontext::path_builder_from<Batch>("batch")["image"]; }
