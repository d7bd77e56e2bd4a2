#!/bin/sh
# Builds the example and hostile tool modules from their sources: sh testdata/modules/build.sh
# Needs wat2wasm (package wabt); without it the committed .wasm files stay.
# A line ";;include FILE" is replaced by FILE, and @tool@ by the module's name.
set -eu
cd "$(dirname "$0")"
if ! command -v wat2wasm >/dev/null 2>&1; then
	echo "SKIP testdata/modules: no wat2wasm (install wabt); the committed .wasm files stay" >&2
	exit 0
fi
for source in *.wat; do
	name=${source%.wat}
	awk -v name="$name" '
		function put(line) { gsub(/@tool@/, name, line); print line }
		$1 == ";;include" { while ((getline line < $2) > 0) put(line); close($2); next }
		{ put($0) }' "$source" >"$name.full"
	check=
	case $name in fuel_*) check=--no-check ;; esac # modules that are wrong on purpose
	wat2wasm $check --output="$name.wasm" "$name.full" || { echo "$source: see $name.full" >&2; exit 1; }
	rm -f "$name.full"
done
