// The only file that uses libedit.
#include "cli/line_editor.h"

#include <histedit.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cwchar>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/character_width.h"
#include "base/charset.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "cli/terminal.h"

namespace patchbay::cli {
namespace {

constexpr const char* kPrompt = "patchbay> ";
constexpr int kHistory = 500;
constexpr size_t kMaxChoicesShown = 100;

/// Requests of the loop to the thread, besides output.
struct Requests {
  std::string text;
  bool resized = false;
  bool renewed = false;
  bool stop = false;
};

/// All completions of a word, in lines that fit the terminal.
std::string choices_text(const std::vector<std::string>& choices) {
  const size_t width = std::max<size_t>(terminal_size(STDOUT_FILENO).columns, 20);
  std::string text;
  size_t used = 0;
  for (size_t i = 0; i < choices.size() && i < kMaxChoicesShown; ++i) {
    const std::string shown = printable(choices[i]);
    const size_t needed = text_width(shown) + 2;
    if (used > 0 && used + needed > width) {
      text += '\n';
      used = 0;
    }
    text += (used > 0 ? "  " : "") + shown;
    used += needed;
  }
  if (choices.size() > kMaxChoicesShown)
    text += fmt::format("  {} {} more", ellipsis(), choices.size() - kMaxChoicesShown);
  return text + '\n';
}

}  // namespace

/// The thread and its libedit objects. The methods below "thread" run on that thread.
class LineEditor::Terminal {
 public:
  Terminal(loop::EventLoop& loop, std::weak_ptr<Listener> listener)
      : loop_(loop), listener_(std::move(listener)), wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    tcgetattr(STDIN_FILENO, &before_);
    thread_ = std::thread([this] { edit(); });
  }
  ~Terminal() {
    request([](Requests& requests) { requests.stop = true; });
    thread_.join();
    if (has_terminal()) tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  /// Any thread.
  template <typename Change>
  void request(Change change) {
    {
      const std::lock_guard lock(mutex_);
      change(requests_);
    }
    const uint64_t one = 1;
    static_cast<void>(write(wake_.get(), &one, sizeof one));
  }
  void set_listed(std::shared_ptr<const std::vector<ListedUnits>> listed) {
    const std::lock_guard lock(mutex_);
    listed_ = std::move(listed);
  }

 private:
  // thread
  void edit();
  void set_up();
  void read_lines();
  bool handle_requests();
  int next_character(wchar_t* character);
  void show_above(const std::string& text);
  void erase_line() const;
  unsigned char complete();

  static Terminal& of(EditLine* editor) {
    void* data = nullptr;
    el_get(editor, EL_CLIENTDATA, &data);
    return *static_cast<Terminal*>(data);
  }

  loop::EventLoop& loop_;
  std::weak_ptr<Listener> listener_;
  UniqueFd wake_;
  termios before_{};
  std::mutex mutex_;  ///< Guards the two below.
  Requests requests_;
  std::shared_ptr<const std::vector<ListedUnits>> listed_ =
      std::make_shared<std::vector<ListedUnits>>();
  EditLine* editor_ = nullptr;
  History* history_ = nullptr;
  bool editing_ = true;
  bool stopped_ = false;
  std::thread thread_;
};

void LineEditor::Terminal::edit() {
  // libedit decodes characters by the locale, which is set for this thread only.
  const locale_t locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  if (locale != nullptr) uselocale(locale);
  editor_ = el_init("patchbay", stdin, stdout, stderr);
  history_ = history_init();
  set_up();
  read_lines();
  erase_line();
  editing_ = false;
  while (!stopped_) {
    pollfd waiting{.fd = wake_.get(), .events = POLLIN, .revents = 0};
    poll(&waiting, 1, -1);
    handle_requests();
  }
  el_end(editor_);
  history_end(history_);
  uselocale(LC_GLOBAL_LOCALE);
  if (locale != nullptr) freelocale(locale);
}

void LineEditor::Terminal::set_up() {
  HistEvent event;
  history(history_, &event, H_SETSIZE, kHistory);
  history(history_, &event, H_SETUNIQUE, 1);
  el_set(editor_, EL_CLIENTDATA, this);
  el_set(
      editor_, EL_PROMPT, +[](EditLine*) { return const_cast<char*>(kPrompt); });
  el_set(editor_, EL_SIGNAL, 0);
  el_set(editor_, EL_EDITOR, "emacs");
  el_set(editor_, EL_HIST, history, history_);
  el_set(
      editor_, EL_GETCFN,
      +[](EditLine* editor, wchar_t* character) { return of(editor).next_character(character); });
  // Uses wide texts: libedit copies other texts and never frees the copies.
  el_wset(
      editor_, EL_ADDFN, L"patchbay-complete", L"Complete a word",
      +[](EditLine* editor, int) { return of(editor).complete(); });
  el_set(editor_, EL_BIND, "^I", "patchbay-complete", nullptr);
  el_set(editor_, EL_BIND, "^R", "em-inc-search-prev", nullptr);
  el_set(editor_, EL_BIND, "^W", "ed-delete-prev-word", nullptr);
  el_set(editor_, EL_BIND, "\x1b[3~", "ed-delete-next-char", nullptr);
}

void LineEditor::Terminal::read_lines() {
  while (!stopped_) {
    int count = 0;
    const char* text = el_gets(editor_, &count);
    if (stopped_) return;
    const bool end = text == nullptr || count <= 0;
    std::string line = end ? std::string() : std::string(trim_end(text));
    if (!line.empty()) {
      HistEvent event;
      history(history_, &event, H_ENTER, line.c_str());
    }
    loop_.post([listener = listener_, line = std::move(line), end] {
      const auto target = listener.lock();
      if (target) end ? target->end() : target->line(line);
    });
    if (end) return;
  }
}

/// Returns false if the thread must stop.
bool LineEditor::Terminal::handle_requests() {
  uint64_t count = 0;
  static_cast<void>(read(wake_.get(), &count, sizeof count));
  Requests requests;
  {
    const std::lock_guard lock(mutex_);
    requests = std::exchange(requests_, {});
  }
  if (requests.resized) el_resize(editor_);
  if (requests.renewed && editing_) el_set(editor_, EL_PREP_TERM, 1);
  if (requests.stop) stopped_ = true;
  if (!requests.text.empty() || requests.renewed) show_above(requests.text);
  return !stopped_;
}

/// Waits for a key or a request, in place of libedit's own wait.
int LineEditor::Terminal::next_character(wchar_t* character) {
  std::mbstate_t state{};
  while (true) {
    std::array<pollfd, 2> waiting{pollfd{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0},
                                  pollfd{.fd = wake_.get(), .events = POLLIN, .revents = 0}};
    if (poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) return -1;
    if (waiting[1].revents != 0 && !handle_requests()) return -1;
    if (waiting[0].revents == 0) continue;
    char byte = 0;
    const ssize_t size = read(STDIN_FILENO, &byte, 1);
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (size <= 0) return -1;
    const size_t used = std::mbrtowc(character, &byte, 1, &state);
    if (used == static_cast<size_t>(-1)) {
      state = {};  // Not a character of the locale.
    } else if (used != static_cast<size_t>(-2)) {
      return 1;
    }
  }
}

/// Leaves the cursor at the start of the line.
void LineEditor::Terminal::erase_line() const {
  const LineInfo* line = el_line(editor_);
  const std::string_view before(line->buffer, static_cast<size_t>(line->cursor - line->buffer));
  const size_t columns = terminal_size(STDOUT_FILENO).columns;
  const size_t rows = columns == 0 ? 0 : (text_width(kPrompt) + text_width(before)) / columns;
  if (rows > 0) std::fputs(fmt::format("\x1b[{}A", rows).c_str(), stdout);
  std::fputs("\r\x1b[J", stdout);
}

/// Removes the prompt and the line, prints the text there, and draws both below it again.
void LineEditor::Terminal::show_above(const std::string& text) {
  if (editing_) erase_line();
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (!text.empty() && !text.ends_with('\n')) std::fputc('\n', stdout);
  if (editing_ && !stopped_) el_set(editor_, EL_REFRESH);
  std::fflush(stdout);
}

unsigned char LineEditor::Terminal::complete() {
  const LineInfo* line = el_line(editor_);
  const std::string_view before(line->buffer, static_cast<size_t>(line->cursor - line->buffer));
  std::shared_ptr<const std::vector<ListedUnits>> listed;
  {
    const std::lock_guard lock(mutex_);
    listed = listed_;
  }
  const Completion completion = complete_line(before, *listed);
  if (!completion.insertion.empty()) {
    return el_insertstr(editor_, completion.insertion.c_str()) == 0 ? CC_REFRESH : CC_ERROR;
  }
  if (completion.choices.empty()) return CC_ERROR;
  show_above(choices_text(completion.choices));
  return CC_NORM;
}

bool LineEditor::is_available() {
  const char* terminal = std::getenv("TERM");
  return has_terminal() && is_terminal(STDOUT_FILENO) && terminal != nullptr && *terminal != '\0' &&
         std::string_view(terminal) != "dumb";
}

LineEditor::LineEditor(loop::UvLoop& loop, Listener listener)
    : listener_(std::make_shared<Listener>(std::move(listener))),
      terminal_(std::make_unique<Terminal>(loop, listener_)),
      resized_(loop.watch_signal(
          SIGWINCH,
          [this] { terminal_->request([](Requests& requests) { requests.resized = true; }); })),
      continued_(loop.watch_signal(SIGCONT, [this] {
        terminal_->request([](Requests& requests) { requests.renewed = true; });
      })) {
  divert_output([this](const std::string& text) {
    terminal_->request([&](Requests& requests) { requests.text += text; });
  });
}

LineEditor::~LineEditor() {
  resized_.reset();
  continued_.reset();
  divert_output({});
  terminal_.reset();
}

void LineEditor::set_listed(std::vector<ListedUnits> listed) {
  terminal_->set_listed(std::make_shared<const std::vector<ListedUnits>>(std::move(listed)));
}

}  // namespace patchbay::cli
