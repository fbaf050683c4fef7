// The curves of runs, in the terminal or as a picture. Needs neither a config nor the engine.
#pragma once

#include <string>
#include <vector>

namespace cli {

struct PlotOptions {
  std::vector<std::string> workdirs = {};
  std::vector<std::string> names = {};        // of the runs, in labels; none: by their folders
  std::vector<std::string> keys = {};         // patterns: "losses/*"; none: losses and metrics
  std::vector<std::string> collections = {};  // none: all
  std::string out = "";                       // a .png or .svg file; "": the terminal
  bool log_y = false;                         // a logarithmic axis
  double smooth = 0;                          // weight of the values before, from 0 to 1
};
int plot(const PlotOptions& options);  // the exit code

struct Point {
  double x = 0, y = 0;
};
struct Curve {
  std::string label;          // "run_a train"
  std::vector<Point> points;  // by step
};
struct Panel {
  std::string title;  // "losses/total"
  std::vector<Curve> curves;
};

// One panel for each key that the runs' metrics.jsonl have. A Failure when there is none.
std::vector<Panel> read_panels(const PlotOptions& options);

// What an axis shows: marks at round numbers that cover `low` to `high`.
struct Axis {
  double low = 0, high = 1;
  std::vector<double> marks;
  bool log = false;
  double place(double value) const;  // 0 at the low end, 1 at the high
};
Axis axis_of(const std::vector<Panel>& panels, bool of_y, bool log);
std::string mark_text(double value);

// To the terminal, or to the file `out`; a UsageError when that is neither .png nor .svg.
void draw(const std::vector<Panel>& panels, const std::string& out, bool log_y);
void check_picture_name(const std::string& out);

std::string svg_of(const std::vector<Panel>& panels, bool log_y);
std::string png_of(const std::vector<Panel>& panels, bool log_y);
std::string text_of(const std::vector<Panel>& panels, bool log_y, int width);

}  // namespace cli
