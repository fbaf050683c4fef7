// A path through a field of another struct.
#include "kontext/path_builder.h"

struct Batch {
  int image = 0;
};
struct Preds {
  int logits = 0;
};

kontext::Key key() { return kontext::path_builder_from<Batch>("batch")[&Preds::logits]; }
