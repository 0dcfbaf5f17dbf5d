# Converts the output of `--help` to a manual page:
#
#   (patchbay --version; patchbay run --help) | awk -f man_page.awk -v command=run
#
# Without a command, the result is the page of patchbay; with -v name=PROGRAM, of another program. The
# first input line is the version. The rest has the format of src/cli/options/help_text.cpp: a
# summary, the usage, sections of words and meanings, then sentences and examples.

function escaped(text) {
  gsub(/\\/, "\\e", text)
  gsub(/-/, "\\-", text)
  gsub(/'/, "\\(aq", text)
  gsub(/`/, "\\(ga", text)
  sub(/^\./, "\\\\\\&.", text)
  return text
}

# The word of an entry, such as "-c, --config PATH...": options in bold, placeholders in italics.
function styled(word,   out, parts, count, i) {
  count = split(word, parts, " ")
  for (i = 1; i <= count; i++) {
    out = out (i > 1 ? " " : "")
    if (parts[i] ~ /^-/ && sub(/,$/, "", parts[i])) out = out "\\fB" escaped(parts[i]) "\\fR,"
    else if (parts[i] ~ /^-/) out = out "\\fB" escaped(parts[i]) "\\fR"
    else out = out "\\fI" escaped(parts[i]) "\\fR"
  }
  return out
}

NR == 1 { version = $2; sub(/,$/, "", version); if ($3 == "commit") date = $6; next }
NR == 2 { summary = $0; what = summary; sub(/^Patchbay /, "", what); sub(/\.$/, "", what); next }
/^Usage: / { usage = substr($0, 8); next }

/^(Arguments|Options|Commands):$/ {
  section = tolower(substr($0, 1, length($0) - 1))
  body = body ".SH " toupper(section) "\n"
  next
}
/^Examples?:$/ { section = "examples"; next }
/^$/ { if (section == "examples") examples = examples "\n"; else section = ""; next }

section == "examples" && /^  / { examples = examples escaped(substr($0, 3)) "\n"; next }
section == "examples" { section = "" }  # A sentence after the examples.

# An entry: the word, at least two spaces, and the meaning, which continues in its column.
section != "" {
  indent = match($0, /[^ ]/) - 1
  rest = substr($0, indent + 1)
  if (indent == column) { body = body escaped(rest) "\n"; next }
  gap = match(rest, /  +/)
  word = substr(rest, 1, gap - 1)
  meaning = substr(rest, gap + RLENGTH)
  column = length($0) - length(meaning)
  if (section == "commands") {
    body = body ".TP\n\\fBpatchbay\\-" word "\\fR(1)\n"
    others[++others_count] = word
  } else {
    body = body ".TP\n" styled(word) "\n"
  }
  body = body escaped(meaning) "\n"
  next
}

/^Exit code: / { exits = exits ".SH EXIT STATUS\n" escaped(substr($0, 12)) "\n"; next }
exits != "" { exits = exits escaped($0) "\n"; next }
/^Help for a command/ { next }  # The other pages have that.
/./ { prose = prose ".PP\n" escaped($0) "\n" }

END {
  program = name == "" && command == ""
  if (name == "") name = "patchbay" (command == "" ? "" : "-" command)
  printf ".TH %s 1 \"%s\" \"Patchbay %s\" \"Patchbay\"\n", toupper(escaped(name)), date, version
  printf ".SH NAME\n%s \\- %s\n", escaped(name), escaped(tolower(substr(what, 1, 1)) substr(what, 2))
  count = split(usage, words, " ")
  printf ".SH SYNOPSIS\n"
  for (i = 1; i <= count; i++) {
    printed = escaped(words[i])
    if (words[i] ~ /^(kubectl|patchbay)$/ || words[i] == command) printed = "\\fB" printed "\\fR"
    else if (words[i] ~ /^[[]?[A-Z]/) printed = "\\fI" printed "\\fR"
    printf "%s%s", printed, i < count ? " " : "\n"
  }
  printf ".SH DESCRIPTION\n%s\n%s%s%s", escaped(summary), prose, body, exits
  sub(/\n+$/, "\n", examples)
  if (examples != "") printf ".SH EXAMPLES\n.nf\n%s.fi\n", examples
  printf ".SH SEE ALSO\n"
  if (!program) printf "\\fBpatchbay\\fR(1)\n"
  else for (i = 1; i <= others_count; i++) {
    printf "\\fBpatchbay\\-%s\\fR(1)%s\n", others[i], i < others_count ? "," : ""
  }
}
