#pragma once

#include "inventory/snapshot.h"
#include "loop/event_loop.h"
#include "status/registration_status.h"

namespace patchbay::daemon {

/// The kind of reader of a sink.
enum class SinkKind { plugin };

/// Brings the lists of one resource to one kind of reader, such as the device plugin API of the
/// kubelet. Loop thread.
class Sink {
 public:
  virtual ~Sink() = default;

  /// Sends a snapshot that differs from the one before.
  virtual void publish(inventory::SnapshotPtr snapshot) = 0;

  /// Withdraws the resource: its readers get an empty list, and its files and sockets are removed.
  /// `withdrawn` is called once, later, and no other callback follows. Destroy the sink then.
  virtual void withdraw(loop::Task withdrawn) = 0;

  /// The last list that the readers have; null: they have none. A device of it is in use there
  /// until a list without it is acknowledged.
  [[nodiscard]] virtual inventory::SnapshotPtr acknowledged() const = 0;
  /// Whether readers can get the list.
  [[nodiscard]] virtual bool served() const = 0;
  [[nodiscard]] virtual status::RegistrationStatus status() const = 0;
};

}  // namespace patchbay::daemon
