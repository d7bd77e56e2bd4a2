#!/bin/sh
# Builds a module: build.sh SOURCE.rs OUT.wasm. Needs rustc 1.63 or later with the
# target wasm32-unknown-unknown (Debian, Ubuntu: apt-get install rustc
# libstd-rust-dev-wasm32 lld; elsewhere: rustup target add wasm32-unknown-unknown).
# The same compiler and linker make the same bytes.
set -eu
[ $# = 2 ] || { echo "usage: build.sh SOURCE.rs OUT.wasm" >&2; exit 2; }

# The first rustc that has the target; rustup's may come before one that has.
for rustc in "${RUSTC:-rustc}" /usr/bin/rustc ""; do
	[ -n "$rustc" ] || { echo "no rustc with the target wasm32-unknown-unknown found: install rustc and libstd-rust-dev-wasm32, or run rustup target add wasm32-unknown-unknown" >&2; exit 1; }
	root=$("$rustc" --print sysroot 2>/dev/null) && [ -d "$root/lib/rustlib/wasm32-unknown-unknown/lib" ] && break
done
# Debian's rustc brings no linker; rustup's has rust-lld, which it finds by itself.
linker=
for name in "${WASM_LD:-wasm-ld-16}" wasm-ld wasm-ld-19 wasm-ld-18 wasm-ld-17 wasm-ld-15 wasm-ld-14; do
	if command -v "$name" >/dev/null; then linker="-C linker=$name"; break; fi
done

# Where the SDK lies must not show in the module: panics name their file.
cd "$(dirname "$1")"
case $2 in /*) out=$2 ;; *) out=$OLDPWD/$2 ;; esac
# shellcheck disable=SC2086
exec "$rustc" --edition 2021 --crate-type cdylib --target wasm32-unknown-unknown $linker -C opt-level=z -C lto -C codegen-units=1 -C panic=abort \
	-C strip=symbols -C link-arg=--stack-first --remap-path-prefix ..=. -o "$out" "$(basename "$1")"
