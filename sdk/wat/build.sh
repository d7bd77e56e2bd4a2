#!/bin/sh
# Builds a module: build.sh SOURCE.wat OUT.wasm. Needs wat2wasm (Debian, Ubuntu:
# apt-get install wabt). The same version makes the same bytes.
set -eu
[ $# = 2 ] || { echo "usage: build.sh SOURCE.wat OUT.wasm" >&2; exit 2; }
command -v wat2wasm >/dev/null || { echo "no wat2wasm found: install wabt" >&2; exit 1; }
exec wat2wasm "$1" -o "$2"
