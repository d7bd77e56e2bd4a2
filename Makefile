# Callgate: every command a developer needs. `make help` lists them.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

# Tools are run by `go run` at exactly these versions; nothing is installed.
# RATIONALE.md, "Why does one linter run all linters?".
LINT := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
VULN := golang.org/x/vuln/cmd/govulncheck@v1.9.0

GO      ?= go
# "dev" unless the tree is a checkout.
VERSION := $(shell git describe --always --dirty 2>/dev/null || echo dev)
GUEST_SOURCES := $(shell find sdk/go plugins -name '*.go' -not -name '*_test.go') go.mod go.sum
# The first-party modules (plugins/dist/guests.txt) as the binary embeds them, and those of the last release.
MODULES  := plugins/dist/modules.zip
RELEASED := plugins/dist/embedded/release.zip
# The modules' machine code for this system; without it a first start compiles.
CODE     := plugins/dist/code/$(shell $(GO) env GOHOSTOS)_$(shell $(GO) env GOHOSTARCH)

##@ Use
.PHONY: run build
# DEMO=discord shows the asks as cards in a Discord-shaped server of the demo's own, DEMO=console a
# week of calls in the web console.
DEMO ?=
run: build ## build, then watch a recorded agent session pass through the gate; DEMO=discord: in Discord; DEMO=console: in a browser
	@case "$(DEMO)" in \
		"") exec bin/callgate demo;; \
		discord|console) exec bin/callgate demo --$(DEMO);; \
		*) echo 'DEMO is empty, discord or console, not "$(DEMO)"'; exit 2;; \
	esac

build: bin/callgate ## leave the product in bin: callgate, and callgate-hook for a quicker hook

# Without a dynamic linker: a library preloaded by a project's environment could
# end the hook with success before it runs.
bin/callgate: $(CODE).made $(shell find cmd engine host plugins -name '*.go' -o -name '*.sql' -o -name '*.yaml' -o -name '*.json' -o -path '*/console/pages/*.html' -o -path '*/console/assets/*') $(shell find sdk -type f) go.mod go.sum
	@mkdir -p bin
	@echo "building bin/callgate"
	@CGO_ENABLED=0 $(GO) build -trimpath -ldflags="-s -w -X main.version=$(VERSION)" -o $@ ./cmd/callgate
	@CGO_ENABLED=0 $(GO) build -trimpath -ldflags="-s -w -X main.version=$(VERSION)" -o bin/callgate-hook ./host/callgate-hook

##@ Prove
.PHONY: test quick race fuzz faults scale hunt corpus oracle house language mutate bench
# Without -v nobody would hear of skipped tests.
SHORTEN := awk -f testdata/results.awk

# Beyond the ten minutes that go test gives a package: a busy machine is no failure.
PATIENCE := -timeout 30m

# Code of tool modules that the tests of several packages share, of every build.
export CALLGATE_TEST_CACHE ?= $(dir $(shell $(GO) env GOCACHE))callgate-test

test: $(MODULES) ## run every test; says which were skipped, and why
	@testdata/test.sh -v $(PATIENCE) | $(SHORTEN)

scale: $(MODULES) ## measure three daemons over PostgreSQL beside one over SQLite: decisions, waiting asks, Discord
	@CALLGATE_SCALE=1 $(GO) test -count=1 -v $(PATIENCE) -run 'TestTeam(Scale|Discord)$$' ./host/cli | grep -E ': |^(---|ok|FAIL)'

faults: $(MODULES) ## kill three daemons and their PostgreSQL amid 1,000 answered checks
	CALLGATE_FAULTS=1 $(GO) test -count=1 -v -run 'TestTeam(Faults|Failover|DeadNode|Discord)' ./host/cli

# The rooms that decide a call and show it to a person: no daemon, no network. Of what
# did not change, go test keeps the result.
DECIDING := ./engine/... ./sdk/go/... ./plugins/... ./host/wire ./host/internal/text/... ./host/internal/store/mask \
	./host/internal/approval/... ./host/internal/gate/... ./host/internal/testkit/arrows
quick: $(MODULES) ## build everything, run the tests of the rooms that decide: under a minute
	@$(GO) build ./...
	@$(GO) test $(PATIENCE) $(DECIDING) | { grep -v '	\[no test files\]$$' || true; }

# The first line of it compiles the modules, seven times faster than the race
# detector would; where it cannot, the tests say why.
race: $(MODULES) ## run every test under the race detector (needs a C compiler)
	@if [ "$$($(GO) env CGO_ENABLED)" = 1 ] && command -v "$$($(GO) env CC)" >/dev/null; then \
		$(GO) test -count=1 -run '^$$' ./host/internal/toolkit/eval >/dev/null || true; \
		testdata/test.sh -race -v $(PATIENCE) | $(SHORTEN); \
	else echo "SKIPPED race: no C compiler ($$($(GO) env CC)); install gcc or clang to run it"; fi

FUZZTIME ?= 10s
fuzz: $(MODULES) ## run every fuzzer for FUZZTIME each (default 10s)
	@grep -rlE '^func Fuzz' --include='*_test.go' engine host plugins sdk cmd | sort | while read -r file; do \
		grep -oE '^func Fuzz[A-Za-z0-9_]*' "$$file" | cut -c6- | while read -r target; do \
			echo "== $$(dirname "$$file") $$target"; \
			$(GO) test "./$$(dirname "$$file")" -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) </dev/null; \
		done; done

CHECKS ?= 20000
hunt: $(MODULES) ## run every property test on CHECKS inputs drawn anew (default 20000)
	@failed=; for package in $$(grep -rl '"pgregory.net/rapid"' --include='*_test.go' engine host plugins sdk | xargs -n1 dirname | sort -u); do \
		echo "== $$package"; \
		$(GO) test "./$$package" $(PATIENCE) -count=1 -run "$$(grep -hE -B40 'rapid\.(Check|MakeCheck)\(' "./$$package"/*_test.go | grep -oE '^func Test[A-Za-z0-9_]*' | cut -c6- | sort -u | paste -sd'|' | sed 's/.*/^(&)$$/')" -rapid.checks=$(CHECKS) </dev/null || failed+=" $$package"; \
	done; [ -z "$$failed" ] || { echo "properties that do not hold are in:$$failed"; exit 1; }

corpus: build ## run the policy cases of testdata/corpus: a table of class, cases, wrong
	@bin/callgate eval --corpus testdata/corpus

# RECORD=1 writes the record anew; ANSWERS=DIR leaves the whole answers there.
oracle: build ## compare every answer, golden, script and test name with testdata/oracle, byte for byte
	@$(GO) run ./testdata/oracle $(if $(RECORD),-record) $(if $(ANSWERS),-answers '$(ANSWERS)')

house: $(MODULES) ## print the figures of the structure; QUICK=1 without those that build
	@$(GO) run ./testdata/house $(if $(QUICK),-quick)

# FILES=1 names the worst files, CHECK=1 fails when an aim is missed.
language: ## measure how plainly comments and documents are written, per 1,000 words
	@$(GO) run ./testdata/language $(if $(FILES),-files 30) $(if $(CHECK),-check)

MUTATIONS ?= .
mutate: ## take each promise's line of code away and expect its test to fail; MUTATIONS=REGEXP for some
	@$(GO) run ./testdata/mutations -run '$(MUTATIONS)'

# QUICK=1: a minute, for CI; RECORD=1 with it records the figures to compare with.
bench: $(MODULES) build ## measure beside the named peers, with the aims; QUICK=1 against the last record
	@$(MAKE) --no-print-directory -C testdata/bench $(if $(QUICK),quick,bench)

##@ Ship
.PHONY: dist dist-check release-modules modules-check
# RATIONALE.md, "Why does a Go program of ours make the packages?".
TARGETS ?= linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64
dist: $(CODE).made ## make binaries, archives, deb, rpm, images, SBOMs and checksums in bin/dist; TARGETS=OS/ARCH,... RELEASE=0.1.0
	@cd testdata/dist && $(GO) run . -targets '$(TARGETS)' $(if $(RELEASE),-version '$(RELEASE)')

dist-check: $(CODE).made ## build a release twice, compare, unpack each package and have it decide
	@cd testdata/dist && $(GO) vet ./... && $(GO) test -v $(PATIENCE) ./... | awk -f ../results.awk

release-modules: ## make the modules of these sources with TinyGo, for releases and go install; commit them with the sources
	@rm -rf bin/modules && mkdir -p bin/modules && by=$$(plugins/dist/tinygo.sh . bin/modules) && \
		$(GO) run ./plugins/internal/pack -by "$$by" $(RELEASED) bin/modules/*.wasm
	@$(MAKE) --no-print-directory $(MODULES)
	@ls -l $(RELEASED)

modules-check: ## rebuild the release's modules from the sources they were committed with, compare the bytes
	@GO='$(GO)' plugins/dist/check.sh $(RELEASED)

##@ Keep
.PHONY: docs
docs: ## write the generated pages of docs/reference and the picture of the terminal
	@$(GO) test ./host/cli -run '^TestReference$$' -update -count=1 | $(SHORTEN)

.PHONY: cards
cards: ## draw each kind of card into docs/pictures, and print how tall it is on a phone
	@$(GO) test ./host/internal/approval/card ./host/internal/approval/terminal ./host/internal/discord/message -run '^Test(Golden|GoldenPrompt|Cards)$$' -update -count=1 >/dev/null
	@cat host/internal/discord/message/testdata/sizes.golden

.PHONY: wasm wasm-check wasm-clean lint vuln fmt check tidy clean help
# Nothing is installed: what a language lacks here is said, and its module stays.
GOLDENS := $(GO) test ./host/internal/toolkit/scaffold -run '^TestGoldens$$' -count=1 -v
wasm: wasm-clean $(MODULES) ## make every module anew: first-party ones where they differ from the release's, test modules, the deploy example
	@testdata/modules/build.sh
	@$(GOLDENS) -rebuild | $(SHORTEN)

wasm-check: ## compare the committed modules with what their sources make
	@testdata/modules/build.sh --check
	@$(GOLDENS) | $(SHORTEN)

wasm-clean:
	@rm -f plugins/dist/*.wasm $(MODULES) $(dir $(RELEASED))modules.zip

# The binary embeds the release's modules, and beside them those of the tree where
# these are others. RATIONALE.md, "Why are the release's modules in the tree?".
$(MODULES): $(GUEST_SOURCES) $(RELEASED) plugins/dist/modules.sh plugins/dist/guests.txt $(wildcard plugins/internal/pack/*.go)
	@GO='$(GO)' plugins/dist/modules.sh $@ $(RELEASED)

# One file stands for the code, since the names depend on the processor. A system without a
# directory for code has none.
$(CODE).made: $(MODULES) $(shell find host/internal/modules/precompile host/internal/modules/sandbox -name '*.go' -not -name '*_test.go') go.mod
	@if [ -d $(CODE) ]; then echo "compiling the modules for this machine"; $(GO) run ./host/internal/modules/precompile $(CODE) $(MODULES); fi
	@touch $@

lint: $(MODULES) ## the linters of .golangci.yml for the host, vet for the guests
	@$(GO) run $(LINT) run ./...
	@GOOS=wasip1 GOARCH=wasm $(GO) vet ./plugins/... ./sdk/...

# Exit 3 is a finding; another failure is one of the tool's own.
vuln: ## look for known vulnerabilities in what the code calls; skipped where vuln.go.dev is not reachable
	@out=$$($(GO) run $(VULN) $(VULNFLAGS) ./... 2>&1) && { echo "vuln: none known"; exit 0; }; \
	case "$$out" in \
		*"fetching vulnerabilities: "*) out=$${out##*fetching vulnerabilities: }; echo "SKIPPED vuln: vuln.go.dev is not reachable: $${out%%$$'\n'*}";; \
		*) printf '%s\n' "$$out"; exit 1;; \
	esac

fmt: ## format every Go file
	@gofmt -l -w $(shell git ls-files -co --exclude-standard '*.go')

check: lint vuln race mutate modules-check dist-check ## everything a commit must pass besides the tests; leaves a clean tree
	@out=$$(gofmt -l $$(git ls-files '*.go')); [ -z "$$out" ] || { echo "not formatted (make fmt):"; echo "$$out"; exit 1; }
	@$(MAKE) -s language CHECK=1
	@$(GO) mod tidy -diff >/dev/null || { echo "go.mod or go.sum is not tidy: run go mod tidy"; exit 1; }
	@$(GO) mod verify
	-@$(MAKE) -s bench QUICK=1
	@for os in darwin windows; do echo "building for $$os"; GOOS=$$os $(GO) build -o /dev/null ./cmd/callgate && GOOS=$$os $(GO) build -o /dev/null ./host/callgate-hook; done
	@[ -z "$$(git status --porcelain)" ] || { echo "check left or found changes:"; git status --short; exit 1; }
	@echo "check: all good"

clean: ## remove what make made
	@rm -rf bin plugins/dist/*.wasm $(MODULES) $(dir $(RELEASED))modules.zip $(filter-out %/README.md,$(wildcard $(CODE)/*)) $(CODE).made $(addprefix $(CALLGATE_TEST_CACHE)/,code lock)

help: ## list the commands
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-z-]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
