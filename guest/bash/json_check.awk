# Exits with 0 when the input is exactly one JSON value. POSIX awk: mawk, gawk and busybox all run it.
#
# Tokens are cut off a line at a time. `want` says what may come next: v a value, e a value or the end of an empty
# array, k a key or the end of an empty object, K a key, c a colon, n a comma or a closing bracket, d nothing more.
BEGIN { want = "v"; depth = 0 }
bad { next }
{
  rest = $0
  while (!bad && length(rest) > 0) {
    if (match(rest, /^[ \t\r]+/)) {
      rest = substr(rest, RLENGTH + 1)
      continue
    }
    if (match(rest, /^"([^"\\]|\\["\\\/bfnrt]|\\u[0-9a-fA-F][0-9a-fA-F][0-9a-fA-F][0-9a-fA-F])*"/)) kind = "s"
    else if (match(rest, /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/)) kind = "p"
    else if (match(rest, /^(true|false|null)/)) kind = "p"
    else if (match(rest, /^[][{},:]/)) kind = substr(rest, 1, 1)
    else { fail(); break }
    token = RLENGTH
    step(kind)
    rest = substr(rest, token + 1)
    if (kind == "p" && match(rest, /^[0-9A-Za-z.+"-]/)) fail()
  }
}
END { exit (bad || want != "d") ? 1 : 0 }

function fail() { bad = 1 }

function value_done() { want = depth == 0 ? "d" : "n" }

function step(kind) {
  if (kind == "s" && (want == "k" || want == "K")) want = "c"
  else if ((kind == "s" || kind == "p") && (want == "v" || want == "e")) value_done()
  else if (kind == "[" && (want == "v" || want == "e")) { open[++depth] = "["; want = "e" }
  else if (kind == "{" && (want == "v" || want == "e")) { open[++depth] = "{"; want = "k" }
  else if (kind == ":" && want == "c") want = "v"
  else if (kind == "," && want == "n") want = open[depth] == "[" ? "v" : "K"
  else if (kind == "]" && (want == "n" || want == "e") && open[depth] == "[") { --depth; value_done() }
  else if (kind == "}" && (want == "n" || want == "k") && open[depth] == "{") { --depth; value_done() }
  else fail()
}
