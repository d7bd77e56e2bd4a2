#!/usr/bin/env bash
# modules.sh ARCHIVE RELEASED: the first-party modules of this tree. They are the release's where the
# sources are the same; else Go's own compiler makes them, which every machine has.
set -euo pipefail
cd "$(dirname "$0")/../.."
archive=$1 released=$2 beside=plugins/dist/embedded/modules.zip
go=${GO:-go}
pack() { "$go" run ./plugins/internal/pack "$@"; }

current=$(pack -current "$released")
if [ "$current" = yes ]; then
	pack -extract plugins/dist "$released"
	rm -f "$beside"
	cp "$released" "$archive"
	exit 0
fi
# TinyGo 0.41.1 compiles new(expression) of Go 1.26 into a zero: -lang refuses it.
modules=()
while read -r name package; do
	modules+=("plugins/dist/$name.wasm")
	echo "building plugins/dist/$name.wasm"
	GOOS=wasip1 GOARCH=wasm CGO_ENABLED=0 "$go" build -buildmode=c-shared -trimpath -buildvcs=false -ldflags='-s -w -buildid=' \
		'-gcflags=github.com/callgate/callgate/...=-lang=go1.25' -o "plugins/dist/$name.wasm" "$package" </dev/null
done <plugins/dist/guests.txt
pack -by "$("$go" env GOVERSION)" "$archive" "${modules[@]}"
cp "$archive" "$beside"
