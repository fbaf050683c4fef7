// An enumeration.
#include "tfimm/train/train.h"

enum class Mode { fast, exact };
struct Config {
  Mode mode = Mode::fast;
};

tfimm::train::Dict nested() { return tfimm::train::to_dict_format(Config{}); }
