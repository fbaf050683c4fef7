// A path through a field that is not there.
#include "kontext/path_builder.h"

struct Batch {
  int image = 0;
};

kontext::Key key() { return kontext::path_builder_from<Batch>("batch")[&Batch::imag]; }
