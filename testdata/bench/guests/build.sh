#!/bin/sh
# Builds the small guests of the benchmarks: sh testdata/bench/guests/build.sh
# Needs clang with wasm-ld, and npx with the network for AssemblyScript; without
# them the committed .wasm files stay. `make bench` builds the Go ones itself.
set -eu
cd "$(dirname "$0")"
skip() { echo "SKIP testdata/bench/guests/$1: no $2; the committed .wasm file stays" >&2; }
if command -v clang >/dev/null 2>&1 && command -v wasm-ld >/dev/null 2>&1; then
	clang --target=wasm32 -O2 -Wall -Wextra -Werror -nostdlib -fno-builtin -Wl,--no-entry,--strip-all -o check_c.wasm c/check.c
else
	skip check_c.wasm "clang or wasm-ld"
fi
if command -v npx >/dev/null 2>&1; then
	npx --yes --package=assemblyscript@0.28.20 asc as/check.ts -O2 --runtime incremental --use abort=as/check/stop -o check_as.wasm
else
	skip check_as.wasm npx
fi
