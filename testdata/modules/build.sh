#!/bin/sh
# Builds the example modules beside this file, and the hostile ones of
# testdata/hostile, from their sources: sh testdata/modules/build.sh
# With --check nothing is written: what is built anew is compared with the committed
# .wasm files, where the wat2wasm here is of the version in wat2wasm.txt.
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
version=$(wat2wasm --version)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
check=false
case ${1-} in
"") ;;
--check)
	check=true
	if [ "$version" != "$(cat wat2wasm.txt)" ]; then
		echo "SKIP testdata/modules: wat2wasm here is $version, the committed .wasm files are by $(cat wat2wasm.txt)" >&2
		exit 0
	fi
	;;
*)
	echo "usage: build.sh [--check]" >&2
	exit 2
	;;
esac
failed=0
# put BUILT PLACE gives a module its place, or compares it with what is there.
put() {
	if ! $check; then
		cp "$1" "$2"
	elif ! cmp -s "$1" "$2"; then
		echo "$2 is not what its source makes: run make wasm" >&2
		failed=1
	fi
}
# The kernel of the sandbox lies beside its Go side, which embeds it.
kernel=../../host/internal/modules/sandbox/internal/kernel/kernel
wat2wasm --output="$scratch/kernel.wasm" "$kernel.wat"
put "$scratch/kernel.wasm" "$kernel.wasm"
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
		{ put($0) }' "$source" >"$scratch/$name.full"
	option=
	case $(sed -n '/^;; unchecked/p' "$source") in ?*) option=--no-check ;; esac # wrong on purpose
	wat2wasm $option --output="$scratch/$name.wasm" "$scratch/$name.full" || { echo "$source does not build" >&2; failed=1; continue; }
	put "$scratch/$name.wasm" "$built.wasm"
done
$check || [ $failed -ne 0 ] || echo "$version" >wat2wasm.txt
exit $failed
