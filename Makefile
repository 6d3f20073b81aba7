# Needs nothing beforehand but make and a python3; everything else goes into .tools and .venv.
UV := .tools/bin/uv
BIN := .venv/bin
SOURCES := bayesbias tests benchmarks scripts

.PHONY: env demo test test-slow lint bench clean

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
	$(BIN)/bayesbias run religion --out bayesbias-demo --force

test: env
	$(BIN)/pytest -n 2 -m "not slow"

test-slow: env
	$(BIN)/pytest -n 2 -m slow

lint: env
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/mypy

bench: env
	$(UV) pip install --quiet --python $(BIN)/python --constraints constraints.txt --editable '.[dev,samplers]'
	$(BIN)/python -m benchmarks

clean:
	rm -rf .venv .tools bayesbias-demo dist
