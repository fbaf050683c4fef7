// Runs a fuzz target without libFuzzer: over the files of a corpus, then over fixed mutations of
// them.
//
//   fuzz_json tests/fuzz/corpus/json        KD_FUZZ_RUNS=100000 sets the number of mutations
//
// The same seed gives the same inputs on every machine. The input at fault is saved as a file.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

#if defined(__SANITIZE_ADDRESS__)
extern "C" void __sanitizer_set_death_callback(void (*callback)());
#endif

namespace {

namespace fs = std::filesystem;

constexpr unsigned kHangSeconds = 60;      // an input that takes longer counts as a hang
constexpr std::size_t kMaxSize = 1 << 16;  // mutations do not grow inputs beyond this

std::string g_input;         // the input being run, for the handlers below
std::string g_failure_path;  // where they save it

// Uses only calls that are safe in a signal handler.
void save_input() {
  const int fd = ::open(g_failure_path.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0644);
  if (fd < 0) return;
  const char* data = g_input.data();
  std::size_t left = g_input.size();
  while (left > 0) {
    const ssize_t n = ::write(fd, data, left);
    if (n <= 0) break;
    data += n;
    left -= static_cast<std::size_t>(n);
  }
  ::close(fd);
  constexpr char kText[] = "\nfuzz: the input at fault is in ";
  if (::write(2, kText, sizeof kText - 1) < 0 ||
      ::write(2, g_failure_path.data(), g_failure_path.size()) < 0 || ::write(2, "\n", 1) < 0) {
    return;
  }
}

void on_signal(int signal) {
  save_input();
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

void install_handlers() {
  std::vector<int> signals = {SIGALRM, SIGABRT};
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_set_death_callback(save_input);  // the sanitizer handles the other signals
#else
  signals.insert(signals.end(), {SIGSEGV, SIGBUS, SIGFPE, SIGILL});
#endif
  // A stack of its own, since too deep a recursion is the likeliest crash of a parser.
  static std::vector<char> stack(1 << 16);
  stack_t alternative = {};
  alternative.ss_sp = stack.data();
  alternative.ss_size = stack.size();
  ::sigaltstack(&alternative, nullptr);
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_ONSTACK;
  for (int signal : signals) ::sigaction(signal, &action, nullptr);
}

bool run(std::string input) {
  g_input = std::move(input);
  // A copy of exactly the input's size, so that the sanitizer sees a read past its end.
  const std::vector<std::uint8_t> bytes(g_input.begin(), g_input.end());
  std::string what;
  ::alarm(kHangSeconds);
  try {
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    ::alarm(0);
    return true;
  } catch (const std::exception& e) {
    what = e.what();
  } catch (...) {
    what = "not a std::exception";
  }
  ::alarm(0);
  std::cerr << "fuzz: uncaught exception: " << what << '\n';
  save_input();
  return false;
}

class Mutator {
 public:
  explicit Mutator(const std::vector<std::string>& corpus) : corpus_(corpus) {}

  std::string next() {
    std::string text = corpus_[below(corpus_.size())];
    for (std::size_t i = 0, n = 1 + below(4); i < n; ++i) mutate(text);
    if (text.size() > kMaxSize) text.resize(kMaxSize);
    return text;
  }

 private:
  // Not std::uniform_int_distribution: its results depend on the library.
  std::size_t below(std::size_t n) { return n == 0 ? 0 : rng_() % n; }

  void mutate(std::string& text) {
    const std::size_t at = below(text.size() + 1);
    const std::size_t length = 1 + below(std::min<std::size_t>(text.size() + 1, 64));
    switch (below(6)) {
      case 0:  // flip a bit
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      case 1:  // insert a byte
        text.insert(at, 1, static_cast<char>(below(256)));
        break;
      case 2:  // insert something a parser cares about
        text.insert(at, kTokens[below(std::size(kTokens))]);
        break;
      case 3:  // cut off the end
        text.resize(at);
        break;
      case 4:  // remove a piece
        text.erase(at, length);
        break;
      case 5:  // repeat a piece, sometimes often
        const std::string piece = text.substr(at, length);
        for (std::size_t i = 0, n = 1 + (below(8) == 0 ? below(500) : 0); i < n; ++i) {
          text.insert(at, piece);
        }
        break;
    }
  }

  static constexpr std::string_view kTokens[] = {
      "{",       "}",        "[",      "]",    "(",    ")",
      ":",       ",",        "\"",     "'",    "\\",   "\n",
      "\t",      "-",        "+",      ".",    "0",    "-1",
      "1e999",   "0x",       "&a",     "*a",   "<<: ", "- ",
      "NaN",     "Infinity", "nul",    "\xff", "\x80", "\xed\xa0\x80",
      "__",      "\\u0",     "//",     "true", "None", "**",
      "...",     "=",        "#",      "!!",   "%",    "99999999999999999999999999",
      "\\ud800", "--",       "lambda", "py::"};

  const std::vector<std::string>& corpus_;
  std::mt19937_64 rng_{20240229};
};

std::vector<std::string> read_corpus(int count, char** paths) {
  std::vector<fs::path> files;
  for (int i = 0; i < count; ++i) {
    if (!fs::is_directory(paths[i])) {
      files.emplace_back(paths[i]);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(paths[i])) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());  // the file system's order differs between machines
  std::vector<std::string> texts;
  for (const fs::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    if (!in) throw std::runtime_error("cannot read " + file.string());
    texts.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return texts;
}

std::size_t mutation_count() {
  if (const char* runs = std::getenv("KD_FUZZ_RUNS")) return std::stoull(runs);
  const char* full = std::getenv("KD_TEST_FULL");
  return full != nullptr && std::string_view(full) == "1" ? 200'000 : 2'000;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2) {
    std::cerr << "usage: " << argv[0] << " <corpus folder or file>...\n";
    return 2;
  }
  const std::vector<std::string> corpus = read_corpus(argc - 1, argv + 1);
  if (corpus.empty()) {
    std::cerr << "fuzz: no file in " << argv[1] << '\n';
    return 2;
  }
  g_failure_path = fs::path(argv[0]).filename().string() + ".failure";
  install_handlers();

  for (const std::string& text : corpus) {
    if (!run(text)) return 1;
  }
  Mutator mutator(corpus);
  const std::size_t runs = mutation_count();
  for (std::size_t i = 0; i < runs; ++i) {
    if (!run(mutator.next())) return 1;
  }
  std::cout << "fuzz: " << corpus.size() << " files and " << runs << " mutations passed\n";
  return 0;
} catch (const std::exception& e) {
  std::cerr << "fuzz: " << e.what() << '\n';
  return 2;
}
