#!/bin/sh
# Builds the modules of this directory, and notes what they were built from: to run
# when the SDK in C, Rust or AssemblyScript or a file here changed. Needs what
# sdk/c/build.sh and sdk/rust/build.sh need, and asc (npm install assemblyscript@0.28.20)
# in PATH or named in ASC.
set -eu
cd "$(dirname "$0")"
sh ../../sdk/c/build.sh kitchen.c c.wasm
sh ../../sdk/rust/build.sh kitchen.rs rust.wasm
"${ASC:-asc}" kitchen.as.ts -O3s --noAssert --runtime stub --exportStart _initialize --use abort=../../sdk/assemblyscript/callgate/fail -o assemblyscript.wasm
sha256sum kitchen.c kitchen.rs kitchen.as.ts ../../sdk/c/callgate.h ../../sdk/rust/callgate.rs ../../sdk/assemblyscript/callgate.ts c.wasm rust.wasm assemblyscript.wasm >sources.sha256
