# make book    the HTML book, from a fresh machine        make test    proves every number in it
# make quick, lint, lowest, pins, chapters, slides, student, pdf, studies, replay, bench, clean: see
# CONTRIBUTING.md
PYTHON ?= python3
JOBS ?= 2
# One more than there are cores: tests often wait for a browser or a kernel.
WORKERS := $(shell expr $(JOBS) + 1)
# They use all cores, so threads would only wait for each other; memory and bytecode are kept.
test prove quick lowest: export OPENBLAS_NUM_THREADS := 1
test prove quick lowest: export MALLOC_MMAP_THRESHOLD_ := 1073741824
test prove quick lowest: export MALLOC_TRIM_THRESHOLD_ := 4294967296
unexport PYTHONDONTWRITEBYTECODE
VENV := .venv
BIN := $(VENV)/bin
# One stamp per purpose: the book needs neither what runs the chapters nor what tests them.
BOOK := $(VENV)/.book
STUDIES := $(VENV)/.studies
TEST := $(VENV)/.test

# The lowest versions that pyproject.toml allows, in an environment of their own.
LOWEST := .venv-lowest

.PHONY: book test kernels pages prove quick lowest lint pins chapters slides student pdf studies replay bench clean env

book: $(BOOK)
	@$(BIN)/python -m press.build

# Linters, loops and build beside the tests; a test of the pages waits until they are built, and
# the first chapter with a tagger comes when its loops are compiled.
test: $(TEST)
	@$(MAKE) --no-print-directory --jobs 4 lint kernels pages prove

kernels: $(TEST)
	@$(BIN)/python -m press.kernels

pages: $(TEST)
	@$(BIN)/python -m press.build

prove: $(TEST)
	$(BIN)/python -m pytest chapters intro.ipynb tests/book tests lib/betterthan --doctest-modules --nbval \
	  -p press.nbval_guard --ignore tests/benchmarks --ignore chapters/_ext \
	  -n $(WORKERS) --dist loadfile --no-loadscope-reorder

# For whoever changes a function: what takes long or needs a corpus, a page or a browser is left out.
quick: $(TEST) lint
	$(BIN)/python -m pytest lib/betterthan --doctest-modules @tests/quick.txt -n $(WORKERS)

lowest: $(LOWEST)/.made
	$(LOWEST)/bin/python -m pytest @tests/quick.txt -n $(WORKERS)

lint: $(TEST)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# What the versions chosen by hand bring along, into the second part of requirements.txt.
pins: $(TEST)
	$(BIN)/python -m press.pins

chapters: $(STUDIES)
	$(BIN)/python -m press.chapters

slides: $(BOOK)
	$(BIN)/python -m press.slides

student: $(BOOK)
	$(BIN)/python -m press.student

# The stories to take along, printed by Chromium.
pdf: $(BOOK)
	$(BIN)/python -m press.pdf

studies: $(STUDIES)
	$(BIN)/python -m studies --all --jobs $(JOBS)

replay: $(STUDIES)
	$(BIN)/python -m studies --all --replay

bench: $(TEST)
	$(BIN)/python tests/benchmarks/run.py

env: $(TEST)
	@echo "The environment is in $(VENV): now make quick, make book or make test"

# An environment is made whole or not at all: a half-made one (Debian without python3-venv leaves
# one that has no pip) would be taken for a whole one ever after.
define make_venv
@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
  echo "Python 3.11 or later is needed, and $(PYTHON) is older: make PYTHON=/path/to/python3.11"; exit 1; }
@$(1)/bin/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(1) || { \
  rm -rf $(1); echo "$(PYTHON) -m venv does not work here (Debian, Ubuntu: install python3-venv)"; exit 1; }
endef

# uv installs the pinned requirements in seconds; pip does the same in minutes. Bytecode is made once,
# and not by every process that imports a package first.
$(BOOK): extras := book
$(STUDIES): extras := book,studies
$(TEST): extras := book,studies,test
$(BOOK) $(STUDIES) $(TEST): requirements.txt pyproject.toml
	$(call make_venv,$(VENV))
	@if command -v uv >/dev/null 2>&1; then uv=uv; \
	 elif $(BIN)/pip install --quiet --disable-pip-version-check uv 2>/dev/null; then uv=$(BIN)/uv; fi; \
	 echo "Installing betterthan[$(extras)] into $(VENV)"; \
	 { [ -n "$$uv" ] && VIRTUAL_ENV=$(VENV) $$uv pip install --quiet --compile-bytecode -c requirements.txt -e '.[$(extras)]'; } \
	 || $(BIN)/pip install --quiet --disable-pip-version-check -c requirements.txt -e '.[$(extras)]'
	@touch $@

# Only uv can look for the lowest; what tests need beyond the library comes as it is today.
$(LOWEST)/.made: pyproject.toml
	$(call make_venv,$(LOWEST))
	@echo "Installing the lowest versions into $(LOWEST)"
	@$(LOWEST)/bin/pip install --quiet --disable-pip-version-check uv
	@$(LOWEST)/bin/uv pip compile --quiet --python $(LOWEST) --upgrade --resolution lowest-direct \
	  --extra all pyproject.toml -o $(LOWEST)/lowest.txt
	@VIRTUAL_ENV=$(LOWEST) $(LOWEST)/bin/uv pip install --quiet -c $(LOWEST)/lowest.txt -e '.[book,studies,test]'
	@touch $@

clean:
	rm -rf _build .pytest_cache .ruff_cache .mypy_cache .hypothesis
