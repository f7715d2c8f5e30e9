# make book    the HTML book, from a fresh machine        make test    proves every number in it
# make chapters, slides, studies, replay, bench, clean: see CONTRIBUTING.md
PYTHON ?= python3
JOBS ?= 2
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: book test chapters slides studies replay bench lint clean env

book: $(STAMP)
	@$(BIN)/python -m press.build

test: $(STAMP) lint
	@$(BIN)/python -m press.build
	$(BIN)/python -m pytest tests lib/betterthan --doctest-modules --ignore tests/benchmarks -n $(JOBS) --dist loadfile
	$(BIN)/python -m pytest intro.ipynb chapters --nbval -p press.nbval_guard -n $(JOBS) --dist loadfile

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

chapters: $(STAMP)
	$(BIN)/python -m press.chapters

slides: $(STAMP)
	$(BIN)/python -m press.slides

studies: $(STAMP)
	$(BIN)/python -m studies --all --jobs $(JOBS)

replay: $(STAMP)
	$(BIN)/python -m studies --all --replay

bench: $(STAMP)
	$(BIN)/python tests/benchmarks/run.py

env: $(STAMP)

# uv installs the pinned requirements in seconds; pip does the same in minutes.
$(STAMP): requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' || { \
	  echo "Python 3.11 is needed, and $(PYTHON) is another: make PYTHON=/path/to/python3.11"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@if command -v uv >/dev/null 2>&1; then uv=uv; \
	 elif $(BIN)/pip install --quiet --disable-pip-version-check uv 2>/dev/null; then uv=$(BIN)/uv; fi; \
	 echo "Installing requirements.txt into $(VENV)"; \
	 { [ -n "$$uv" ] && VIRTUAL_ENV=$(VENV) $$uv pip install --quiet -r requirements.txt; } \
	 || $(BIN)/pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

clean:
	rm -rf _build .pytest_cache .ruff_cache .hypothesis
