#!/bin/sh
# Builds the example modules beside this file, and the hostile ones of
# testdata/hostile, from their sources: sh testdata/modules/build.sh
# Needs wat2wasm (package wabt); without it the committed .wasm files stay.
# A line ";;include FILE" is replaced by testdata/modules/FILE, and @tool@ by the
# module's name. The lines from ";;repeat FROM TO" to ";;end" stand there once for
# each number, @i@ being the number and @i+1@ the next one; they do not nest.
set -eu
cd "$(dirname "$0")"
if ! command -v wat2wasm >/dev/null 2>&1; then
	echo "SKIP testdata/modules: no wat2wasm (install wabt); the committed .wasm files stay" >&2
	exit 0
fi
# The kernel of the sandbox lies beside its Go side, which embeds it.
wat2wasm --output=../../host/sandbox/internal/kernel/kernel.wasm ../../host/sandbox/internal/kernel/kernel.wat
failed=0
for source in *.wat ../hostile/*.wat; do
	built=${source%.wat}
	name=${built##*/}
	awk -v name="$name" '
		function put(line) { gsub(/@tool@/, name, line); print line }
		function again(  i, line) {
			for (i = from; i <= to; i++) { line = block; gsub(/@i@/, i, line); gsub(/@i\+1@/, i + 1, line); printf "%s", line }
		}
		$1 == ";;repeat" { from = $2; to = $3; block = ""; inside = 1; next }
		$1 == ";;end" { again(); inside = 0; next }
		inside { block = block $0 "\n"; next }
		$1 == ";;include" { while ((getline line < $2) > 0) put(line); close($2); next }
		{ put($0) }' "$source" >"$built.full"
	check=
	case $(sed -n '/^;; unchecked/p' "$source") in ?*) check=--no-check ;; esac # wrong on purpose
	wat2wasm $check --output="$built.wasm" "$built.full" || { echo "$source: see $built.full" >&2; failed=1; continue; }
	rm -f "$built.full"
done
exit $failed
