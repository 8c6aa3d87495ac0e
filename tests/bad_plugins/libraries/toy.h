#pragma once

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>

#include "core/base/api.h"
#include "core/plugin/plugin.h"

namespace toy {

struct Setup {
  int64_t width = 0;
};

/// The interface that the test plugins implement.
class PHRASEQ_API Toy {
 public:
  static constexpr const char* kKind = "toy";
  using Setup = toy::Setup;
  using Factory = std::function<std::unique_ptr<Toy>(const phraseq::Options&, const Setup&)>;
  virtual ~Toy() = default;
  virtual int64_t area() const = 0;
};

struct PHRASEQ_API ToyOptions final : phraseq::Options {
  int64_t height = 3;
  void describe(phraseq::OptionTable& table) override {
    table.field("toy-height", height, "Rows.").in(1, 100);
  }
};

class PHRASEQ_API ToyRectangle final : public Toy {
 public:
  ToyRectangle(const ToyOptions& options, const Setup& setup)
      : area_(options.height * setup.width) {}
  int64_t area() const override { return area_; }

 private:
  int64_t area_;
};

/// A plugin has a static object of this type, whose constructor leaves a mark if code of the plugin
/// has run.
struct Mark {
  explicit Mark(const char* library) {
    const char* folder = std::getenv("PHRASEQ_TEST_MARKS");
    if (folder == nullptr)
      return;
    const std::string path = std::string(folder) + "/" + library;
    if (std::FILE* file = std::fopen(path.c_str(), "w"))
      std::fclose(file);
  }
};

}  // namespace toy
