#!/bin/sh
# Builds a module: build.sh SOURCE.c OUT.wasm. Needs clang and wasm-ld, 14 or later
# (Debian, Ubuntu: apt-get install clang lld). The same compiler makes the same bytes.
set -eu
[ $# = 2 ] || { echo "usage: build.sh SOURCE.c OUT.wasm" >&2; exit 2; }

# The first of these commands that is there.
find_command() {
	for name; do
		if command -v "$name" >/dev/null; then echo "$name"; return; fi
	done
	echo "no $1 found: install clang and lld" >&2
	exit 1
}
clang=$(find_command "${CLANG:-clang-16}" clang clang-19 clang-18 clang-17 clang-15 clang-14)
linker=$(find_command "${WASM_LD:-wasm-ld-16}" wasm-ld wasm-ld-19 wasm-ld-18 wasm-ld-17 wasm-ld-15 wasm-ld-14)

object=$(mktemp)
trap 'rm -f "$object"' EXIT
"$clang" --target=wasm32-unknown-unknown -std=c99 -Oz -ffreestanding -fno-builtin -Wall -Wextra -Werror -c "$1" -o "$object"
# Not by clang, which would run any wasm-opt that is in the PATH.
"$linker" --no-entry --strip-all --gc-sections --stack-first -z stack-size=1048576 -o "$2" "$object"
