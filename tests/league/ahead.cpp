// Preloaded (LD_PRELOAD), it sets a process's time of day an hour ahead; its monotonic clock stays the machine's.
#include <dlfcn.h>
#include <sys/time.h>
#include <time.h>

namespace {
constexpr time_t AHEAD = 3600;

template <typename Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}
}  // namespace

extern "C" {
int clock_gettime(clockid_t clock, timespec* now) noexcept {
  static const auto get = real<int (*)(clockid_t, timespec*)>("clock_gettime");
  const int result = get(clock, now);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += AHEAD;
  return result;
}

int gettimeofday(timeval* now, void* zone) noexcept {
  static const auto get = real<int (*)(timeval*, void*)>("gettimeofday");
  const int result = get(now, zone);
  if (result == 0 && now != nullptr) now->tv_sec += AHEAD;
  return result;
}

time_t time(time_t* place) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (place != nullptr) *place = now.tv_sec;
  return now.tv_sec;
}
}
