# libglovebox.a: everything a program needs to embed a Runner, in one archive.
function(glovebox_single_archive output)
  set(script "CREATE ${output}\n")
  foreach(library IN LISTS ARGN)
    string(APPEND script "ADDLIB $<TARGET_FILE:${library}>\n")
  endforeach()
  string(APPEND script "SAVE\nEND\n")
  file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/libglovebox.mri CONTENT "${script}")
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -E rm -f ${output}
    COMMAND ${CMAKE_AR} -M < ${CMAKE_CURRENT_BINARY_DIR}/libglovebox.mri
    DEPENDS ${ARGN} ${CMAKE_CURRENT_BINARY_DIR}/libglovebox.mri
    COMMENT "Archiving libglovebox.a"
    VERBATIM)
endfunction()
