// Pictures among the text of a terminal, where it can show them.
#pragma once

#include <string>

#include "kd/inspect/data_api.h"

namespace cli {

enum class InlineImages {
  none,    // no terminal, or one without colours
  blocks,  // two pixels in a character, by its two colours
  iterm,   // iTerm2's protocol: also WezTerm, VS Code, Konsole
  kitty,   // kitty's protocol: also Ghostty
};

// What standard output can show, by its environment.
InlineImages inline_images();

// The picture as that terminal wants it; "" for none.
std::string inline_text(const kd::inspect::Picture& picture, InlineImages how);

std::string base64(std::string_view bytes);

}  // namespace cli
