#include "host/udev/udev_database.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/log.h"
#include "host/facts/database_id.h"
#include "host/facts/udev_record.h"

namespace patchbay::host {

UdevDatabase::UdevDatabase(loop::EventLoop& loop, loop::Inotify& inotify, std::string directory,
                           Listener& listener)
    : loop_(loop),
      listener_(listener),
      watch_(inotify, std::move(directory),
             {.on_event = [this](const auto& event) { on_event(event); },
              // No event reported the records that exist already.
              .on_changed =
                  [this](bool is_there) {
                    if (is_there) listener_.records_lost();
                  }},
             IN_CLOSE_WRITE) {}

void UdevDatabase::start() { watch_.start(); }

void UdevDatabase::stop() {
  watch_.stop();
  written_.clear();
}

void UdevDatabase::on_event(const loop::InotifyEvent& event) {
  if (event.overflow()) {
    listener_.records_lost();
    return;
  }
  if (!parse_database_id(event.name)) return;
  if ((event.mask & (IN_DELETE | IN_MOVED_FROM)) != 0) {
    written_.erase(event.name);
    listener_.record_deleted(event.name);
  } else if ((event.mask & (IN_MOVED_TO | IN_CLOSE_WRITE)) != 0) {
    listener_.record_written();
    written_.insert(event.name);
    resolve();
  }
}

void UdevDatabase::resolve() {
  if (resolving_ || written_.empty()) return;
  resolving_ = true;
  struct Job {
    std::vector<std::string> names;
    std::vector<std::pair<std::string, std::string>> devices;
  };
  const auto job = std::make_shared<Job>();
  job->names.assign(written_.begin(), written_.end());
  written_.clear();
  loop_.work([job] { job->devices = devices_of_records(job->names); },
             weak_self_.guard([job](UdevDatabase& database) {
               database.resolving_ = false;
               for (const auto& [id, syspath] : job->devices) {
                 database.listener_.record_found(id, syspath);
               }
               database.resolve();
             }));
}

void warn_without_database(const paths::HostRoot& root) {
  const std::string directory = std::string(kUdevDirectory) + "/data";
  if (root.is_recorded()) {
    const auto has_data = [&](const std::string& name) {
      // Without data, machine::files_of() writes only that udev has finished the device.
      return root.read_file(directory + '/' + name) != "I:1\nV:1";
    };
    if (std::ranges::any_of(root.names_in(directory), has_data)) return;
    return log::warning(
        "no udev data in the machine file: its devices have no properties, tags and links, but "
        "rules use them; record it where udevd runs");
  }
  if (::access(directory.c_str(), F_OK) == 0) return;
  log::warning(
      "no udev database: devices have no properties, tags and links, but rules use them; check "
      "that udevd runs and that /run/udev is the host's");
}

}  // namespace patchbay::host
