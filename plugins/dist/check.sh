#!/usr/bin/env bash
# check.sh BUILT RELEASED: are the release's modules what their sources make? BUILT is an
# archive of this tree's modules. A tree between releases may be ahead: then the sources
# of the commit that brought RELEASED are built. A tagged commit may not be ahead.
set -euo pipefail
cd "$(dirname "$0")/../.."
built=$1 released=$2

# The archive ends in its comment, the version of Go.
by=$(tail -c 40 "$released" | grep -aoE 'go1[.0-9a-z]+$' || true)
here=$(tail -c 40 "$built" | grep -aoE 'go1[.0-9a-z]+$')
if [ "$by" != "$here" ]; then
	echo "SKIPPED modules-check: $released was made by ${by:-another pack}, here is $here: other bytes are no fault"
	exit 0
fi
if cmp -s "$built" "$released"; then
	echo "modules-check: $released is what these sources make ($here)"
	exit 0
fi
if tag=$(git describe --exact-match --match 'v[0-9]*' HEAD 2>/dev/null); then
	echo "modules-check: $tag is a release, and $released is not what its sources make: run make release-modules, commit, tag again" >&2
	exit 1
fi
commit=$(git log -1 --format=%H -- "$released" 2>/dev/null || true)
if [ -z "$commit" ] || [ "$(git rev-parse --is-shallow-repository)" = true ]; then
	echo "SKIPPED modules-check: the sources are ahead of $released, and the commit that brought it is not here"
	exit 0
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
git archive "$commit" | tar x -C "$scratch"
make --no-print-directory -s -C "$scratch" plugins/dist/modules.zip
if ! cmp -s "$scratch/plugins/dist/modules.zip" "$scratch/$released"; then
	echo "modules-check: $released is not what the sources of $commit make: run make release-modules and commit it with the sources" >&2
	exit 1
fi
echo "modules-check: $released is what the sources of ${commit:0:12} make; this tree is ahead of it (make release-modules before a release)"
