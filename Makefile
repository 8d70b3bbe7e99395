# Each target builds .venv first if it is missing; nothing but Python 3.11 is needed.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.built
PARALLEL := --numprocesses 2 --dist
export OMP_NUM_THREADS := 1

.PHONY: demo test bench stability lint clean

$(STAMP): requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	$(BIN)/python -m compileall -q $(VENV)/lib > /dev/null || true
	touch $@

demo: $(STAMP)
	$(BIN)/python -m examples.demo

lint: $(STAMP)
	$(BIN)/ruff format --check grader tests
	$(BIN)/ruff check .
	$(BIN)/mypy

test: lint
	$(BIN)/python -m pytest $(PARALLEL) worksteal --ignore tests/units --cov --cov-report term-missing:skip-covered
	$(BIN)/python -m pytest $(PARALLEL) loadgroup tests/units

bench: $(STAMP)
	$(BIN)/python -m benchmarks.bench

stability: $(STAMP)
	$(BIN)/python -m benchmarks.stability
	$(BIN)/python -m benchmarks.gain_trials
	GRADE_MATRIX=all GRADE_CONTRACT=all GRADE_JUNK=all $(BIN)/python -m pytest $(PARALLEL) loadgroup \
		tests/mini_project/test_matrix.py tests/units/test_contract.py tests/units/test_junk_answers.py

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache build dist
