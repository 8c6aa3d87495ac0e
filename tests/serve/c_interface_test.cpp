// libphraseq-translate.so as used by another program: loaded by Python's ctypes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "tests/sdk/shell.h"
#include "tests/serve/server.h"

namespace phraseq::serve_test {
namespace {

using end_to_end::lines_of;

constexpr const char* kProgram = R"--(
import ctypes, json, os, sys, threading
from ctypes import byref, c_char_p, c_double, c_int32, c_int64, c_size_t, c_void_p, POINTER

class Options(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("nbest", c_int64), ("alignment", c_int32), ("split", c_int32),
                ("prefixes", POINTER(c_char_p))]

lib = ctypes.CDLL(sys.argv[1])
for name in ("version", "last_error", "source_language", "target_language", "text", "source", "hypothesis"):
    getattr(lib, "phraseq_" + name).restype = c_char_p
for name in ("text_count", "sentence_count", "hypothesis_count", "source_token_count", "token_count"):
    getattr(lib, "phraseq_" + name).restype = c_size_t
for name in ("source_token", "token"):
    getattr(lib, "phraseq_" + name).restype = c_char_p
for name in ("max_source_tokens", "max_nbest"):
    getattr(lib, "phraseq_" + name).restype = c_int64
for name in ("score", "log_probability"):
    getattr(lib, "phraseq_" + name).restype = c_double
lib.phraseq_alignment.restype = POINTER(c_int64)
N = c_size_t

def strings(texts):
    return (c_char_p * len(texts))(*[text.encode() if isinstance(text, str) else text for text in texts])

def load(path, options=()):
    model = c_void_p()
    status = lib.phraseq_load(path.encode(), strings(options), N(len(options)), byref(model))
    return status, model

def translate(model, texts, **fields):
    result = c_void_p(1)
    options = Options(size=ctypes.sizeof(Options), **fields)
    status = lib.phraseq_translate(model, strings(texts), N(len(texts)), byref(options), byref(result))
    return status, result

def best(model, texts):
    status, result = translate(model, texts)
    assert status == 0, lib.phraseq_last_error()
    found = [lib.phraseq_text(result, N(i)).decode() for i in range(lib.phraseq_text_count(result))]
    lib.phraseq_free_result(result)
    return found

answer = {"version": lib.phraseq_version().decode()}
status, none = load("nothing-there")
answer["missing"] = [status, bool(none), lib.phraseq_last_error().decode()]
status, none = load("toy", ["--beem", "4"])
answer["option"] = [status, lib.phraseq_last_error().decode()]
status, none = load("toy", ["--help"])
answer["help"] = [status, lib.phraseq_last_error().decode()]
lib.omp_set_num_threads(7)
status, model = load("toy", ["--beam", "4", "--threads", "1"])
assert status == 0, lib.phraseq_last_error()
answer["threads of OpenMP"] = lib.omp_get_max_threads()
answer["limits"] = [lib.phraseq_max_source_tokens(model), lib.phraseq_max_nbest(model)]
answer["languages"] = [lib.phraseq_source_language(model).decode(), lib.phraseq_target_language(model).decode()]

lines = open("test.en", encoding="utf-8").read().split("\n")[:-1]
status, result = translate(model, lines, nbest=2, alignment=1)
assert status == 0, lib.phraseq_last_error()
answer["hypotheses"] = []
for i in range(len(lines)):
    of_line = []
    for rank in range(lib.phraseq_hypothesis_count(result, N(i), N(0))):
        count = c_size_t()
        pairs = lib.phraseq_alignment(result, N(i), N(0), N(rank), byref(count))
        of_line.append([lib.phraseq_hypothesis(result, N(i), N(0), N(rank)).decode(),
                        lib.phraseq_score(result, N(i), N(0), N(rank)),
                        [[pairs[2 * p], pairs[2 * p + 1]] for p in range(count.value)],
                        lib.phraseq_log_probability(result, N(i), N(0), N(rank)),
                        " ".join(lib.phraseq_token(result, N(i), N(0), N(rank), N(t)).decode()
                                 for t in range(lib.phraseq_token_count(result, N(i), N(0), N(rank))))])
    answer["hypotheses"].append(of_line)
places = [lib.phraseq_text(result, N(10**6)), lib.phraseq_hypothesis(result, N(0), N(0), N(2)),
          lib.phraseq_source(result, N(0), N(1)), lib.phraseq_text(None, N(0))]
answer["no place"] = [place is None for place in places]
tokens = lib.phraseq_source_token_count(result, N(0), N(0))
answer["source"] = [lib.phraseq_source(result, N(0), N(0)).decode(),
                    [lib.phraseq_source_token(result, N(0), N(0), N(t)).decode() for t in range(tokens)]]
answer["no token"] = lib.phraseq_source_token(result, N(0), N(0), N(tokens)) is None
lib.phraseq_free_result(result)

status, none = translate(model, [b"\xff"])
answer["bad text"] = [status, bool(none), lib.phraseq_last_error().decode()]
status, none = translate(model, ["one"], nbest=5)
answer["bad nbest"] = [status, lib.phraseq_last_error().decode()]
status, none = translate(None, ["one"])
answer["no model"] = [status, lib.phraseq_last_error().decode()]

alone = [best(model, [line])[0] for line in lines]
together = [None] * len(lines)
def work(first):
    for i in range(first, len(lines), 4):
        together[i] = best(model, [lines[i]])[0]
threads = [threading.Thread(target=work, args=(first,)) for first in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
answer["same in threads"] = together == alone
child = os.fork()
if child == 0:  # the model belongs to the parent
    refused = [translate(model, ["one"])[0], load("toy")[0]]
    lib.phraseq_free_model(model)
    os._exit(0 if refused == [2, 2] else 1)
answer["child"] = os.waitpid(child, 0)[1]
answer["after the child"] = best(model, lines[:1]) == alone[:1]
lib.phraseq_free_model(model)
lib.phraseq_free_model(None)
print(json.dumps(answer))
)--";

TEST_F(ServeTest, OffersTheSameThroughTheCInterface) {
  workspace().write("use.py", kProgram);
  const auto outcome = sdk::shell("cd " + workspace().path("") +
                                  " && python3 use.py " PHRASEQ_BUILD_FOLDER
                                  "/lib/libphraseq-translate.so 2>errors || cat errors");
  const auto answer = nlohmann::json::parse(outcome.text, nullptr, false);
  ASSERT_TRUE(answer.is_object()) << outcome.text;
  EXPECT_EQ(answer["languages"], nlohmann::json({"en", "de"}));
  EXPECT_EQ(answer["missing"][0], int{kExitIo});
  EXPECT_EQ(answer["missing"][1], false);
  EXPECT_THAT(answer["missing"][2].get<std::string>(), ::testing::HasSubstr("nothing-there"));
  EXPECT_EQ(answer["option"][0], int{kExitUsage});
  EXPECT_THAT(answer["option"][1].get<std::string>(), ::testing::HasSubstr("--beam"));
  EXPECT_EQ(answer["help"][0], int{kExitUsage});
  EXPECT_THAT(answer["help"][1].get<std::string>(), ::testing::HasSubstr("--help"));
  EXPECT_EQ(answer["threads of OpenMP"], 7);  // still those of the caller
  EXPECT_EQ(answer["bad text"][0], int{kExitData});
  EXPECT_EQ(answer["bad text"][1], false);
  EXPECT_EQ(answer["bad nbest"][0], int{kExitData});
  EXPECT_EQ(answer["no model"][0], int{kExitUsage});
  EXPECT_EQ(answer["no place"], nlohmann::json({true, true, true, true}));
  EXPECT_EQ(answer["same in threads"], true);
  EXPECT_EQ(answer["child"], 0);
  EXPECT_EQ(answer["after the child"], true);
  EXPECT_EQ(answer["limits"][1], 4);
  EXPECT_GT(answer["limits"][0], 100);
  EXPECT_THAT(answer["source"][1], ::testing::Not(::testing::IsEmpty()));
  EXPECT_EQ(answer["no token"], true);
  const auto lines =
      generated(workspace().read("test.en"), "--beam 4 --nbest 2 --format jsonl --print-alignment");
  ASSERT_EQ(answer["hypotheses"].size(), lines.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    const auto expected = nlohmann::json::parse(lines[i])["hypotheses"];
    ASSERT_EQ(answer["hypotheses"][i].size(), expected.size());
    for (size_t rank = 0; rank < expected.size(); ++rank) {
      const auto& found = answer["hypotheses"][i][rank];
      EXPECT_EQ(found[0], expected[rank]["text"]);
      EXPECT_EQ(found[1], expected[rank]["score"]);
      EXPECT_EQ(found[2], expected[rank]["alignment"]);
      EXPECT_EQ(found[3], expected[rank]["log_probability"]);
      EXPECT_EQ(found[4], expected[rank]["symbols"]);
    }
  }
}

}  // namespace
}  // namespace phraseq::serve_test
