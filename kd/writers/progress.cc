// Progress on the console.
#include "kd/writers/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace kd::writers {

namespace {

// The bar on the screen. Lines of other threads must not fall into it.
std::mutex g_screen;
Progress* g_bar = nullptr;

constexpr auto kRedraw = std::chrono::milliseconds(100);
constexpr auto kPlainLine = std::chrono::seconds(10);

int screen_width() {
  winsize size = {};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

// "01:05", "2:00:00"
std::string duration_text(double seconds) {
  if (!(seconds >= 0) || seconds > 3.6e6) return "?";
  const auto s = static_cast<long>(seconds);
  char out[32];
  if (s < 3600) {
    std::snprintf(out, sizeof out, "%02ld:%02ld", s / 60, s % 60);
  } else {
    std::snprintf(out, sizeof out, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
  }
  return out;
}

std::string rate_text(double per_second) {
  char out[32];
  const bool slow = per_second < 1;
  std::snprintf(out, sizeof out, slow ? "%.3gs" : "%.3g/s",
                slow ? 1 / std::max(per_second, 1e-9) : per_second);
  return out;
}

void put(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

Progress::Progress(std::int64_t total, std::string desc, std::int64_t first)
    : total_(total),
      first_(first),
      done_(first),
      desc_(std::move(desc)),
      terminal_(::isatty(STDERR_FILENO) == 1),
      start_(Clock::now()),
      drawn_(start_) {
  const std::lock_guard lock(g_screen);
  if (terminal_ && !g_bar) g_bar = this;
}

Progress::~Progress() {
  const std::lock_guard lock(g_screen);
  const bool on_screen = g_bar == this;
  if (on_screen) {
    clear();
    g_bar = nullptr;
  }
  if (on_screen || !terminal_) put(line(on_screen ? screen_width() : 100) + "\n");
}

void Progress::update(std::int64_t done, std::string_view text) {
  const auto now = Clock::now();
  const bool due = now - drawn_ >= (terminal_ ? Clock::duration(kRedraw) : kPlainLine);
  const std::lock_guard lock(g_screen);
  done_ = done;
  if (!text.empty()) text_ = text;
  if (!due) return;
  drawn_ = now;
  if (!terminal_) {
    put(line(100) + "\n");
  } else if (g_bar == this) {
    draw();
  }
}

std::string Progress::line(int width) const {
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  const double rate = seconds > 0 ? static_cast<double>(done_ - first_) / seconds : 0;
  const bool known = total_ > 0;
  const double part =
      known ? std::clamp(static_cast<double>(done_) / static_cast<double>(total_), 0.0, 1.0) : 0;
  std::string head = desc_ + ": ", tail = " " + std::to_string(done_);
  if (known) {
    char percent[8];
    std::snprintf(percent, sizeof percent, "%3d%%", static_cast<int>(part * 100));
    head += percent;
    tail += "/" + std::to_string(total_);
  }
  tail += " [" + duration_text(seconds);
  if (known && rate > 0) tail += "<" + duration_text(static_cast<double>(total_ - done_) / rate);
  if (rate > 0) tail += ", " + rate_text(rate);
  tail += "]" + (text_.empty() ? "" : " " + text_);
  const int room = width - 1 - static_cast<int>(head.size() + tail.size()) - 2;
  std::string bar;
  if (known && room >= 5) {
    const int length = std::min(room, 30);
    const int full = static_cast<int>(std::lround(part * length));
    bar = "|" + std::string(static_cast<std::size_t>(full), '#') +
          std::string(static_cast<std::size_t>(length - full), ' ') + "|";
  }
  std::string out = head + bar + tail;
  if (static_cast<int>(out.size()) >= width) out.resize(static_cast<std::size_t>(width - 1));
  return out;
}

void Progress::draw() { put("\r" + line(screen_width()) + "\x1b[K"); }
void Progress::clear() { put("\r\x1b[K"); }

void print_line(std::string_view text) {
  const std::lock_guard lock(g_screen);
  if (g_bar) g_bar->clear();
  put(std::string(text) + "\n");
  if (g_bar) g_bar->draw();
}

}  // namespace kd::writers
