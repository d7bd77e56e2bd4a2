#!/usr/bin/env bash
# check.sh RELEASED: are the release's modules what their sources make? A tree between releases may be
# ahead: then the sources of the commit that brought RELEASED are built. A tagged commit may not be ahead.
set -euo pipefail
cd "$(dirname "$0")/../.."
released=$1 tree=$PWD
go=${GO:-go}
pack() { "$go" run ./plugins/internal/pack "$@"; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

by=$(pack -compiler "$released")
current=$(pack -current "$released")
if [ "$current" != yes ]; then
	if tag=$(git describe --exact-match --match 'v[0-9]*' HEAD 2>/dev/null); then
		echo "modules-check: $tag is a release, and $released is not of its sources: run make release-modules, commit, tag again" >&2
		exit 1
	fi
	commit=$(git log -1 --format=%H -- "$released" 2>/dev/null || true)
	if [ -z "$commit" ] || [ "$(git rev-parse --is-shallow-repository)" = true ]; then
		echo "SKIPPED modules-check: the sources are ahead of $released, and the commit that brought it is not here"
		exit 0
	fi
	tree=$scratch/tree
	mkdir "$tree" && git archive "$commit" | tar x -C "$tree"
fi
mkdir "$scratch/out"
here=$(plugins/dist/tinygo.sh "$tree" "$scratch/out") || {
	case $? in
		3) echo "SKIPPED modules-check: no TinyGo here to make $released again"; exit 0 ;;
		*) exit 1 ;;
	esac
}
if [ "$here" != "$by" ]; then
	echo "SKIPPED modules-check: $released was made by $by, here is $here: other bytes are no fault"
	exit 0
fi
mkdir "$scratch/released" && pack -extract "$scratch/released" "$released"
for module in "$scratch"/out/*.wasm; do
	if ! cmp "$module" "$scratch/released/${module##*/}"; then
		echo "modules-check: ${module##*/} in $released is not what its sources make: run make release-modules and commit it with the sources" >&2
		exit 1
	fi
done
echo "modules-check: $released is what its sources make ($here)$([ "$tree" = "$PWD" ] || echo "; this tree is ahead of it (make release-modules before a release)")"
