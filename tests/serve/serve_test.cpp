#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/checkpoint/checkpoint_folder.h"
#include "core/serve/access_log.h"
#include "core/serve/http/http_server.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/serve/client.h"
#include "tests/serve/server.h"

namespace phraseq::serve_test {
namespace {

using end_to_end::lines_of;
using end_to_end::words;
using end_to_end::operator+;
using nlohmann::json;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string joined(const std::vector<std::string>& lines, const std::string& end = "\n") {
  std::string text;
  for (const std::string& line : lines) text += line + end;
  return text;
}

/// Sentences of digits that take a while to translate.
std::string long_text(int lines) {
  std::string text;
  for (int i = 0; i < lines; ++i)
    text += "one two three four five six seven eight nine zero one two three four\n";
  return text;
}

std::string error_code(const Response& response) {
  const json body = response.json();
  return body.is_object() && body.contains("error") && body["error"].is_object()
             ? body["error"].value("code", "")
             : "";
}

std::string error_field(const Response& response) {
  return response.json()["error"].value("field", "");
}

TEST_F(ServeTest, TranslatesAsGenerateDoes) {
  const std::string input = workspace().read("test.en");
  const auto sources = lines_of(input);
  const auto lines = generated(input, "--beam 4 --nbest 3 --format jsonl --print-alignment");
  start("--beam 4");
  const Response response =
      post(port(),
           "/v1/translate",
           {{"text", sources}, {"nbest", 3}, {"alignment", true}, {"model", "en-de"}});
  ASSERT_EQ(response.status, 200) << response.body;
  const json answer = response.json();
  ASSERT_EQ(answer["translations"].size(), sources.size());
  EXPECT_EQ(answer["model"], "en-de");
  for (size_t i = 0; i < sources.size(); ++i) {
    const json expected = json::parse(lines[i]);
    const json& sentence = answer["translations"][i]["sentences"][0];
    EXPECT_EQ(sentence["source"], sources[i]);
    EXPECT_EQ(answer["translations"][i]["text"], expected["hypotheses"][0]["text"]);
    ASSERT_EQ(sentence["hypotheses"].size(), 3u);
    for (size_t rank = 0; rank < 3; ++rank) {
      for (const char* key : {"text", "score", "log_probability", "alignment"})
        EXPECT_EQ(sentence["hypotheses"][rank][key], expected["hypotheses"][rank][key]) << key;
    }
  }

  const auto best = generated(input, "--beam 4");
  const Response text = post(port(), "/v1/translate", {{"text", "\n" + joined(sources, "\r\n\n")}});
  EXPECT_EQ(text.json()["translations"][0]["text"], "\n" + joined(best, "\r\n\n"));
}

TEST_F(ServeTest, ForcesPrefixes) {
  start();
  const Response response =
      post(port(),
           "/v1/translate",
           {{"text", {"one two", "three"}}, {"prefix", {"sieben", ""}}, {"nbest", 2}});
  ASSERT_EQ(response.status, 200) << response.body;
  const json translations = response.json()["translations"];
  for (const json& hypothesis : translations[0]["sentences"][0]["hypotheses"])
    EXPECT_THAT(hypothesis["text"].get<std::string>(), StartsWith("sieben"));
  EXPECT_EQ(translations[1]["text"], generated("three\n").at(0));
  const Response unknown = post(port(), "/v1/translate", {{"text", "one"}, {"prefix", "Haus"}});
  EXPECT_EQ(unknown.status, 400);
  EXPECT_EQ(error_field(unknown), "prefix[0]");
  const Response later = post(port(), "/v1/translate", {{"text", " \none"}, {"prefix", "sieben"}});
  EXPECT_THAT(later.json()["translations"][0]["text"].get<std::string>(), StartsWith(" \nsieben"));
  const Response wide =  // an ideographic space, which is no word
      post(port(), "/v1/translate", {{"text", "\u3000\none"}, {"prefix", "sieben"}});
  EXPECT_THAT(wide.json()["translations"][0]["text"].get<std::string>(), StartsWith("\nsieben"));
  for (const char* text : {"", "\u3000"}) {
    const Response none = post(port(), "/v1/translate", {{"text", text}, {"prefix", "sieben"}});
    EXPECT_EQ(none.status, 400);
    EXPECT_EQ(error_field(none), "prefix[0]");
  }
  const Response blank = post(port(), "/v1/translate", {{"text", "one"}, {"prefix", "  "}});
  EXPECT_EQ(blank.status, 400);
  EXPECT_THAT(blank.json()["error"]["message"].get<std::string>(), HasSubstr("expected words"));
}

TEST_F(ServeTest, Samples) {
  start("--sampling --sampling-topk 1");
  const Response response = post(port(), "/v1/translate", {{"text", "one two"}});
  EXPECT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(response.json()["translations"][0]["text"], generated("one two\n", "--beam 1").at(0));
}

TEST_F(ServeTest, RefusesPrefixesThatAreLongerThanTheTranslationMayBe) {
  start("--max-len-b 2");
  const auto answer = [this](const std::string& prefix) {
    return post(port(), "/v1/translate", {{"text", "one two"}, {"prefix", prefix}});
  };
  EXPECT_EQ(answer("sieben sieben").json()["translations"][0]["text"], "sieben sieben");
  const Response refused = answer("sieben sieben sieben");
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(error_field(refused), "prefix[0]");
}

TEST_F(ServeTest, SpeaksTheInterfaceOfLibreTranslate) {
  start();
  const std::string one = generated("one two\n").at(0), other = generated("nine\n").at(0);
  const json single = {
      {"q", "one two"}, {"source", "en"}, {"target", "de"}, {"format", "text"}, {"api_key", ""}};
  EXPECT_EQ(post(port(), "/translate", single).json(), json({{"translatedText", one}}));
  const json list = {
      {"q", {"one two", "nine"}}, {"source", "auto"}, {"target", "de"}, {"alternatives", 2}};
  const json answer = post(port(), "/translate", list).json();
  EXPECT_EQ(answer["translatedText"], json({one, other}));
  const json detected_source = {{"confidence", 100}, {"language", "en"}};
  EXPECT_EQ(answer["detectedLanguage"], json({detected_source, detected_source}));
  ASSERT_EQ(answer["alternatives"].size(), 2u);
  const auto hypotheses = generated("one two\n", "--nbest 3 --format jsonl");
  const json expected = json::parse(hypotheses.at(0))["hypotheses"];
  EXPECT_EQ(answer["alternatives"][0], json({expected[1]["text"], expected[2]["text"]}));

  const Response form = ask(port(),
                            "POST",
                            "/translate",
                            "q=one+%74wo&source=en&target=de",
                            "Content-Type: application/x-www-form-urlencoded\r\n");
  EXPECT_EQ(form.json(), json({{"translatedText", one}})) << form.body;
  const Response sent_by_curl = ask(port(),
                                    "POST",
                                    "/translate",
                                    single.dump(),
                                    "Content-Type: application/x-www-form-urlencoded\r\n");
  EXPECT_EQ(sent_by_curl.json(), json({{"translatedText", one}})) << sent_by_curl.body;
  const Response parts =
      ask(port(),
          "POST",
          "/translate",
          "--x\r\nContent-Disposition: form-data; name=\"q\"\r\n\r\none\r\n--x--\r\n",
          "Content-Type: multipart/form-data; boundary=x\r\n");
  EXPECT_EQ(parts.status, 400);
  EXPECT_THAT(parts.body, HasSubstr("multipart forms are not supported"));
  EXPECT_EQ(ask(port(), "GET", "/languages").json(),
            json::parse(R"([{"code":"de","name":"German","targets":[]},
                            {"code":"en","name":"English","targets":["de"]}])"));
  const Response detected = ask(port(), "POST", "/detect", "q=one");
  EXPECT_EQ(detected.status, 501);
  EXPECT_TRUE(detected.json()["error"].is_string());
  for (const json& wrong :
       {json{{"source", "en"}, {"target", "de"}},
        json{{"q", "one"}, {"target", "de"}},
        json{{"q", "one"}, {"source", "de"}, {"target", "en"}},
        json{{"q", "one"}, {"source", "en"}, {"target", "de"}, {"format", "html"}}}) {
    const Response refused = post(port(), "/translate", wrong);
    EXPECT_EQ(refused.status, 400) << refused.body;
    EXPECT_TRUE(refused.json()["error"].is_string());
  }
}

TEST_F(ServeTest, DescribesItself) {
  start("--path digits=toy --beam 7");
  EXPECT_EQ(ask(port(), "GET", "/health").json(), json({{"status", "ok"}}));
  const json models = ask(port(), "GET", "/v1/models").json()["models"];
  ASSERT_EQ(models.size(), 1u);
  EXPECT_EQ(models[0]["name"], "digits");
  EXPECT_EQ(models[0]["source"], "en");
  EXPECT_EQ(models[0]["max_nbest"], 7);
  ASSERT_EQ(post(port(), "/v1/translate", {{"text", {"one", "two"}}}).status, 200);
  EXPECT_THAT(ask(port(), "GET", "/metrics").body,
              AllOf(HasSubstr("phraseq_sentences_total{model=\"digits\"} 2\n"),
                    HasSubstr("route=\"/v1/translate\",status=\"200\"} 1\n"),
                    HasSubstr("phraseq_http_request_seconds_bucket{le=\"+Inf\"} 3\n")));
  const Response page = ask(port(), "GET", "/");
  EXPECT_THAT(page.headers.at("content-type"), StartsWith("text/html"));
  EXPECT_THAT(page.body, AllOf(HasSubstr("<textarea"), HasSubstr("</html>")));
  const Response head = ask(port(), "HEAD", "/");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.headers.at("content-length"), std::to_string(page.body.size()));
}

/// Trains a language model of the toy text in the folder `name`; `preprocess` names its text.
void train_language_model(end_to_end::Workspace& workspace,
                          const std::string& name,
                          const std::string& preprocess) {
  workspace.run(words("preprocess --only-source " + preprocess + " --destdir data-" + name));
  const auto train = workspace.run(
      words("train data-" + name + " --save-dir " + name +
            " --task language_modeling --arch transformer_lm --decoder-embed-dim 16 "
            "--decoder-ffn-embed-dim 16 --decoder-layers 1 --decoder-attention-heads 2 "
            "--share-decoder-input-output-embed --tokens-per-sample 24 --max-tokens 400 "
            "--max-update 1 --threads 1 --no-plot"));
  ASSERT_EQ(train.exit_code, kExitOk) << train.errors;
}

TEST_F(ServeTest, WarnsOfAModelThatRequestsByLanguageCannotReach) {
  start("--path first=toy,second=toy");
  EXPECT_TRUE(wait_for_log("the models 'first' and 'second' both translate from en to de"))
      << log();
}

TEST_F(ServeTest, ContinuesTextWithLanguageModels) {
  train_language_model(workspace(), "english", "-s en --trainpref train --validpref dev");
  train_language_model(workspace(), "nameless", "--trainpref train.en --validpref dev.en");
  start("--path toy,english," + workspace().path("nameless/"));
  const json models = ask(port(), "GET", "/v1/models").json()["models"];
  EXPECT_EQ(models[1]["name"], "en");
  EXPECT_EQ(models[2]["name"], "nameless");
  const json asked = {{"text", "one two"}, {"model", "en"}};
  const Response answer = post(port(), "/v1/translate", asked);
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_THAT(answer.json()["translations"][0]["text"].get<std::string>(), StartsWith("one two"));
  json forced = asked;
  forced["prefix"] = "one two three";
  const Response refused = post(port(), "/v1/translate", forced);
  EXPECT_EQ(refused.status, 400) << refused.body;
  EXPECT_EQ(error_field(refused), "prefix[0]");
  EXPECT_EQ(ask(port(), "GET", "/languages").json().size(), 2u);
  const Response libre =
      post(port(), "/translate", {{"q", "one"}, {"source", "en"}, {"target", "en"}});
  EXPECT_EQ(libre.status, 400) << libre.body;
}

TEST_F(ServeTest, SendsARefusalWholeAfterAHeadOnTheSameConnection) {
  start("--path toy");
  Connection connection(port());
  ASSERT_TRUE(connection.send(request_text("HEAD", "/health")));
  EXPECT_EQ(connection.receive(/*has_body=*/false).status, 200);
  ASSERT_TRUE(connection.send("this is no HTTP\r\n\r\n"));
  const Response refusal = connection.receive();
  EXPECT_EQ(refusal.status, 400);
  EXPECT_EQ(refusal.json()["error"]["code"], "bad_request");
}

TEST_F(ServeTest, NamesWhatIsWrongInARequest) {
  start();
  const auto expect =
      [this](const std::string& body, const std::string& code, const std::string& field) {
        const Response response = ask(port(), "POST", "/v1/translate", body);
        EXPECT_EQ(response.status, 400) << body << response.body;
        EXPECT_EQ(error_code(response), code) << response.body;
        EXPECT_EQ(error_field(response), field) << response.body;
      };
  expect("", "bad_json", "");
  expect("{\"text\": ", "bad_json", "");
  expect("[\"one\"]", "bad_json", "");
  expect(std::string("{\"text\": \"one\"}\0 and more", 25), "bad_json", "");
  expect(std::string(100000, '['), "bad_json", "");
  expect("{\"text\": \"\xC3\x28\"}", "invalid_utf8", "");
  expect("{\"text\": \"\\ud800\"}", "bad_json", "");
  expect("{}", "bad_request", "text");
  expect("{\"text\": 7}", "bad_request", "text");
  expect("{\"text\": [\"one\", null]}", "bad_request", "text[1]");
  expect("{\"text\": [\"one\", \"a\\u0000b\"]}", "bad_request", "text[1]");
  expect("{\"text\": \"one\", \"nbest\": 1.5}", "bad_request", "nbest");
  expect("{\"text\": \"one\", \"nbest\": 0}", "bad_request", "nbest");
  expect("{\"text\": \"one\", \"nbest\": 99999999999999999999}", "bad_request", "nbest");
  expect("{\"text\": \"one\", \"alignment\": \"yes\"}", "bad_request", "alignment");
  expect("{\"text\": \"one\", \"split\": \"all\"}", "bad_request", "split");
  expect("{\"text\": \"one\", \"prefix\": [\"a\", \"b\"]}", "bad_request", "prefix");
  expect("{\"text\": \"one\", \"beam\": 3}", "bad_request", "beam");
  expect("{\"text\": \"one\", \"nbest\": 1, \"text\": \"two\"}", "bad_request", "text");
  EXPECT_EQ(error_code(post(port(), "/v1/translate", {{"text", "one"}, {"model", "xx"}})),
            "model_not_found");
  EXPECT_THAT(ask(port(), "POST", "/v1/translate", "{\"text\": ").body,
              HasSubstr("\"the body is not valid JSON: error at byte "));
  EXPECT_THAT(post(port(), "/v1/translate", {{"text", "one"}, {"model", "xx"}}).body,
              HasSubstr("\"there is no model 'xx'; choose one of: en-de\""));
  EXPECT_EQ(ask(port(), "POST", "/v1/translate", R"({"text": "one", "model": "\u0000x"})")
                .json()["error"]["message"],
            R"(there is no model '\x00x'; choose one of: en-de)");
  EXPECT_EQ(ask(port(), "GET", "/nothing").status, 404);
  const Response method = ask(port(), "DELETE", "/v1/translate");
  EXPECT_EQ(method.status, 405);
  EXPECT_EQ(method.headers.at("allow"), "POST");
  EXPECT_EQ(post(port(), "/v1/translate", {{"text", json::array()}}).json()["translations"],
            json::array());
}

TEST_F(ServeTest, RefusesWhatExceedsALimit) {
  start("--max-body-bytes 2000 --max-text-length 60 --max-texts 3");
  EXPECT_EQ(error_code(post(port(), "/v1/translate", {{"text", std::string(61, 'x')}})),
            "text_too_long");
  EXPECT_EQ(error_code(post(port(), "/v1/translate", {{"text", {"a", "b", "c", "d"}}})),
            "too_many_texts");
  // The limit counts characters: 60 characters of two bytes are accepted.
  std::string wide;
  for (int i = 0; i < 60; ++i) wide += "é";
  EXPECT_EQ(post(port(), "/v1/translate", {{"text", wide}}).status, 200);

  const std::string big(10 << 20, 'x');
  const Response too_big = ask(port(), "POST", "/v1/translate", big);
  EXPECT_EQ(too_big.status, 413);
  EXPECT_EQ(error_code(too_big), "body_too_large");
  {
    Connection chunked(port());
    chunked.send("POST /translate HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 3; ++i) chunked.send("3e8\r\n" + std::string(1000, 'x') + "\r\n");
    const Response response = chunked.receive();
    EXPECT_EQ(response.status, 413);
    EXPECT_TRUE(response.json()["error"].is_string()) << response.body;
  }
  EXPECT_EQ(ask(port(), "GET", "/", "", "X-Long: " + std::string(20000, 'x') + "\r\n").status, 431);
  for (const char* endless : {"1;x=", "0\r\nX-Long: ", "0000000000"}) {
    Connection chunked(port());
    chunked.send("POST /translate HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
    chunked.send(endless + std::string(200000, '0'));
    EXPECT_THAT(chunked.receive().status, ::testing::AnyOf(400, 413, 431)) << endless;
  }
  stop(SIGTERM);
  start("--read-timeout 1");  // long enough for the requests above on a busy machine
  Connection slow(port());
  slow.send("POST /v1/translate HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{");
  const Response response = slow.receive();
  EXPECT_EQ(response.status, 408);
  EXPECT_EQ(error_code(response), "request_timeout");
}

TEST_F(ServeTest, FollowsMinorRulesOfHttp) {
  start();
  const Response health = ask(port(), "GET", "/health");
  EXPECT_THAT(health.headers.at("date"), ::testing::MatchesRegex("..., .. ... .... ..:..:.. GMT"));
  EXPECT_EQ(ask(port(), "PUT", "/health").headers.at("allow"), "GET, HEAD");
  EXPECT_EQ(ask(port(), "POST", "/v1/translate", "x", "Content-Encoding: gzip\r\n").status, 415);
  Connection generous(port());  // an empty line after the body
  generous.send(request_text("POST", "/v1/translate", R"({"text": "one"})") + "\r\n" +
                request_text("GET", "/health"));
  EXPECT_EQ(generous.receive().status, 200);
  EXPECT_EQ(generous.receive().status, 200);
  Connection early(port());  // empty lines before the request, on their own
  early.send("\r\n\r\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  early.send("\r\n" + request_text("GET", "/health"));
  EXPECT_EQ(early.receive().status, 200);
}

TEST_F(ServeTest, LimitsTheTimeOfARequestFromItsFirstByte) {
  start("--read-timeout 2");
  Connection connection(port());
  const std::string request = request_text("GET", "/health");
  std::this_thread::sleep_for(std::chrono::milliseconds(1200));
  connection.send(request.substr(0, 10));
  std::this_thread::sleep_for(std::chrono::milliseconds(1200));
  connection.send(request.substr(10));
  EXPECT_EQ(connection.receive().status, 200);
}

TEST_F(ServeTest, RefusesRequestsThatDoNotNameTheHostOnce) {
  start();
  const auto status = [this](const std::string& request) {
    Connection connection(port());
    connection.send(request);
    return connection.receive().status;
  };
  EXPECT_EQ(status("GET / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(status("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), 400);
  EXPECT_EQ(status("GET / HTTP/1.0\r\n\r\n"), 200);
  EXPECT_EQ(status("GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n"), 400);
}

TEST_F(ServeTest, RefusesBodiesInAnUnknownTransferCoding) {
  start();
  const std::string hidden = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n";
  for (const std::string& coding :
       {std::string("gzip"), std::string("gzip, chunked"), std::string("identity")}) {
    Connection connection(port());
    connection.send("POST /v1/translate HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: " + coding +
                    "\r\n\r\n" + hidden);
    const Response response = connection.receive();
    EXPECT_EQ(response.status, 501) << coding;
    EXPECT_EQ(error_code(response), "not_implemented") << coding;
    EXPECT_EQ(connection.receive().status, 0) << coding;  // the body is not treated as a request
  }
  Connection chunked(port());
  chunked.send(
      "POST /v1/translate HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\n\r\n"
      "f\r\n{\"text\": \"one\"}\r\n0\r\n\r\n");
  EXPECT_EQ(chunked.receive().status, 200);
}

TEST_F(ServeTest, AcceptsTargetsThatNameSchemeAndHost) {
  start();
  EXPECT_EQ(ask(port(), "GET", "http://127.0.0.1/health?now").json(), json({{"status", "ok"}}));
  EXPECT_EQ(ask(port(), "GET", "http://127.0.0.1:80?a=/b").status, 200);
  EXPECT_EQ(ask(port(), "GET", "/http://127.0.0.1/health").status, 404);
}

TEST_F(ServeTest, RefusesMoreConnectionsThanItsLimit) {
  start("--max-connections 2");
  Connection first(port());  // a connection of its own, as a closed one may count for a while
  first.send(request_text("GET", "/metrics"));
  EXPECT_THAT(first.receive().body, HasSubstr("\nphraseq_http_connections 1\n"));
  Connection second(port()), third(port());
  const Response refused = third.receive();
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(error_code(refused), "too_many_connections");
  EXPECT_EQ(refused.headers.count("retry-after"), 1u);
  first.close();  // the third connection was refused and does not count, although it is open
  int status = 0;
  for (int attempt = 0; attempt < 40 && status != 200; ++attempt) {
    status = ask(port(), "GET", "/health").status;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_EQ(status, 200);
}

TEST_F(ServeTest, AnswersInTimeOrSaysSo) {
  start("--request-timeout 0.02");
  const Response late = post(port(), "/v1/translate", {{"text", long_text(1000)}});
  EXPECT_EQ(late.status, 504);
  EXPECT_EQ(error_code(late), "timeout");
  EXPECT_THAT(ask(port(), "GET", "/metrics").body,
              AllOf(HasSubstr("phraseq_http_request_seconds_bucket{le=\"0.01\"} 0\n"),
                    HasSubstr("phraseq_http_request_seconds_sum 0.02\n")));
  ASSERT_TRUE(wait_for_metric("phraseq_requests_waiting{model=\"en-de\"}", "0"));
  EXPECT_EQ(ask(port(), "GET", "/health").status, 200);
}

TEST_F(ServeTest, FinishesWhatItAcceptedAndRefusesMoreThanItsQueueHolds) {
  start("--max-queue 1 --max-text-length 1000000 --request-timeout 600");
  const std::string text = long_text(4000);
  Response first;
  std::thread client([&] { first = post(port(), "/v1/translate", {{"text", text}}); });
  ASSERT_TRUE(wait_for_metric("phraseq_requests_waiting{model=\"en-de\"}", "1"));
  const Response second = post(port(), "/v1/translate", {{"text", "one"}});
  EXPECT_EQ(second.status, 503);
  EXPECT_EQ(error_code(second), "queue_full");
  EXPECT_EQ(second.headers.count("retry-after"), 1u);
  Connection kept(port());
  kept.send(request_text("GET", "/health"));
  EXPECT_EQ(kept.receive().status, 200);

  send(SIGTERM);
  const auto result = stop(SIGTERM);  // the second one changes nothing
  client.join();
  EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
  EXPECT_EQ(first.status, 200) << first.body;
  EXPECT_EQ(first.json()["translations"][0]["text"], joined(generated(text)));
  EXPECT_TRUE(kept.is_at_end());
  EXPECT_FALSE(Connection(port()).is_open());
}

TEST_F(ServeTest, StopsWithoutTheRestOfARequestThatDoesNotCome) {
  start();
  Connection half(port());
  ASSERT_TRUE(half.send("POST /v1/translate HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n{"));
  EXPECT_EQ(ask(port(), "GET", "/health").status, 200);  // so the server has read the half request
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(stop(SIGTERM).exit_code, kExitOk);
  EXPECT_LT(std::chrono::steady_clock::now() - began,
            std::chrono::seconds(9));  // --read-timeout 30
}

TEST_F(ServeTest, StopsWithoutWaitingForAClientThatItHasRefused) {
  start();
  Connection refused(port());
  ASSERT_TRUE(refused.send("nonsense\r\n\r\n"));
  EXPECT_EQ(refused.receive().status, 400);
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(stop(SIGTERM).exit_code, kExitOk);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(4));
}

/// See RFC 9110, section 10.1.1.
TEST_F(ServeTest, DoesNotInviteABodyOfHttp10) {
  start();
  Connection old(port());
  const std::string body = R"({"text": "one"})";
  old.send(fmt::format(
      "POST /v1/translate HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: {}\r\n\r\n{}",
      body.size(),
      body));
  EXPECT_EQ(old.receive().status, 200);
}

TEST_F(ServeTest, StopsAtOnceAfterARequestThatTookTooLong) {
  start("--request-timeout 0.02");
  EXPECT_EQ(post(port(), "/v1/translate", {{"text", long_text(1000)}}).status, 504);
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(stop(SIGTERM).exit_code, kExitOk);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(8));
}

TEST_F(ServeTest, LimitsTheRequestsOfAClient) {
  start("--max-requests-per-client 1 --max-text-length 1000000 --request-timeout 600");
  Response first;
  std::thread client([&] { first = post(port(), "/v1/translate", {{"text", long_text(3000)}}); });
  ASSERT_TRUE(wait_for_metric("phraseq_requests_waiting{model=\"en-de\"}", "1"));
  const Response second = post(port(), "/v1/translate", {{"text", "one"}});
  EXPECT_EQ(second.status, 429);
  EXPECT_EQ(error_code(second), "too_many_requests");
  client.join();
  EXPECT_EQ(first.status, 200);
  EXPECT_EQ(post(port(), "/v1/translate", {{"text", "one"}}).status, 200);
}

TEST_F(ServeTest, NeverGivesAClientTheAnswerOfAnother) {
  const std::string input = end_to_end::toy_text(160, 9).english;
  const auto sources = lines_of(input), expected = generated(input);
  start("--workers 2");
  constexpr size_t kClients = 16;
  std::atomic<int> wrong = 0, right = 0;
  std::vector<std::thread> clients;
  for (size_t number = 0; number < kClients; ++number) {
    clients.emplace_back([&, number] {
      Connection connection(port());
      for (size_t i = number; i < sources.size(); i += kClients) {
        const json body = {{"text", sources[i]}, {"alignment", i % 3 == 0}};
        connection.send(request_text("POST", "/v1/translate", body.dump()));
        const json answer = connection.receive().json();
        const bool good = answer.contains("translations") &&
                          answer["translations"][0]["text"] == expected[i] &&
                          answer["translations"][0]["sentences"][0]["source"] == sources[i];
        ++(good ? right : wrong);
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(right, static_cast<int>(sources.size()));
}

TEST_F(ServeTest, SurvivesGarbageAndClientsThatLeave) {
  start();
  std::string noise;
  for (unsigned i = 0; i < 5000; ++i) noise += static_cast<char>((i * 2654435761u) >> 13);
  for (const std::string& garbage :
       {noise,
        std::string(300, '\0'),
        std::string("GET\r\n\r\n"),
        std::string("POST /v1/translate HTTP/1.1\r\nContent-Length: -5\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")}) {
    Connection connection(port());
    connection.send(garbage);
    EXPECT_EQ(connection.receive().status, 400) << garbage.substr(0, 40);
  }
  const json body = {{"text", long_text(20)}};
  const std::string request = request_text("POST", "/v1/translate", body.dump());
  for (const size_t sent : {size_t{1}, request.size() / 2, request.size() - 1, request.size()})
    Connection(port()).send(std::string_view(request).substr(0, sent));
  Connection pipelined(port());
  const auto simple = [](const char* text) {
    return request_text("POST", "/v1/translate", json({{"text", text}}).dump());
  };
  pipelined.send(simple("one") + simple("two"));
  EXPECT_EQ(pipelined.receive().json()["translations"][0]["sentences"][0]["source"], "one");
  EXPECT_EQ(pipelined.receive().json()["translations"][0]["sentences"][0]["source"], "two");
  Connection expecting(port());
  const std::string small = json({{"text", "one"}}).dump();
  expecting.send(
      fmt::format("POST /v1/translate HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"
                  "Content-Length: {}\r\n\r\n",
                  small.size()));
  EXPECT_EQ(expecting.receive(false).status, 100);
  expecting.send(small);
  EXPECT_EQ(expecting.receive().status, 200);
  EXPECT_EQ(stop(SIGINT).exit_code, kExitOk);
}

TEST_F(ServeTest, IgnoresAnInterruptThatItsCallerIgnores) {
  const auto earlier = std::signal(SIGINT, SIG_IGN);  // the server inherits it
  start();
  std::signal(SIGINT, earlier);
  for (int i = 1; i <= 2; ++i) {  // if both signals are pending, the server handles SIGHUP first
    send(SIGINT);
    send(SIGHUP);
    EXPECT_TRUE(wait_for_metric("phraseq_reloads_total{result=\"ok\"}", std::to_string(i)));
  }
  EXPECT_THAT(log(), Not(HasSubstr("Stopping")));
  EXPECT_EQ(stop(SIGTERM).exit_code, kExitOk);
}

TEST_F(ServeTest, AsksForAKey) {
  workspace().write("keys", "# of the test\nsecret-1\n\n secret-2 \n");
  start("--api-keys keys");
  const auto status = [this](const std::string& headers) {
    return ask(port(), "POST", "/v1/translate", "{\"text\": \"one\"}", headers).status;
  };
  EXPECT_EQ(status(""), 401);
  EXPECT_EQ(status("Authorization: Bearer secret\r\n"), 401);
  EXPECT_EQ(status("Authorization: Bearer secret-11\r\n"), 401);
  EXPECT_EQ(status("Authorization: bearer secret-1\r\n"), 200);
  EXPECT_EQ(status("Authorization: Bearer  secret-1\r\n"), 200);
  EXPECT_EQ(status("X-API-Key: secret-2\r\n"), 200);
  Connection trailing(port());  // a trailer after the body is not part of the header
  trailing.send(
      "POST /v1/translate HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
      "f\r\n{\"text\": \"one\"}\r\n0\r\nAuthorization: Bearer secret-1\r\n\r\n");
  EXPECT_EQ(trailing.receive().status, 401);
  json libre = {{"q", "one"}, {"source", "en"}, {"target", "de"}};
  EXPECT_EQ(post(port(), "/translate", libre).status, 401);
  libre["api_key"] = "secret-1";
  EXPECT_EQ(post(port(), "/translate", libre).status, 200);
  EXPECT_EQ(post(port(), "/detect", {{"q", "one"}, {"api_key", "secret-1"}}).status, 501);
  EXPECT_EQ(ask(port(), "GET", "/v1/models").status, 401);
  EXPECT_EQ(ask(port(), "GET", "/metrics").status, 401);
  EXPECT_EQ(ask(port(), "GET", "/health").status, 200);
}

TEST_F(ServeTest, ReadsTheKeysAgainAndKeepsTheOldOnesOnFailure) {
  workspace().write("keys", "first\n");
  start("--api-keys keys");
  const auto status = [this](const std::string& key) {
    return ask(port(), "GET", "/v1/models", "", "X-API-Key: " + key + "\r\n").status;
  };
  EXPECT_EQ(status("first"), 200);
  EXPECT_EQ(status("second"), 401);
  workspace().write("keys", "second\n");
  send(SIGHUP);
  ASSERT_TRUE(wait_for_log("Loaded the models again")) << log();
  EXPECT_EQ(status("first"), 401);
  EXPECT_EQ(status("second"), 200);
  workspace().write("keys", "# none\n");
  send(SIGHUP);
  EXPECT_TRUE(wait_for_log("The API keys were not read again")) << log();
  EXPECT_EQ(status("second"), 200);
}

TEST(AccessLine, IsThatOfTheCommonLogFormatAndHidesNoByte) {
  HttpExchange exchange;
  exchange.address = "::1";
  exchange.user = "key2";
  exchange.method = "POST";
  exchange.path = "/v1/\"a b\xC3\n";
  exchange.status = 200;
  exchange.bytes = 12;
  exchange.seconds = 0.25;
  EXPECT_EQ(access_line(exchange, 86399),
            "::1 - key2 [01/Jan/1970:23:59:59 +0000] \"POST /v1/\\x22a\\x20b\\xC3\\x0A "
            "HTTP/1.1\" 200 12 0.250\n");
  EXPECT_THAT(access_line({}, 0), HasSubstr("- - - [01/Jan/1970:00:00:00 +0000] \"- - HTTP/1.1\""));
}

TEST_F(ServeTest, LogsRequestsButNoTexts) {
  workspace().write("access-keys", "one\ntwo\n");
  start("--api-keys access-keys --access-log access.log");
  const std::string key = "Authorization: Bearer two\r\n";
  const Response answer =
      ask(port(), "POST", "/v1/translate", R"({"text": "one two"})", key + "X-Extra: 1\r\n");
  EXPECT_EQ(answer.status, 200) << answer.body;
  // The line is written after the answer, so the client may have the answer before.
  EXPECT_TRUE(wait_for_lines("access.log", 1));
  EXPECT_EQ(ask(port(), "GET", "/nothing?api_key=two").status, 404);
  EXPECT_TRUE(wait_for_lines("access.log", 2));
  std::filesystem::rename(workspace().path("access.log"), workspace().path("access.log.1"));
  send(SIGHUP);
  EXPECT_TRUE(wait_for_log("Loaded the models again"));
  EXPECT_EQ(ask(port(), "GET", "/health").status, 200);
  stop(SIGTERM);
  const auto earlier = lines_of(workspace().read("access.log.1"));
  ASSERT_EQ(earlier.size(), 2U);
  EXPECT_THAT(
      earlier[0],
      ::testing::MatchesRegex("127.0.0.1 - key2 \\[.*\\] \"POST /v1/translate HTTP/1.1\" 200 " +
                              std::to_string(answer.body.size()) + " [0-9.]+"));
  EXPECT_THAT(earlier[1], HasSubstr("\"GET /nothing HTTP/1.1\" 404 "));
  EXPECT_THAT(workspace().read("access.log"), HasSubstr("\"GET /health HTTP/1.1\" 200 "));
}

TEST_F(ServeTest, ReportsAnAccessLogThatCannotBeOpened) {
  const auto result =
      workspace().run(words("serve --path toy --port 0 --access-log none/access.log"));
  EXPECT_EQ(result.exit_code, kExitIo);
  EXPECT_THAT(result.errors, HasSubstr("none/access.log: cannot open for appending"));
  EXPECT_THAT(result.errors, Not(HasSubstr("Loaded"))) << "the file is found too late";
}

TEST_F(ServeTest, DropsTheRequestOfAClientThatLeaves) {
  start("--max-text-length 10000000 --max-body-bytes 20000000 --request-timeout 600");
  const std::string endless = json({{"text", long_text(40000)}}).dump();
  {
    Connection leaving(port());
    ASSERT_TRUE(leaving.send(request_text("POST", "/v1/translate", endless)));
    ASSERT_TRUE(wait_for_metric("phraseq_requests_waiting{model=\"en-de\"}", "1"));
  }
  EXPECT_TRUE(
      wait_for_metric("phraseq_http_requests_total{route=\"/v1/translate\",status=\"499\"}", "1"));
  EXPECT_TRUE(wait_for_metric("phraseq_requests_waiting{model=\"en-de\"}", "0"));
  EXPECT_EQ(post(port(), "/v1/translate", {{"text", "one"}}).status, 200);
}

TEST_F(ServeTest, LoadsReplacedModelsAndKeepsTheOldOnesOnFailure) {
  const auto trained =
      workspace().run(end_to_end::toy_train("second", 300) + words("--threads 1 --seed 5"));
  ASSERT_EQ(trained.exit_code, kExitOk) << trained.errors;
  const std::string input = workspace().read("test.en");
  const auto before = generated(input);
  start();
  const auto translated = [&] {
    return post(port(), "/v1/translate", {{"text", input}}).json()["translations"][0]["text"];
  };
  EXPECT_EQ(translated(), joined(before));

  std::atomic<bool> done = false;
  std::atomic<int> lost = 0;
  std::thread client([&] {
    while (!done)
      lost += post(port(), "/v1/translate", {{"text", "one two"}}).status == 200 ? 0 : 1;
  });
  namespace fs = std::filesystem;
  fs::copy_file(resolve_checkpoint(workspace().path("second/checkpoint_best")),
                workspace().path("new"));
  fs::rename(workspace().path("new"), workspace().path("toy"));
  send(SIGHUP);
  EXPECT_TRUE(wait_for_log("Loaded the models again")) << log();
  const auto after = generated(input);
  EXPECT_NE(after, before);
  EXPECT_EQ(translated(), joined(after));

  workspace().write("damaged", "not a checkpoint");
  fs::rename(workspace().path("damaged"), workspace().path("toy"));
  send(SIGHUP);
  EXPECT_TRUE(wait_for_log("the old models remain in use")) << log();
  EXPECT_EQ(translated(), joined(after));
  done = true;
  client.join();
  EXPECT_EQ(lost, 0);
  EXPECT_THAT(ask(port(), "GET", "/metrics").body,
              AllOf(HasSubstr("phraseq_reloads_total{result=\"ok\"} 1\n"),
                    HasSubstr("phraseq_reloads_total{result=\"failed\"} 1\n")));
  fs::copy_file(resolve_checkpoint(workspace().path("model/checkpoint_best")),
                workspace().path("toy"),
                fs::copy_options::overwrite_existing);
}

TEST_F(ServeTest, CountsWhatItFinishesAfterLoadingTheModelsAgain) {
  start("--max-text-length 1000000 --request-timeout 600");
  Response response;
  std::thread client([&] {
    response = post(port(), "/v1/translate", {{"text", long_text(2000)}});
  });
  EXPECT_TRUE(wait_for_metric("phraseq_requests_waiting{model=\"en-de\"}", "1"));
  send(SIGHUP);
  client.join();
  EXPECT_EQ(response.status, 200);
  EXPECT_TRUE(wait_for_metric("phraseq_sentences_total{model=\"en-de\"}", "2000"));
  EXPECT_TRUE(wait_for_log("Loaded the models again")) << log();
  EXPECT_TRUE(wait_for_metric("phraseq_sentences_total{model=\"en-de\"}", "2000"));
}

TEST(PlaceText, HasBracketsAroundAnAddressWithColons) {
  EXPECT_EQ(place_text("localhost", 80), "localhost:80");
  EXPECT_EQ(place_text("::1", 80), "[::1]:80");
}

TEST_F(ServeTest, TakesAnAddressInBrackets) {
  const auto result = workspace().run(words("serve --path toy --host [192.0.2.1] --port 80"));
  EXPECT_EQ(result.exit_code, kExitIo);
  EXPECT_THAT(result.errors, HasSubstr("192.0.2.1:80: cannot listen at"));
}

TEST_F(ServeTest, ReportsAtOnceWhyItCannotServe) {
  start();
  const auto taken = workspace().run(words("serve --path toy --port " + std::to_string(port())));
  EXPECT_EQ(taken.exit_code, kExitIo);
  EXPECT_THAT(taken.errors, HasSubstr("127.0.0.1:" + std::to_string(port())));
  const auto twice = workspace().run(words("serve --path toy,toy"));
  EXPECT_EQ(twice.exit_code, kExitUsage);
  EXPECT_THAT(twice.errors, HasSubstr("two models have the name 'en-de'"));
  const auto none = workspace().run(end_to_end::Arguments{"serve", "--path", ""});
  EXPECT_EQ(none.exit_code, kExitUsage);
  EXPECT_THAT(none.errors, HasSubstr("--path contains no model: expected FILE or NAME=FILE"));
  workspace().write("empty", "# none\n");
  const auto keys = workspace().run(words("serve --path toy --api-keys empty"));
  EXPECT_EQ(keys.exit_code, kExitData);
  const auto prefix = workspace().run(words("serve --path toy --prefix-size 2 --host 192.0.2.1"));
  EXPECT_EQ(prefix.exit_code, kExitUsage);
  EXPECT_THAT(prefix.errors, HasSubstr("--prefix-size"));
  const auto unused = workspace().run(words("serve --path toy --constraints"));
  EXPECT_EQ(unused.exit_code, kExitUsage);
  EXPECT_THAT(unused.errors, HasSubstr("--constraints"));
}

TEST_F(ServeTest, HandlesSignalsInTurnWhileItLoadsTheModelsAgain) {
  start();
  for (int i = 0; i < 100; ++i) {  // some of them arrive while the models are being loaded
    send(SIGHUP);
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
  }
  EXPECT_TRUE(wait_for_log("Loaded the models again")) << log();
  EXPECT_TRUE(is_running());
  send(SIGHUP);
  const auto end = stop(SIGTERM);
  EXPECT_EQ(end.exit_code, kExitOk);
  EXPECT_THAT(end.errors, HasSubstr("Stopped"));
}

}  // namespace
}  // namespace phraseq::serve_test
