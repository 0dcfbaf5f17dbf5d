#!/bin/sh
# Writes manual pages of the program, of each command and of the plugin of kubectl, from their --help:
#
#   man_pages.sh DIRECTORY PATCHBAY...
#
# PATCHBAY may be several words, such as an emulator and the binary.
set -eu
here=$(dirname "$0")
into=$1
shift
rm -rf "$into"
mkdir -p "$into"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# write_page FILE COMMAND PATCHBAY
write_page() {
  file=$1 command=$2
  shift 2
  "$@" --version >"$work/help"
  "$@" ${command:+"$command"} --help >>"$work/help"
  awk -f "$here/man_page.awk" -v command="$command" "$work/help" >"$into/$file.1"
}

"$@" --help >"$work/overview"
commands=$(sed -n '/^Commands:$/,/^$/s/^  \([a-z]*\) .*/\1/p' "$work/overview")
write_page patchbay "" "$@"
for command in $commands; do write_page "patchbay-$command" "$command" "$@"; done

"$@" --version >"$work/help"
"$here/../deploy/kubectl/kubectl-patchbay" --help >>"$work/help"
awk -f "$here/man_page.awk" -v name=kubectl-patchbay "$work/help" >"$into/kubectl-patchbay.1"
