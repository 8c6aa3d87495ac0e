// The Python wheel, made from the programs of this build, is installed into a new environment and
// used there. Needs python3 with venv, but no network.

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/end_to_end/toy_corpus.h"
#include "tests/sdk/shell.h"

namespace phraseq::packages {
namespace {

namespace fs = std::filesystem;
using sdk::Outcome;
using sdk::shell;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Wheel : public ::testing::Test {
 protected:
  void SetUp() override {
    const Outcome made = shell("python3 -m venv " + environment());
    if (made.code != 0)
      GTEST_SKIP() << "python3 cannot make a virtual environment here: " << made.text;
    const Outcome built = in_environment(
        "pip wheel " PHRASEQ_SOURCE_FOLDER
        " --no-index --no-deps --no-build-isolation -C build-folder=" PHRASEQ_BUILD_FOLDER
        " -C compile=no --wheel-dir wheels");
    if (built.text.find("No module named 'tomllib'") != std::string::npos)
      GTEST_SKIP() << "making the wheel needs Python 3.11";
    ASSERT_EQ(built.code, 0) << built.text;
    const Outcome installed = in_environment("pip install --no-index --no-deps wheels/*.whl");
    ASSERT_EQ(installed.code, 0) << installed.text;
    site_ = shell("cd " + environment() + " && echo $PWD/lib/python3*/site-packages").text;
    site_.pop_back();
  }

  std::string environment() const { return folder_.path("environment"); }

  /// Runs a command in the work folder with no settings of this shell except the programs of the
  /// environment.
  Outcome in_environment(const std::string& command) const {
    return shell("cd " + folder_.path() + " && env -i HOME=" + folder_.path() +
                 " LC_ALL=C.UTF-8 VIRTUAL_ENV=" + environment() + " PATH=" + environment() +
                 "/bin:/usr/bin:/bin " + command);
  }

  sdk::GrowingFolder folder_;
  std::string site_;
};

TEST_F(Wheel, BringsAllThatTrainingNeedsButPyTorch) {
  const Outcome without = in_environment("phraseq train data-bin");
  EXPECT_EQ(without.code, 1);
  EXPECT_THAT(without.text, HasSubstr("pip install 'torch=="));

  fs::create_directory_symlink(fs::canonical(PHRASEQ_TORCH_FOLDER), site_ + "/torch");
  end_to_end::write_toy_corpus(folder_);
  const Outcome data = in_environment(
      "phraseq preprocess --source-lang en --target-lang de --trainpref train --validpref dev "
      "--destdir data-bin");
  EXPECT_EQ(data.code, 0) << data.text;
  const Outcome trained = in_environment(
      "phraseq train data-bin --arch transformer_tiny --max-update 3 --max-tokens 400 --cpu "
      "--threads 1"
      " --encoder-embed-dim 32 --encoder-ffn-embed-dim 48 --decoder-embed-dim 32 "
      "--decoder-ffn-embed-dim 48"
      " --save-dir run");
  EXPECT_EQ(trained.code, 0) << trained.text;
  const Outcome translated = in_environment(
      "phraseq generate --cpu --path run/checkpoint_last < dev.en 2>/dev/null | wc -l");
  EXPECT_EQ(translated.text, "20\n");

  const Outcome list = in_environment("phraseq-plugins explain transformer");
  EXPECT_THAT(
      list.text,
      AllOf(HasSubstr(site_ + "/phraseq/lib/phraseq/"), Not(HasSubstr(PHRASEQ_BUILD_FOLDER))));
  const Outcome libraries = in_environment("ldd " + site_ + "/phraseq/bin/phraseq-train");
  for (const char* library :
       {"libfmt", "libspdlog", "libboost_", "libicuuc", "libicudata", "libsentencepiece"}) {
    const size_t line = libraries.text.find(library);
    ASSERT_NE(line, std::string::npos) << library << " in " << libraries.text;
    EXPECT_THAT(libraries.text.substr(line, libraries.text.find('\n', line) - line),
                HasSubstr("/phraseq-libs/"));
  }
  EXPECT_THAT(libraries.text, AllOf(HasSubstr(site_), Not(HasSubstr("not found"))));
}

TEST_F(Wheel, FindsPyTorchElsewhereInThePath) {
  const fs::path torch = fs::canonical(PHRASEQ_TORCH_FOLDER);
  if (!fs::exists(torch / "__init__.py"))
    GTEST_SKIP() << "LibTorch is not a Python package here";
  folder_.write(fs::relative(site_, folder_.path()).string() + "/torch.pth",
                torch.parent_path().string() + "\n");
  const Outcome version = in_environment("phraseq-train --help");
  EXPECT_EQ(version.code, 0) << version.text;
  const Outcome module = in_environment("python3 -m phraseq --version");
  EXPECT_EQ(module.code, 0) << module.text;
  EXPECT_THAT(module.text, HasSubstr("LibTorch"));
}

TEST_F(Wheel, LetsAPluginBeBuilt) {
  fs::create_directory_symlink(fs::canonical(PHRASEQ_TORCH_FOLDER), site_ + "/torch");
  const Outcome begun = in_environment("phraseq new-plugin exactly --kind metric");
  ASSERT_EQ(begun.code, 0) << begun.text;
  const Outcome built = in_environment(
      "sh -c '" PHRASEQ_CMAKE " -S exactly -B build -G Ninja -DCMAKE_CXX_COMPILER=" PHRASEQ_CXX
      " -Dphraseq_DIR=$VIRTUAL_ENV/lib/cmake/phraseq && " PHRASEQ_CMAKE " --build build'");
  ASSERT_EQ(built.code, 0) << built.text;
  const Outcome list = in_environment("phraseq plugins list --plugin-dir build/lib/phraseq");
  EXPECT_EQ(list.code, 0) << list.text;
  EXPECT_THAT(list.text, HasSubstr("exactly"));
}

}  // namespace
}  // namespace phraseq::packages
