# Callgate: every command a developer needs. `make help` lists them.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

# Tools are run by `go run` at exactly these versions; nothing is installed.
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.7.0

GO      ?= go
# "dev" unless the tree is a checkout.
VERSION := $(shell git describe --always --dirty 2>/dev/null || echo dev)
GUEST   := GOOS=wasip1 GOARCH=wasm CGO_ENABLED=0 $(GO) build -buildmode=c-shared -trimpath -ldflags='-s -w'
GUEST_SOURCES := $(shell find sdk/go plugins -name '*.go' -not -name '*_test.go') go.mod go.sum
MODULES := plugins/dist/bash.wasm plugins/dist/standard.wasm

##@ Use
.PHONY: run build
# DEMO=discord shows the asks as cards in a Discord-shaped server of the demo's own.
DEMO ?=
run: build ## build, then watch a recorded agent session pass through the gate; DEMO=discord: in Discord
	@case "$(DEMO)" in \
		"") exec bin/callgate demo;; \
		discord) exec bin/callgate demo --discord;; \
		*) echo 'DEMO is empty or discord, not "$(DEMO)"'; exit 2;; \
	esac

build: bin/callgate ## leave the whole product in bin/callgate, one file

# Without a dynamic linker: a library preloaded by a project's environment could
# end the hook with success before it runs.
bin/callgate: $(MODULES) $(shell find cmd engine host plugins -name '*.go' -o -name '*.sql' -o -name '*.yaml' -o -name '*.json') $(shell find sdk -type f) go.mod go.sum
	@mkdir -p bin
	@echo "building bin/callgate"
	@CGO_ENABLED=0 $(GO) build -trimpath -ldflags="-X main.version=$(VERSION)" -o $@ ./cmd/callgate

##@ Prove
.PHONY: test race fuzz corpus bench
# Without -v nobody would hear of skipped tests.
SHORTEN := awk -f testdata/results.awk

# Beyond the ten minutes that go test gives a package: a busy machine is no failure.
PATIENCE := -timeout 30m

# Code of tool modules that the tests of several packages share, of every build.
export CALLGATE_TEST_CACHE ?= $(dir $(shell $(GO) env GOCACHE))callgate-test

test: $(MODULES) ## run every test; says which were skipped, and why
	@$(GO) test -v $(PATIENCE) ./... | $(SHORTEN)

# The first line of it compiles the modules, seven times faster than the race
# detector would; where it cannot, the tests say why.
race: $(MODULES) ## run every test under the race detector (needs a C compiler)
	@if [ "$$($(GO) env CGO_ENABLED)" = 1 ] && command -v "$$($(GO) env CC)" >/dev/null; then \
		$(GO) test -count=1 -run '^$$' ./host/eval >/dev/null || true; \
		$(GO) test -race -v $(PATIENCE) ./... | $(SHORTEN); \
	else echo "SKIPPED race: no C compiler ($$($(GO) env CC)); install gcc or clang to run it"; fi

FUZZTIME ?= 10s
fuzz: $(MODULES) ## run every fuzzer for FUZZTIME each (default 10s)
	@grep -rlE '^func Fuzz' --include='*_test.go' engine host plugins sdk cmd | sort | while read -r file; do \
		grep -oE '^func Fuzz[A-Za-z0-9_]*' "$$file" | cut -c6- | while read -r target; do \
			echo "== $$(dirname "$$file") $$target"; \
			$(GO) test "./$$(dirname "$$file")" -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) </dev/null; \
		done; done

corpus: build ## run the policy cases of testdata/corpus: a table of class, cases, wrong
	@bin/callgate eval --corpus testdata/corpus

bench: $(MODULES) build ## measure, beside the named peers, in one run
	@$(MAKE) --no-print-directory -C testdata/bench bench

##@ Keep
.PHONY: wasm wasm-check wasm-clean lint fmt check tidy clean help
# Nothing is installed: what a language lacks here is said, and its module stays.
GOLDENS := $(GO) test ./host/scaffold -run '^TestGoldens$$' -count=1 -v
wasm: wasm-clean $(MODULES) ## rebuild every module from source: first-party, test modules, the deploy example
	@testdata/modules/build.sh
	@$(GOLDENS) -rebuild | $(SHORTEN)

wasm-check: ## compare the committed modules with what their sources make
	@testdata/modules/build.sh --check
	@$(GOLDENS) | $(SHORTEN)

wasm-clean:
	@rm -f $(MODULES)

plugins/dist/bash.wasm: $(GUEST_SOURCES)
	@echo "building $@"
	@$(GUEST) -o $@ ./plugins/bash/wasm

plugins/dist/standard.wasm: $(GUEST_SOURCES)
	@echo "building $@"
	@$(GUEST) -o $@ ./plugins/standard

lint: $(MODULES) arrows ## vet and staticcheck, for the host and for the guests
	@$(GO) vet ./...
	@GOOS=wasip1 GOARCH=wasm $(GO) vet ./plugins/... ./sdk/...
	@$(GO) run $(STATICCHECK) ./...

# The arrows of the house: cmd -> host -> engine, plugins -> sdk.
.PHONY: arrows
arrows:
	@! $(GO) list -deps ./engine/... | grep -E 'callgate/callgate/(host|plugins|sdk|cmd)' || { echo "engine imports what it must not"; exit 1; }
	@! $(GO) list -deps ./host/... | grep -E 'callgate/callgate/(plugins|sdk|cmd)' || { echo "host imports what it must not"; exit 1; }
	@! GOOS=wasip1 GOARCH=wasm $(GO) list -deps ./plugins/... ./sdk/... | grep -E 'callgate/callgate/(host|engine|cmd)' || { echo "plugins or sdk import what they must not"; exit 1; }

fmt: ## format every Go file
	@gofmt -l -w $(shell git ls-files -co --exclude-standard '*.go')

check: lint race ## everything a commit must pass besides the tests; leaves a clean tree
	@out=$$(gofmt -l $$(git ls-files '*.go')); [ -z "$$out" ] || { echo "not formatted (make fmt):"; echo "$$out"; exit 1; }
	@$(GO) mod tidy -diff >/dev/null || { echo "go.mod or go.sum is not tidy: run go mod tidy"; exit 1; }
	@$(GO) mod verify
	@for os in darwin windows; do echo "building for $$os"; GOOS=$$os $(GO) build -o /dev/null ./cmd/callgate; done
	@[ -z "$$(git status --porcelain)" ] || { echo "check left or found changes:"; git status --short; exit 1; }
	@echo "check: all good"

clean: ## remove what make made
	@rm -rf bin $(MODULES) $(addprefix $(CALLGATE_TEST_CACHE)/,code lock)

help: ## list the commands
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-z-]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
