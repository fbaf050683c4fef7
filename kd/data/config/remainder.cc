// The reference's names for what happens to a last batch that is not full.
#include <string>

#include "konfig/register.h"

KONFIG_CONSTANT("kauldron.kd:data.py.DropRemainder.DROP", std::string("drop"));
KONFIG_CONSTANT("kauldron.kd:data.py.DropRemainder.KEEP", std::string("keep"));
KONFIG_CONSTANT("kauldron.kd:data.py.DropRemainder.PAD", std::string("pad"));
