// Peers that only benchmarks need live here, so that the product does not
// depend on them.
module github.com/callgate/callgate/testdata/bench

go 1.26

require (
	github.com/callgate/callgate v0.0.0
	github.com/cedar-policy/cedar-go v1.3.0
)

require golang.org/x/exp v0.0.0-20250620022241-b7579e27df2b // indirect

replace github.com/callgate/callgate => ../..
