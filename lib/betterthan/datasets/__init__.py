"""Real corpora: one that is always there, and others that are downloaded on demand.

`peoples_daily` needs no network. The others are downloaded once, checked against the
registered SHA-256 and kept in the user's cache folder, or in the folder that the
environment variable ``BETTERTHAN_DATA`` names. Their licence and citation are shown before
the first download, and `info` lists them.
"""

from ._corpora import (
    anem,
    btc,
    conll2000,
    conll2002,
    conll2002_documents,
    gum,
    krenn_ppv,
    product_reviews,
    sighan2005,
    sighan2005_words,
    wikigold,
    wnut2017,
    wnut2017_systems,
)
from ._fetch import DownloadError, cache_folder, download
from ._info import CORPORA, Corpus, info
from ._pairs import adjacent_pairs
from ._papers import paper_table, study_table
from ._peoples_daily import entities, peoples_daily, segmentation
from ._sentence import Sentence
from ._today import (
    evaluation_logs,
    flipeval,
    flipeval_shots,
    llm_calibration,
    llmfao,
    mqm_ted,
    swebench_pro,
    tau_bench,
)

__all__ = [
    "CORPORA",
    "Corpus",
    "DownloadError",
    "Sentence",
    "adjacent_pairs",
    "anem",
    "btc",
    "cache_folder",
    "conll2000",
    "conll2002",
    "conll2002_documents",
    "download",
    "entities",
    "evaluation_logs",
    "flipeval",
    "flipeval_shots",
    "gum",
    "info",
    "krenn_ppv",
    "llm_calibration",
    "llmfao",
    "mqm_ted",
    "paper_table",
    "peoples_daily",
    "product_reviews",
    "segmentation",
    "sighan2005",
    "sighan2005_words",
    "study_table",
    "swebench_pro",
    "tau_bench",
    "wikigold",
    "wnut2017",
    "wnut2017_systems",
]
