#!/bin/sh
# Builds ../engine.wasm: sh build.sh [OUT]. Needed: clang-16, lld-16, wasi-libc,
# libclang-rt-16-dev-wasm32 (Debian: apt-get install those), and the sources of
# QuickJS 2025-04-26 as Debian 13 has them, in $QUICKJS:
#   apt-get source quickjs     (with a line "deb-src http://deb.debian.org/debian trixie main")
#   export QUICKJS=$PWD/quickjs-2025.04.26
# The same sources and compiler give the same bytes, in whatever directory.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$(realpath -m "${1:-$here/../engine.wasm}")
want=ec81da5b3249ed648dbc7df4a1654988910e66a118d9b71cb63534216efcfbbe # quickjs_2025.04.26.orig.tar.xz
clang=${CLANG:-clang-16}
ld=${WASM_LD:-wasm-ld-16}

say() { echo "build.sh: $*" >&2; exit 1; }
command -v "$clang" >/dev/null || say "no $clang: apt-get install clang-16"
command -v "$ld" >/dev/null || say "no $ld: apt-get install lld-16"
libc=/usr/lib/wasm32-wasi
[ -f $libc/libc.a ] || say "no $libc/libc.a: apt-get install wasi-libc"
builtins=$("$clang" --target=wasm32-wasi -print-resource-dir)/lib/wasi/libclang_rt.builtins-wasm32.a
[ -f "$builtins" ] || say "no $builtins: apt-get install libclang-rt-16-dev-wasm32"
[ -f "${QUICKJS:-}/quickjs.c" ] || say "set QUICKJS to the directory of QuickJS 2025-04-26 (its archive's sha256 is $want)"
[ "$(cat "$QUICKJS/VERSION")" = 2025-04-26 ] || say "$QUICKJS is QuickJS $(cat "$QUICKJS/VERSION"), want 2025-04-26"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$QUICKJS"/*.[ch] "$work"
cp "$here"/shim.c "$here"/libc.c "$here"/format.c "$work"
cp -r "$here"/include "$work"
cd "$work"
# The interpreter's loop is not optimised: with its variables in memory a call takes
# a third of the stack and two thirds of the fuel.
sed -i 's/^static JSValue JS_CallInternal(JSContext \*caller_ctx/__attribute__((optnone, noinline)) &/' quickjs.c
# EMSCRIPTEN: no threads. The compiler is given relative names, so that no path gets in.
for f in quickjs cutils libregexp libunicode dtoa shim libc format; do
  case $f in
    shim | libc | format) warn="-Wall -Wextra -Werror -Wno-unused-parameter" ;;
    *) warn=-w ;;
  esac
  "$clang" --target=wasm32-wasi --sysroot=/usr -Iinclude -isystem . -DEMSCRIPTEN -DCONFIG_STACK_CHECK \
    -DCONFIG_VERSION='"2025-04-26"' -D_GNU_SOURCE -fwrapv -fno-strict-aliasing -funsigned-char \
    ${OPT:--Os} -ffunction-sections -fdata-sections $warn -c $f.c -o $f.o
done
# wasm-ld by itself: clang would run whatever wasm-opt is in PATH.
"$ld" -L$libc quickjs.o cutils.o libregexp.o libunicode.o dtoa.o shim.o libc.o format.o -lc -lm "$builtins" \
  --no-entry --stack-first -z stack-size=1048576 --export=callgate_script --gc-sections --strip-all -o engine.wasm
cp engine.wasm "$out"
