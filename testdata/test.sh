#!/usr/bin/env bash
# Runs `go test` with the given flags over every package. Property tests draw the same
# inputs each time. RATIONALE.md, "Why do property tests draw the same inputs each time?".
set -euo pipefail
go=${GO:-go}
drawn=() others=()
while IFS=$'\t' read -r package imports; do
	case " $imports " in
		*" pgregory.net/rapid "*) drawn+=("$package");;
		*) others+=("$package");;
	esac
done < <("$go" list -f '{{.ImportPath}}{{"\t"}}{{range .TestImports}}{{.}} {{end}}{{range .XTestImports}}{{.}} {{end}}' ./...)
status=0
"$go" test "$@" "${others[@]}" || status=1
"$go" test "$@" "${drawn[@]}" -rapid.seed=1 -rapid.nofailfile || status=1
exit "$status"
