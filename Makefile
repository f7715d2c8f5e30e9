# make book    the HTML book, from a fresh machine        make test    proves every number in it
# make quick, chapters, slides, student, studies, replay, bench, clean: see CONTRIBUTING.md
PYTHON ?= python3
JOBS ?= 2
# One more than there are cores: tests often wait for a browser or a kernel.
WORKERS := $(shell expr $(JOBS) + 1)
# They use all cores, so threads would only wait for each other; memory and bytecode are kept.
test quick: export OPENBLAS_NUM_THREADS := 1
test quick: export MALLOC_MMAP_THRESHOLD_ := 1073741824
test quick: export MALLOC_TRIM_THRESHOLD_ := 4294967296
unexport PYTHONDONTWRITEBYTECODE
VENV := .venv
BIN := $(VENV)/bin
# One stamp per purpose: the book needs neither what runs the chapters nor what tests them.
BOOK := $(VENV)/.book
STUDIES := $(VENV)/.studies
TEST := $(VENV)/.test

.PHONY: book test quick chapters slides student studies replay bench lint clean env

book: $(BOOK)
	@$(BIN)/python -m press.build

test: $(TEST) lint
	@$(BIN)/python -m press.build
	$(BIN)/python -m pytest chapters intro.ipynb tests/book tests lib/betterthan --doctest-modules --nbval \
	  -p press.nbval_guard --ignore tests/benchmarks --ignore chapters/_ext \
	  -n $(WORKERS) --dist loadfile --no-loadscope-reorder

# For whoever changes a function: what takes long or needs a corpus, a page or a browser is left out.
NOT_QUICK := book benchmarks test_benchmarks.py test_capstone.py test_coverage.py \
  test_faults_of_peers.py test_replicability_studies.py test_studies.py test_today.py
quick: $(TEST) lint
	$(BIN)/python -m pytest tests $(NOT_QUICK:%=--ignore tests/%) -n $(WORKERS) -q -m "not slow and not corpora"

lint: $(TEST)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

chapters: $(STUDIES)
	$(BIN)/python -m press.chapters

slides: $(BOOK)
	$(BIN)/python -m press.slides

student: $(BOOK)
	$(BIN)/python -m press.student

studies: $(STUDIES)
	$(BIN)/python -m studies --all --jobs $(JOBS)

replay: $(STUDIES)
	$(BIN)/python -m studies --all --replay

bench: $(TEST)
	$(BIN)/python tests/benchmarks/run.py

env: $(TEST)

# uv installs the pinned requirements in seconds; pip does the same in minutes.
$(BOOK): extras := book
$(STUDIES): extras := book,studies
$(TEST): extras := book,studies,test
$(BOOK) $(STUDIES) $(TEST): requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Python 3.11 or later is needed, and $(PYTHON) is older: make PYTHON=/path/to/python3.11"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@if command -v uv >/dev/null 2>&1; then uv=uv; \
	 elif $(BIN)/pip install --quiet --disable-pip-version-check uv 2>/dev/null; then uv=$(BIN)/uv; fi; \
	 echo "Installing betterthan[$(extras)] into $(VENV)"; \
	 { [ -n "$$uv" ] && VIRTUAL_ENV=$(VENV) $$uv pip install --quiet -c requirements.txt -e '.[$(extras)]'; } \
	 || $(BIN)/pip install --quiet --disable-pip-version-check -c requirements.txt -e '.[$(extras)]'
	@touch $@

clean:
	rm -rf _build .pytest_cache .ruff_cache .hypothesis
