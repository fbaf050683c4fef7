// Registers the classes of the tests.
#include "tfimm/train/toys_test.h"

CFG_SERIALIZABLE(toy::SimpleClass);
CFG_SERIALIZABLE(toy::Leaf);
CFG_SERIALIZABLE(toy::Other);
CFG_SERIALIZABLE(toy::Mid);
CFG_SERIALIZABLE(toy::Types);
