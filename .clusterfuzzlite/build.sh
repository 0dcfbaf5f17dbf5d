#!/usr/bin/env bash
# Builds the fuzzers for a fuzzing service into $OUT, with seeds and dictionaries. They run on other
# machines, so their shared libraries are copied, too.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."

scripts/build fuzz

mkdir -p "$OUT/lib"
gathered=$(mktemp -d)
trap 'rm -rf "$gathered"' EXIT
for program in build/fuzz/fuzz/*_fuzz; do
  name=$(basename "$program")
  target=${name%_fuzz}
  cp "$program" "$OUT/$name"
  ldd "$program" | awk '$2 == "=>" && $3 ~ /^\// {print $3}' | xargs -I{} cp -L -n {} "$OUT/lib"
  seeds=(test/fuzz/seeds/"$target" test/fuzz/found/"$target")
  [[ $target != config ]] || seeds+=(examples/configs test/golden/config test/rules/golden)
  mkdir "$gathered/$target"
  for directory in "${seeds[@]}"; do
    [[ -d $directory ]] || continue
    # Files of two folders may have one name.
    for file in "$directory"/*; do
      cp "$file" "$gathered/$target/$(basename "$(dirname "$file")")-$(basename "$file")"
    done
  done
  zip -q -j "$OUT/${name}_seed_corpus.zip" "$gathered/$target"/*
  [[ ! -f test/fuzz/$target.dict ]] || cp "test/fuzz/$target.dict" "$OUT/$name.dict"
done
