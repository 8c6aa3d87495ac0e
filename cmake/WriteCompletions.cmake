# `cmake --install` runs this: `phraseq completion` writes the completion scripts of bash, zsh and fish.
set(share $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share)
foreach(place bash:bash-completion/completions/phraseq zsh:zsh/site-functions/_phraseq
        fish:fish/vendor_completions.d/phraseq.fish)
  string(REGEX MATCH "^([a-z]+):(.*)$" parts ${place})
  set(shell ${CMAKE_MATCH_1})
  set(file ${share}/${CMAKE_MATCH_2})
  get_filename_component(folder ${file} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  execute_process(COMMAND ${CMAKE_COMMAND} -E env --unset=PHRASEQ_PLUGIN_PATH
                          ${PHRASEQ_BUILD_FOLDER}/bin/phraseq-completion ${shell}
                  OUTPUT_FILE ${file} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
