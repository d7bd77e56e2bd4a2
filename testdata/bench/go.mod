// Peers that only benchmarks need live here, so that the product does not
// depend on them.
// It is named as a part of host, so that it may measure what is sealed there.
module github.com/callgate/callgate/host/bench

go 1.26.0

require (
	github.com/callgate/callgate v0.0.0
	github.com/cedar-policy/cedar-go v1.3.0
	github.com/extism/go-pdk v1.1.3
	github.com/extism/go-sdk v1.7.1
	github.com/tetratelabs/wazero v1.12.0
	mvdan.cc/sh/v3 v3.13.0
)

require (
	github.com/bmatcuk/doublestar/v4 v4.9.1 // indirect
	github.com/dlclark/regexp2/v2 v2.12.0 // indirect
	github.com/dylibso/observe-sdk/go v0.0.0-20240819160327-2d926c5d788a // indirect
	github.com/go-json-experiment/json v0.0.0-20260820222146-c27c302e5fc3 // indirect
	github.com/gobwas/glob v0.2.3 // indirect
	github.com/ianlancetaylor/demangle v0.0.0-20240805132620-81f5be970eca // indirect
	github.com/klauspost/compress v1.18.0 // indirect
	github.com/tetratelabs/wabin v0.0.0-20230304001439-f6f874872834 // indirect
	go.opentelemetry.io/proto/otlp v1.3.1 // indirect
	golang.org/x/exp v0.0.0-20250620022241-b7579e27df2b // indirect
	golang.org/x/sys v0.48.0 // indirect
	golang.org/x/text v0.42.0 // indirect
	google.golang.org/protobuf v1.36.8 // indirect
)

replace github.com/callgate/callgate => ../..
