#!/usr/bin/env bash
# tinygo.sh TREE OUT: the first-party modules of TREE, made by TinyGo into the directory OUT; prints the
# compiler. TinyGo itself is built from the Go module proxy and Debian's LLVM (RATIONALE.md, "Why does
# TinyGo make the release's modules?"). Ends with 3 where it cannot be had, and says what lacks.
set -euo pipefail
tree=$(realpath "$1") out=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
version=0.41.1 llvm=/usr/lib/llvm-19
packages=(llvm-19-dev libclang-19-dev lld-19 clang-19 wasi-libc libclang-rt-19-dev-wasm32 g++)

present() {
	[ -x $llvm/bin/wasm-ld ] && [ -x $llvm/bin/llvm-config ] && [ -f /usr/lib/wasm32-wasi/libc.a ] &&
		[ -f $llvm/lib/clang/19/lib/wasi/libclang_rt.builtins-wasm32.a ] && command -v g++ >/dev/null
}
if ! present && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	{ apt-get update -qq && apt-get install -y -qq --no-install-recommends "${packages[@]}"; } >/dev/null 2>&1 || true
fi
if ! present; then
	echo "TinyGo $version needs Debian's packages: ${packages[*]}" >&2
	exit 3
fi

root=$(dirname "$(go env GOCACHE)")/callgate-tinygo-$version
if [ ! -x "$root/bin/tinygo" ]; then
	echo "building TinyGo $version (about a minute)" >&2
	rm -rf "$root" && mkdir -p "$root/bin"
	source=$(go mod download -json github.com/tinygo-org/tinygo@v$version | sed -n 's/^\t*"Dir": "\(.*\)",*$/\1/p') || source=
	if [ -z "$source" ]; then
		echo "TinyGo $version does not come through the Go module proxy" >&2
		exit 3
	fi
	cp -r "$source" "$root/tree" && chmod -R u+w "$root/tree"
	mkdir -p "$root/tree/src/net" # a Git submodule, absent from the module's zip
	ln -s $llvm/bin/wasm-ld $llvm/bin/clang "$root/bin"
	# TinyGo ends with wasm-opt LEVEL -g IN --output OUT, which saves 4 % of the size and no time: a copy.
	cat >"$root/bin/wasm-opt" <<-'END'
		#!/bin/sh
		[ "$1" = --version ] && exec echo "wasm-opt version 120"
		exec cp "$3" "$5"
	END
	chmod +x "$root/bin/wasm-opt"
	if ! (cd "$root/tree" && CGO_ENABLED=1 go build -tags llvm19 -o "$root/bin/tinygo.new" . && mv "$root/bin/tinygo.new" "$root/bin/tinygo") >&2; then
		echo "TinyGo $version does not build here" >&2
		exit 3
	fi
fi
export PATH=$root/bin:$PATH TINYGOROOT=$root/tree
while read -r name package; do
	echo "building $name.wasm with TinyGo (a minute or two)" >&2
	(cd "$tree" && tinygo build -target "$here/tinygo.json" -buildmode=c-shared -opt=2 -no-debug -interp-timeout=20m -o "$out/$name.wasm" "$package" </dev/null) >&2
done <"$here/guests.txt"
echo "tinygo $version, llvm $($llvm/bin/llvm-config --version), $(go env GOVERSION)"
