// What stands behind the door.
#include "kd/engine/api.h"

#include "kd/engine/engine.h"
#include "kd/engine/jobs_impl.h"

const kd::engine::Api* kd_engine_api() {
  using namespace kd;
  static const engine::Api api = {
      .start =
          +[](const engine::Options& options) {
            engine::configure(options);
            return engine::describe();
          },
      .train = engine::train_job,
      .run = engine::experiment_job,
      .eval = engine::eval_job,
      .check = engine::check_job,
      .eval_shape = engine::eval_shape_job,
      .inspect = engine::inspect_job,
      .data_spec = inspect::show_spec,
      .data_stats = inspect::show_stats,
      .data_show = inspect::show_images,
      .data_bench = inspect::show_speed,
      .ckpt_show = ckpts::show_checkpoint,
      .ckpt_diff = ckpts::diff_checkpoints,
      .ckpt_import = ckpts::import_checkpoint,
  };
  return &api;
}
