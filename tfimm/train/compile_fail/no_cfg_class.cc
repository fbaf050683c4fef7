// A class that does not say what configures it.
#include "tfimm/train/train.h"

class Problem {
 public:
  explicit Problem(int classes) : classes_(classes) {}

 private:
  int classes_;
};

CFG_SERIALIZABLE(Problem);
