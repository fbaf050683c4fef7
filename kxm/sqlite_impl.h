// SQLite: a connection and its prepared statements. What fails is a konfig::Error that names the
// database.
//
//   Connection db(file, Connection::Mode::write);
//   db.exec("CREATE TABLE t (a, b)");
//   Query insert(db, "INSERT INTO t VALUES (?, ?)");
//   insert.run(3, "text");
//   for (Query q(db, "SELECT a FROM t WHERE b = ?", "text"); q.next();) sum += q.integer(0);
#pragma once

#include <sqlite3.h>

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace kxm {

class Connection {
 public:
  enum class Mode { read, write, memory, immutable };
  Connection(const std::filesystem::path& file, Mode mode);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void exec(const std::string& sql);
  std::int64_t integer(const std::string& sql);  // the first column of the first row; 0: none
  sqlite3* handle() const { return db_; }
  // Whether the files that it needs beside its own are there, or can be made.
  bool has_its_files();
  // Whether its file is no longer in its place: removed, or another one put there.
  bool is_lost() const;
  // Closing it leaves everything in the folder alone: the files there are those of another one.
  void abandon();
  // Statements are prepared once: thousands of units are written with the same few.
  sqlite3_stmt* take(std::string_view sql);
  void give_back(sqlite3_stmt* statement);
  [[noreturn]] void fail(const std::string& doing) const;

 private:
  std::filesystem::path file_;
  sqlite3* db_ = nullptr;
  std::map<std::string, sqlite3_stmt*, std::less<>> idle_;  // by their text
};

class Query {
 public:
  Query(Connection& db, std::string_view sql);
  template <class... Args>
  requires(sizeof...(Args) > 0) Query(Connection& db, std::string_view sql, const Args&... args)
      : Query(db, sql) {
    bind(args...);
  }
  ~Query() { db_.give_back(statement_); }
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  // Texts are not copied: they have to live until the statement ran.
  template <class... Args>
  void bind(const Args&... args) {
    sqlite3_reset(statement_);
    int i = 0;
    (bind_one(++i, args), ...);
  }
  bool next();  // false after the last row
  template <class... Args>
  void run(const Args&... args) {
    bind(args...);
    while (next()) {
    }
    sqlite3_reset(statement_);
  }

  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
  int number(int column) const { return sqlite3_column_int(statement_, column); }
  double real(int column) const { return sqlite3_column_double(statement_, column); }
  bool null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
  std::string_view text(int column) const;  // until the next row
  std::string copy(int column) const { return std::string(text(column)); }

 private:
  template <class T>
  void bind_one(int i, const T& value) {
    if constexpr (std::same_as<T, std::nullptr_t>) {
      sqlite3_bind_null(statement_, i);
    } else if constexpr (std::integral<T>) {
      sqlite3_bind_int64(statement_, i, static_cast<sqlite3_int64>(value));
    } else if constexpr (std::floating_point<T>) {
      sqlite3_bind_double(statement_, i, value);
    } else {
      // As bytes: arguments are not always UTF-8.
      const std::string_view text = value;
      sqlite3_bind_blob(statement_, i, text.data() ? text.data() : "",
                        static_cast<int>(text.size()), SQLITE_STATIC);
    }
  }

  Connection& db_;
  sqlite3_stmt* statement_;
};

// All or nothing. Takes the write lock at once: it waits at the start and never fails later.
class Transaction {
 public:
  explicit Transaction(Connection& db) : db_(db) { db.exec("BEGIN IMMEDIATE"); }
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Connection& db_;
  bool done_ = false;
};

}  // namespace kxm
