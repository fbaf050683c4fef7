// A config class with private members.
#include "tfimm/train/train.h"

class Config {
 public:
  Config() = default;

 private:
  int width_ = 1;
};
struct Problem {
  using cfg_class = Config;
};

CFG_SERIALIZABLE(Problem);
