# Shortens the output of "go test -v" to what one wants to know: each package's
# line, why a test was skipped, and all that a failed test said. Without -v go
# test says nothing of skipped tests.
function first(text) { return substr(text, 4, index(text, "\n") - 3) }
/^=== / { test = $3; next }
/^(ok|FAIL|\?) *\t/ {
	if ($1 == "FAIL") printf "%s", failed == "" || broken ? all : failed
	printf "%s", skipped
	if (!/no test files/) print
	all = failed = skipped = test = broken = ""
	split("", said)
	next
}
/^ *--- (PASS|FAIL|SKIP): / {
	if ($2 == "FAIL:") failed = failed said[$3] $0 "\n"
	if ($2 == "SKIP:") skipped = skipped "SKIPPED " $3 ":" first(said[$3])
	delete said[$3]
}
/^(panic|fatal error): / { broken = 1 } # it says more than the test that ran
{ all = all $0 "\n" }
!/^ *--- / { said[test] = said[test] $0 "\n" }
END { printf "%s", all == "FAIL\n" ? "" : all }
