# `cmake --install` runs this: every command writes its own manual page.
set(folder $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share/man/man1)
file(MAKE_DIRECTORY ${folder})
file(GLOB programs ${PHRASEQ_BUILD_FOLDER}/bin/phraseq ${PHRASEQ_BUILD_FOLDER}/bin/phraseq-*)
foreach(program IN LISTS programs)
  get_filename_component(name ${program} NAME)
  execute_process(COMMAND ${program} --help-man OUTPUT_FILE ${folder}/${name}.1 COMMAND_ERROR_IS_FATAL ANY)
endforeach()
