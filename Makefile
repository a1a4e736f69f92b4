# The words CI, the README and CONTRIBUTING use. Each does its own set-up.
.DEFAULT_GOAL := help
SERVE ?= 1
DEMO ?= demo
CLUSTER ?= cluster
PORT ?= 8000
PYTEST ?=
bin := .venv/bin

.PHONY: help demo cluster test check trust clients languages fuzz sbom format lock clean

help: ## say what there is
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' Makefile | expand -t 16

demo: ## build the sample portal and serve it on http://127.0.0.1:8000 (SERVE=0: only build)
	@scripts/setup run
	@$(bin)/portico demo $(DEMO) --port $(PORT) $(if $(filter 0,$(SERVE)),--no-serve)

cluster: ## build the sample portal on PostgreSQL, with two Dask workers, crawlers and portal nodes of this machine (CLUSTER=folder)
	@scripts/setup cluster
	@$(bin)/python scripts/cluster.py $(CLUSTER) --port $(PORT)

test: ## everything CI runs: style, types, doors, tests in a real browser
	@scripts/setup test
	@$(MAKE) --no-print-directory check
	@echo "• tests"
	@$(bin)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder $(PYTEST)

check: ## the fast part: style, types, dead code, doors (seconds)
	@scripts/setup test
	@echo "• ruff"
	@$(bin)/ruff check . && $(bin)/ruff format --check --quiet . || { echo "portico: run 'make format'"; exit 1; }
	@echo "• mypy"
	@$(bin)/mypy
	@echo "• dead code"
	@$(bin)/python scripts/dead_code.py
	@echo "• import contracts"
	@$(bin)/lint-imports --no-cache >/tmp/portico-contracts.$$$$ || { cat /tmp/portico-contracts.$$$$; exit 1; }; rm -f /tmp/portico-contracts.$$$$

trust: ## try what docs/trust.md promises and has not shown yet, and write the figures there (minutes; ROWS="kills fuzz")
	@scripts/setup test
	@test -d $(DEMO) || $(MAKE) --no-print-directory demo SERVE=0
	@$(bin)/python scripts/trust.py $(ROWS) --portal $(DEMO)/portal

clients: ## ask programs of others what they make of the demo, and write docs/clients.md (minutes)
	@scripts/setup run
	@test -d $(DEMO) || $(MAKE) --no-print-directory demo SERVE=0
	@$(bin)/python scripts/clients.py $(DEMO)/portal

fuzz: ## feed readers of strangers' bytes with made-up ones, MINUTES each (1); findings become tests
	@scripts/setup test
	@$(bin)/python scripts/fuzz.py --minutes $(or $(MINUTES),1)

sbom: ## list the locked packages with licenses and digests in sbom.json (CycloneDX)
	@scripts/setup test
	@$(bin)/python scripts/components.py --output sbom.json

languages: ## bring the catalogs of translated texts up to date with the pages; says what is not translated
	@scripts/setup test
	@$(bin)/python scripts/languages.py && $(bin)/python scripts/languages.py --check

format: ## let ruff put things in order
	@scripts/setup test
	@$(bin)/ruff check --fix --quiet . ; $(bin)/ruff format --quiet .

lock: ## pin the dependencies again (needs uv)
	uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate --extra build pyproject.toml -o requirements.lock
	uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate --extra build --extra cluster --extra dev pyproject.toml -c requirements.lock -o requirements-dev.lock

clean: ## remove what make has made
	rm -rf .venv $(DEMO) $(CLUSTER) .mypy_cache .ruff_cache .pytest_cache .hypothesis
