#include "@name@.h"

#include <cmath>

namespace @name@_plugin {

double Schedule::rate(int64_t finished_updates) const {
  const double half_lives =
      static_cast<double>(finished_updates) / static_cast<double>(options_.half_life);
  return setup_.lr * std::exp2(-half_lives);
}

}  // namespace @name@_plugin
