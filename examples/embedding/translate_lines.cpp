// Translates the lines of standard input: translate_lines CHECKPOINT [OPTION...] < IN > OUT
#include <iostream>
#include <string>
#include <vector>

#include <phraseq/translate.h>

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const phraseq::api::Model model(arguments.at(0), {arguments.begin() + 1, arguments.end()});
    std::vector<std::string> lines;
    for (std::string line; std::getline(std::cin, line);) lines.push_back(line);
    for (const auto& translation : model.translate(lines)) std::cout << translation.text() << '\n';
    return 0;
  } catch (const std::exception& failure) {
    std::cerr << failure.what() << '\n';
    return 1;
  }
}
