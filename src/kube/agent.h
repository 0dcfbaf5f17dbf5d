#pragma once

#include "base/result.h"
#include "base/unique_fd.h"
#include "kube/api_client.h"
#include "kube/backoff.h"
#include "kube/slice.h"

namespace patchbay::kube {

struct AgentOptions {
  Pool pool;
  Server server;
  Timeouts timeouts{};
  Backoff::Limits backoff{};
};

/// Keeps the server's slices equal to the pool that the daemon wants, and reads ResourceClaims for
/// it. Returns when the daemon closes `socket`, at the latest after the running request. An Error
/// is a bug of the daemon. Ignore SIGPIPE before.
///
/// Messages are lines of JSON. The daemon sends:
///
///     {"wanted": N, "slices": COUNT}, then COUNT lines {"devices": [...]}
///                                       the whole wanted pool, with an increasing number; with
///                                       COUNT 0, all slices of the pool are deleted
///     {"hold": BOOL}                    while true, which it is at the start, nothing is written
///     {"get": KEY, "namespace": NAMESPACE, "name": NAME}
///
/// The agent sends:
///
///     {"stored": N, "dropped": [...]}   the server has the pool, without the dropped fields
///     {"rejected": N, "reason": TEXT}   the server rejects the pool; it is not tried again
///     {"wrote": RESULT}                 after each write of a slice: "succeeded", "failed" (it is
///                                       tried again, also after a conflict) or "rejected"
///     {"got": KEY, "claim": {...}}, or {"got": KEY, "status": STATUS, "error": TEXT}
///     {"api": "up"}, or {"api": "down", "reason": TEXT}, after each change
[[nodiscard]] Result<void> run_agent(UniqueFd socket, const AgentOptions& options);

}  // namespace patchbay::kube
