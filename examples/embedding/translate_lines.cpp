// Translates the lines of standard input: translate_lines CHECKPOINT [OPTION...] < IN > OUT
#include <iostream>
#include <string>
#include <vector>

#include <phraseq/translate.h>

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: translate_lines CHECKPOINT [OPTION...] < IN > OUT\n";
    return 2;
  }
  try {
    const phraseq::api::Model model(argv[1], std::vector<std::string>(argv + 2, argv + argc));
    std::vector<std::string> lines;
    for (std::string line; std::getline(std::cin, line);) lines.push_back(line);
    for (const auto& translation : model.translate(lines)) std::cout << translation.text() << '\n';
    return 0;
  } catch (const std::exception& failure) {
    std::cerr << failure.what() << '\n';
    return 1;
  }
}
