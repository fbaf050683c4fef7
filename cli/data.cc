#include "cli/data.h"

#include "cli/engine.h"
#include "cli/errors.h"
#include "cli/inline_picture.h"
#include "cli/program.h"
#include "cli/terminal.h"
#include "cli/write_file.h"

namespace cli {

namespace {

const kd::inspect::DataApi& start(const DataCommand& command) {
  load_engine().start(command.engine);
  return *reinterpret_cast<decltype(&kd_data_api)>(engine_symbol("kd_data_api"))();
}

}  // namespace

int data_spec(Session& session, const DataCommand& command) {
  const auto& config = session.config();
  print(start(command).spec(config, command.data));
  return kFine;
}

int data_stats(Session& session, const DataCommand& command) {
  const auto& config = session.config();
  print(start(command).stats(config, command.data));
  return kFine;
}

int data_show(Session& session, const DataCommand& command) {
  const auto& config = session.config();
  const InlineImages terminal = inline_images();
  if (command.out.empty() && terminal == InlineImages::none) {
    throw UsageError("this terminal shows no images: name a file with --out=batch.png");
  }
  const kd::inspect::Picture picture = start(command).show(config, command.data);
  if (!command.out.empty()) {
    write_file(command.out, picture.png);
    print(command.out + ": " + std::to_string(picture.width) + " x " +
          std::to_string(picture.height) + " pixels\n");
  }
  print(inline_text(picture, terminal));
  return kFine;
}

int data_bench(Session& session, const DataCommand& command) {
  const auto& config = session.config();
  print(start(command).bench(config, command.data));
  return kFine;
}

}  // namespace cli
