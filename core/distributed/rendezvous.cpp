#include "core/distributed/rendezvous.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/distributed/process_group.h"
#include "core/distributed/rendezvous/attendance.h"

namespace phraseq {
namespace {

constexpr std::chrono::seconds kLongestMeeting{300};

}  // namespace

Meeting meet(const Placement& placement, std::chrono::seconds timeout) {
  timeout = std::min(timeout, kLongestMeeting);
  Meeting meeting;
  meeting.store = open_store(placement, timeout);
  Attendance attendance(placement, *meeting.store);
  try {
    attendance.sign_in();
    meeting.names = attendance.wait(timeout);
  } catch (const c10::Error& /*store is gone*/) {
    throw RankFailure(fmt::format("rank {} stops: rank 0 has ended, and with it the store at {}",
                                  placement.rank,
                                  placement.meeting_place()));
  }
  return meeting;
}

}  // namespace phraseq
