#!/usr/bin/env bash
# Runs `go test` with the given flags over every package. Property tests draw the same
# inputs each time. RATIONALE.md, "Why do property tests draw the same inputs each time?".
# With -race it leaves out what has one goroutine, and draws fewer inputs. RATIONALE.md,
# "What does the race detector not look at?".
set -euo pipefail
go=${GO:-go}
drawn=() others=()
draw=(-rapid.seed=1 -rapid.nofailfile)
alone='^$' skip='^$'
case " $* " in
	*" -race "*)
		draw+=(-rapid.checks=20)
		alone='/plugins/|/sdk/|/toolkit/|/config/|/doctor$|/profile$|/wasmbin$'
		skip='^Test((Postgres)?Scripts|Chromium(Beyond)?|OverPostgres|ManyRules_.*|Profiles_.*|T0[16]_.*|T14_.*|LongerLines.*|LargeCalls.*'
		skip+='|(Postgres)?Copy_.*|Check_(tenMegabytes|badInput)|Modules_uploadBound|PruneAudit_[^h].*|OpenAPI_.*|KeyIn.*|Trends|Hostile)$';;
esac
while IFS=$'\t' read -r package imports; do
	[[ $package =~ $alone ]] && continue
	case " $imports " in
		*" pgregory.net/rapid "*) drawn+=("$package");;
		*) others+=("$package");;
	esac
done < <("$go" list -f '{{.ImportPath}}{{"\t"}}{{range .TestImports}}{{.}} {{end}}{{range .XTestImports}}{{.}} {{end}}' ./...)
status=0
"$go" test "$@" -skip "$skip" "${others[@]}" || status=1
"$go" test "$@" -skip "$skip" "${drawn[@]}" "${draw[@]}" || status=1
exit "$status"
