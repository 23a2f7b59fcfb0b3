# The targets that people and CI use. "make test" installs what it needs where
# it can, and says what is missing where it can't.

# VCS stamping fails where git distrusts the folder's owner; then it is left out.
BUILDVCS := $(shell git rev-parse HEAD >/dev/null 2>&1 && echo true || echo false)
# Making one interesting input smaller takes a minute unless it is bounded, and
# nothing is tried meanwhile.
FUZZTIME ?= 30s
# The random tests draw the same in every run, so that a red one is a change's
# own; "make fuzz" draws anew and looks further.
RAPID_SEED ?= 1
RAPID_CHECKS ?= 100
export RAPID_SEED RAPID_CHECKS

.PHONY: build
build: ## the one binary, bin/pgask
	go build -buildvcs=$(BUILDVCS) -o bin/pgask ./cmd/pgask

.PHONY: demo
demo: build ## a throw-away Postgres, the sample company and the proxy
	./bin/pgask demo

.PHONY: test
test: needs check ## everything that CI runs
	go test -race -timeout 30m ./...

# Every server that is found, or those whose folders of programs SERVERS lists.
SERVERS ?= $(wildcard /usr/lib/postgresql/*/bin)

.PHONY: test-servers
test-servers: needs ## the wire and its refusals against several versions of Postgres
	@set -e; for bin in $(SERVERS); do \
		$$bin/postgres --version; \
		PGASK_PG_BIN=$$bin go test -count=1 -run 'TestPlanted|TestRefusal|TestTransparent|TestUnfinishedBatch' ./proxy; \
		PGASK_PG_BIN=$$bin go test -count=1 -run 'TestSame|TestRefusals|TestReadWrite|TestClientGone|TestBackendKilled' ./integration; \
	done

.PHONY: needs
needs: ## what the tests need besides Go, a C compiler, make and git
	./integration/needs.sh

.PHONY: check
check: ## format, vet and lint
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "gofmt -w these:"; echo "$$unformatted"; exit 1; fi
	go vet ./...
	go tool staticcheck ./...

.PHONY: generate
generate: ## the JSON schemas of the files, from the code that reads them
	go generate ./configs

# A folder with questions.jsonl and a dump of each database, and flags of the runner
# (integration/survey_set_test.go): QUESTIONS="-fold held -column question -report FILE".
SET ?= ../shared/questions/tuning
QUESTIONS ?=

.PHONY: questions
questions: build ## how well the built-in planner answers a set of questions
	PGASK_INTEGRATION_PROGRAM=$(CURDIR)/bin/pgask go test -count=1 -timeout 30m -v -run '^TestQuestionSet$$' ./integration -set $(abspath $(SET)) $(QUESTIONS)

.PHONY: bench
bench: ## Go benchmarks of every package
	go test -run '^$$' -bench . -benchmem ./...

.PHONY: prompt-tokens
prompt-tokens: ## how large the parts of prompts are, for questions to the sample company
	go test -count=1 -v -run '^TestPromptParts$$' ./integration

.PHONY: fuzz
fuzz: fuzz-random ## every fuzzer for FUZZTIME, and the random tests
	@set -e; for package in $$(go list ./...); do \
		for fuzzer in $$(go test -list '^Fuzz' $$package | grep '^Fuzz' || true); do \
			echo "$$package $$fuzzer"; \
			go test -run '^$$' -fuzz "^$$fuzzer\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1000x $$package; \
		done; \
	done

.PHONY: fuzz-random
fuzz-random: RAPID_SEED = 0
fuzz-random: RAPID_CHECKS = 3000
fuzz-random: ## the random tests with seeds of their own and many checks
	go test -count=1 -timeout 60m $$(go list -f '{{$$p := .ImportPath}}{{range .TestImports}}{{if eq . "pgregory.net/rapid"}}{{$$p}} {{end}}{{end}}{{range .XTestImports}}{{if eq . "pgregory.net/rapid"}}{{$$p}} {{end}}{{end}}' ./... | tr ' ' '\n' | sort -u)

.PHONY: fuzz-policy
fuzz-policy: ## 100,000 random queries over 50 random schemas and policies, held against row level security
	go test -count=1 -timeout 180m -run TestRandomWorlds ./policy -world $$(date +%s) -worlds 50 -queries 2000

.PHONY: test-docker
test-docker: needs ## the integration tests against a dockerized Postgres
	docker compose -f integration/compose.yaml up --detach --wait
	PGASK_TEST_DSN='postgres://postgres:postgres@127.0.0.1:55432/postgres?sslmode=disable' \
		go test -race -count=1 -p 1 -timeout 20m ./integration/...; \
		status=$$?; docker compose -f integration/compose.yaml down --volumes; exit $$status

.PHONY: clean
clean:
	rm -rf bin
