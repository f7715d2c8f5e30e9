"""Tables as people have them: CSV with any separator, JSON lines, a JSON list, Excel, parquet.

A `Table` is columns of cells, each cell the text that stands in the file; a `Column` knows whether
its cells are numbers, right and wrong, or text. What the columns *mean* is decided in `_roles`.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import dropwhile, pairwise
from typing import Any

import numpy as np

from betterthan._words import is_it, some_of
from betterthan.errors import InputError, Say, shown_name
from betterthan.readers._text import MOST_BYTES, Source, as_number, bytes_stream, separator_of

SEPARATORS = ("\t", ";", ",")
_LONGEST_HEADER = 1_000_000
# What str.strip takes off within ASCII, but for the line end.
_BLANKS = " \t\r\v\f\x1c\x1d\x1e\x1f"
# Cells of nothing but these characters are numbers, or are refused by float().
_NOT_OF_NUMBERS = re.compile(r"[^0-9+\-.eE\n]")
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+")
# What may be a thousand and some as well: 1,167.
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")
# Longer rows of digits are names, and no computer counts with them exactly.
_WHOLE = re.compile(r"[0-9]{1,15}")
# What most of the cells are is asked of so many.
_SOME = 1_000
# What a file is is asked of so many lines.
_FIRST = 50
# Words for right and wrong, and what each counts.
RIGHT_WRONG: tuple[tuple[str, str], ...] = (
    ("true", "false"),
    ("yes", "no"),
    ("pass", "fail"),
    ("passed", "failed"),
    ("correct", "incorrect"),
    ("right", "wrong"),
    ("c", "i"),
)
# What people and programs write where there is no answer.
NO_ANSWER = frozenset({"#n/a", "-", "--", "<na>", "n/a", "na", "nan", "none", "null"})
POINT = "a decimal comma? write a point"


class Column:
    """The cells of one column, and what they are.

    Attributes
    ----------
    name : str
        As the file calls it.
    cells : sequence of str
        One per row, without white space around them.
    """

    def __init__(self, name: str, cells: Sequence[str]) -> None:
        self.name = name
        self.cells = cells

    def __len__(self) -> int:
        return len(self.cells)

    @cached_property
    def distinct(self) -> set[str]:
        """The different cells."""
        return set(self.cells)

    @cached_property
    def is_distinct(self) -> bool:
        """Whether every row has another cell, and none is blank."""
        return len(self.distinct) == len(self.cells) and "" not in self.distinct

    @cached_property
    def blanks(self) -> int:
        """How many cells are blank."""
        return self.cells.count("")

    @cached_property
    def is_number(self) -> bool:
        """Whether every cell that is not blank is a finite number."""
        return self._floats is not None and self.blanks < len(self)

    @cached_property
    def _floats(self) -> np.ndarray | None:
        """The cells as numbers, NaN for a blank one; None if any is something else."""
        joined = "\n".join(self.cells)
        if _NOT_OF_NUMBERS.search(joined):
            return None
        try:
            found = self._parsed(joined)
        except ValueError:
            return None
        infinite = np.isinf(found).any() or int(np.isnan(found).sum()) > self.blanks
        return None if infinite else found

    def _parsed(self, joined: str) -> np.ndarray:
        """The cells as numbers, by pandas where each stands on a line of its own."""
        if len(self) > _SOME and not self.blanks and joined.count("\n") == len(self) - 1:
            return _numbers_on_lines(joined)
        return np.fromiter((float(cell or "nan") for cell in self.cells), float, len(self))

    @property
    def numbers(self) -> np.ndarray:
        """The cells as numbers, NaN for a blank one."""
        if self._floats is None:
            raise InputError(column=self.name, expected="numbers")
        return self._floats

    @cached_property
    def right_wrong(self) -> tuple[str, str] | None:
        """The words for right and wrong that all its cells are; None if they are not."""
        if len(set(self.cells[:_SOME])) > 5:  # which spares a look at a million numbers
            return None
        words = self.distinct - {""}
        if not words or len(words) > 4:
            return None
        lowered = {word.lower() for word in words}
        for pair in RIGHT_WRONG:
            # C and I are grades in capitals only.
            if lowered <= set(pair) and (pair[0] != "c" or words <= {"C", "I"}):
                return pair
        return None

    @cached_property
    def mostly_right_wrong(self) -> tuple[str, str] | None:
        """The words for right and wrong that half of its cells are, though not all."""
        if not self.is_text:
            return None
        some = [cell for cell in self.cells[:_SOME] if cell]
        for pair in RIGHT_WRONG[:-1]:  # a single letter is more often something else
            if 2 * sum(1 for cell in some if cell.lower() in pair) >= len(some) > 0:
                return pair
        return None

    @cached_property
    def is_whole(self) -> bool:
        """Whether all cells are written as whole numbers without a sign."""
        some = self.cells[:_SOME]
        return all(map(_WHOLE.fullmatch, some)) and all(map(_WHOLE.fullmatch, self.distinct))

    @cached_property
    def mostly_numbers(self) -> bool:
        """Whether half of its cells are numbers, a decimal comma or not, though not all."""
        if not self.is_text:
            return False
        some = [cell for cell in self.cells[:_SOME] if cell]
        return bool(some) and 2 * sum(map(looks_like_number, some)) >= len(some)

    @cached_property
    def is_text(self) -> bool:
        """Whether it is neither numbers nor right and wrong nor blank."""
        return not (self.is_number or self.right_wrong or self.distinct <= {""})

    @cached_property
    def answers(self) -> Column:
        """The same with N/A, null … as blank, where the rest is numbers, or right and wrong.

        At least half of the cells must be that; of any other column it is the column itself.
        """
        if not self.is_text or not any(cell.lower() in NO_ANSWER for cell in self.distinct):
            return self
        cells = ["" if cell.lower() in NO_ANSWER else cell for cell in self.cells]
        found = Column(self.name, cells)
        return self if found.is_text or 2 * found.blanks > len(found) else found

    @cached_property
    def repeats(self) -> bool:
        """Whether its values come again so often that they may say what rows belong to.

        At least a tenth of the rows share their value with another row, and not all share one.
        A blank cell says nothing.
        """
        if self.is_distinct or len(self.distinct - {""}) < 2:
            return False
        seen = Counter(self.cells)
        sharing = sum(count for cell, count in seen.items() if cell and count > 1)
        return sharing >= 0.1 * len(self.cells)

    @cached_property
    def rises_by_one(self) -> bool:
        """Whether it numbers the rows, 0, 1, 2 … as they stand, or ten and more in any order."""
        if not self.is_whole or not self.is_distinct or len(self) < 3:
            return False
        values = [int(cell) for cell in self.cells]
        in_any_order = len(values) >= 10 and max(values) - min(values) == len(values) - 1
        return in_any_order or self.counts_rows

    @property
    def counts_rows(self) -> bool:
        """Whether it numbers the rows as they stand, by 0, 1, 2 …"""
        steps = pairwise(map(int, self.cells)) if self.is_whole else None
        return steps is not None and all(later == earlier + 1 for earlier, later in steps)

    @cached_property
    def again(self) -> tuple[int, int] | None:
        """The first row whose cell, if not blank, has been there before, and where that was."""
        first: dict[str, int] = {}
        for row, cell in enumerate(self.cells):
            if cell and first.setdefault(cell, row) != row:
                return row, first[cell]
        return None

    @cached_property
    def begins_again(self) -> bool:
        """Whether it counts up and begins again, like numbers of rows within groups."""
        if not self.is_whole or self.is_distinct or len(self.distinct) < 3:
            return False
        values = [int(cell) for cell in self.cells]
        first = values[0]
        steps = list(pairwise(values))
        counts = all(later in (earlier + 1, first) for earlier, later in steps)
        again = sum(1 for _, later in steps if later == first)
        rises = sum(1 for earlier, later in steps if later == earlier + 1)
        return counts and again >= 1 and rises >= 2 and rises > again

    @cached_property
    def stands_in_blocks(self) -> bool:
        """Whether it is whole numbers that come again and never fall, like numbers of documents."""
        if len(self) < 10 or not self.is_whole or len(self.distinct) < 3 or self.is_distinct:
            return False
        return all(int(later) >= int(earlier) for earlier, later in pairwise(self.cells))


class Table:
    """Columns of cells by name, from one file.

    Attributes
    ----------
    source : Source
        Where it stands.
    columns : dict of str to Column
        In the order of the file.
    separator : str
        What stands between cells; "" where that is not text.
    whole : Table
        All rows of the file, where these are the ones that were asked for; else the table itself.
    elsewhere : dict of str to (Table, str)
        For columns that stand in other rows of the file, those rows and what it is called there.
    lacks : bool
        Whether some of its cells are blank because the file lacks a row.
    """

    def __init__(
        self,
        source: Source,
        columns: Mapping[str, Sequence[str]],
        *,
        separator: str = "",
        line_of: Callable[[int], int] | None = None,
    ) -> None:
        self.source = source
        self.columns = {name: Column(name, cells) for name, cells in columns.items()}
        self.separator = separator
        self._line_of = line_of
        self.whole = self
        self.elsewhere: dict[str, tuple[Table, str]] = {}
        self.lacks = False

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def __getitem__(self, name: str) -> Column:
        return self.columns[name]

    def line(self, row: int) -> int:
        """In which line of the file a row begins."""
        if self._line_of is not None:
            return self._line_of(row)
        for place, (line, _) in enumerate(csv_rows(self.source, self.separator)):
            if place == row + 1:
                return line
        return 0

    def fault(self, **parts: Any) -> InputError:
        """What is wrong with the file."""
        return self.source.fault(**parts)

    def fault_at(self, row: int, column: str, **parts: Any) -> InputError:
        """What is wrong with one cell."""
        if column in self.elsewhere:
            table, name = self.elsewhere[column]
            return table.fault_at(row, name, **parts)
        value = self.columns[column].cells[row]
        return self.fault(line=self.line(row), column=column, value=value, **parts)

    @property
    def shown_names(self) -> list[str]:
        """The columns' names as lists show them."""
        return [shown_name(name) for name in self.columns]

    def called(self, name: str) -> str:
        """A column's name in the file: the one that has none may be said as it is shown."""
        means_nameless = name == shown_name("") and name not in self and "" in self
        return "" if means_nameless else name

    def need(self, argument: str, *names: str) -> None:
        """Refuse names that are no columns."""
        for name in names:
            if not isinstance(name, str) or name not in self.columns:
                shown = some_of(self.shown_names, 12)
                alone = len(self.columns) == 1
                ways = [Say("separator", when="if that is another")] if alone else []
                text = f"a column of {self.source.path}: {shown}{is_it(name, self.columns)}"
                raise InputError(argument, name, expected=text, ways=ways)

    def filled(self, name: str) -> Sequence[str]:
        """The cells of a column, none of which may be blank."""
        cells = self.columns[name].cells
        if self.columns[name].blanks:
            raise self.fault_at(cells.index(""), name, expected="a value in every row")
        return cells

    def in_order(self, *names: str) -> list[str]:
        """The different cells of some columns, as they come first in the whole file.

        So the order of systems is the same with ``where`` and without.
        """
        here = set().union(*(self[name].distinct for name in names))
        rows = zip(*(self.whole[name].cells for name in names))
        return list(dict.fromkeys(cell for row in rows for cell in row if cell in here))

    def answering(self, names: Iterable[str]) -> Table:
        """The same with what stands for no answer in these columns as blank."""
        blanked = {name: self[name].answers for name in names}
        if all(column is self[name] for name, column in blanked.items()):
            return self
        found = self.rows(range(len(self)))
        found.columns.update(blanked)
        found.whole = self.whole
        found.elsewhere = self.elsewhere | {name: (self, name) for name in blanked}
        return found

    def rows(self, wanted: Sequence[int | None]) -> Table:
        """Some of the rows; None is one that the file lacks, whose cells are blank."""
        columns = {
            name: ["" if row is None else column.cells[row] for row in wanted]
            for name, column in self.columns.items()
        }

        def line_of(place: int) -> int:
            row = wanted[place]
            return 0 if row is None else self.line(row)

        return Table(self.source, columns, separator=self.separator, line_of=line_of)


# --- Reading ----------------------------------------------------------------------------------


def read_table(source: Source, separator: str | None = None) -> Table:
    """The table in a file, whatever it is written as.

    Parameters
    ----------
    source : Source
        The file.
    separator : str, optional
        What stands between columns of text; None takes the one of tab, semicolon and comma that
        the line of names has most of.

    Returns
    -------
    Table

    Raises
    ------
    InputError
        For a file that is no table, with its line.
    """
    said, separator = separator, separator_of(separator)
    if separator is not None:
        one = isinstance(separator, str) and len(separator) == 1
        if not one or separator in '"\r\n':
            expected = "one character, or tab, comma, semicolon, bar, blank"
            raise InputError("separator", said, expected=expected)
    if source.data[:4] == b"PAR1":
        return _from_pandas(source, "parquet", "read_parquet", "fastparquet")
    if source.data[:4] == b"PK\x03\x04":
        return _from_pandas(source, "Excel", "read_excel", "openpyxl")
    if source.head.lstrip()[:1] in ("{", "["):
        return _from_json(source)
    return _from_csv(source, separator or usual_separator(source.head))


def table_of(source: Source, separator: str | None = None) -> Table:
    """The table in a file, which is parsed once."""
    kept = source.kept
    name = f"table {separator!r}"
    if name not in kept:
        kept[name] = read_table(source, separator)
    return kept[name]


def line_of_names(head: str) -> str:
    """The first line that is neither blank nor a remark."""
    lines = (one for one in head.split("\n") if one.strip())
    return next((one for one in lines if not one.lstrip().startswith("#")), "")


def is_one_column(head: str) -> bool:
    """Whether a name stands above numbers, or above right and wrong in words, one per line."""
    lines = [one.strip().strip('"') for one in head.split("\n") if one.strip()]
    name, *below = list(dropwhile(lambda line: line.startswith("#"), lines))[: 1 + _FIRST] or [""]
    if not below or is_number(name):
        return False
    return all(map(is_number, below)) or not Column(name, below).answers.is_text


def other_separator(head: str) -> str | None:
    """A bar or a blank that divides the first lines into as many cells each; None if none does."""
    lines = [one for one in head.split("\n")[:_FIRST] if one.strip()][:-1]
    for mark, some in (("|", lines[:2]), (" ", lines)):  # text of other columns has blanks, too
        widths = {line.count(mark) for line in some}
        if len(some) > 1 and len(widths) == 1 and widths != {0}:
            return mark
    return None


def usual_separator(head: str) -> str:
    """The one of tab, semicolon and comma that the line of names has most of."""
    line = line_of_names(head)
    return max(SEPARATORS, key=line.count) if any(map(line.count, SEPARATORS)) else ","


def csv_rows(source: Source, separator: str) -> Iterator[tuple[int, list[str]]]:
    """The line of names and the rows, each with the line where it begins; remarks are left out."""
    # A lone \r within a cell is a character, and ends no line.
    lines = io.StringIO(source.text, newline="\n")
    # Prompts and answers may be long; the file as a whole is within limits already.
    csv.field_size_limit(max(csv.field_size_limit(), MOST_BYTES))
    reader = csv.reader(lines, delimiter=separator, strict=True)
    last, named = 0, False
    try:
        for cells in reader:
            # A quoted cell may hold line ends: a row begins after the one before it.
            line, last = last + 1, reader.line_num
            if not cells or (not named and cells[0].lstrip().startswith("#")):
                continue
            named = True
            yield line, cells
    except csv.Error as error:
        raise source.fault(line=last + 1, problem=_in_words(error)) from None


def _in_words(error: csv.Error) -> str:
    """What is wrong with the quotation marks or line ends of a row."""
    said = str(error)
    if "unexpected end of data" in said:
        return "a quotation mark is opened here and never closed; is the file cut off?"
    if "expected after" in said:
        return "something stands after a closing quotation mark; write one inside a cell twice"
    if "new-line character" in said:
        return "a carriage return within a cell without quotation marks"
    return said


def refuse_endless_names(source: Source) -> None:
    """A line of names that does not end is none, and would take long to cut into cells."""
    text = source.text
    if len(text) > _LONGEST_HEADER and "\n" not in text[:_LONGEST_HEADER]:
        problem = f"over {_LONGEST_HEADER:,} characters; is it a CSV?"
        raise source.fault(line=1, problem=problem)


def _from_csv(source: Source, separator: str) -> Table:
    refuse_endless_names(source)
    text = source.text
    rows = csv_rows(source, separator)
    line, names = next(rows, (0, []))
    names = [name.strip() for name in names]
    if not names:
        raise _no_rows(source)
    _refuse_names(source, line, names)
    cells = _plain_columns(text, separator, len(names)) if line == 1 else None
    if cells is None:
        below = [row for _, row in rows]
        if not below:
            raise _no_rows(source)
        if set(map(len, below)) != {len(names)}:
            raise _uneven(source, separator, names)
        cells = list(zip(*below, strict=True))
    spaced = '"' in text or not text.isascii() or any(blank in text for blank in _BLANKS)
    columns: dict[str, Sequence[str]] = {}
    for name, column in zip(names, cells, strict=True):
        columns[name] = tuple(map(str.strip, column)) if spaced else column
    table = Table(source, columns, separator=separator)
    _refuse_names_again(table)
    _refuse_empty_rows(table)
    return table


def _plain_columns(text: str, separator: str, width: int) -> list[Sequence[str]] | None:
    """The columns of a text without quotation marks, all rows of one width; None for any other.

    Ten times as fast as row by row, and the same cells: large files are nearly always plain.
    """
    if any(mark in text for mark in ('"', "\r", "\n\n")) or not separator.isascii():
        return None
    body = text.removesuffix("\n")
    between = separator.encode()
    other = bytes(range(256)).translate(None, delete=between + b"\n")
    marks = body.encode().translate(None, delete=other) + b"\n"  # where cells end, and rows
    row = between * (width - 1) + b"\n"
    if len(marks) <= width or marks != row * (len(marks) // width):
        return None
    cells = body.replace("\n", separator).split(separator)
    return [cells[place + width :: width] for place in range(width)]


def _no_rows(source: Source) -> InputError:
    text = "no rows"
    return source.fault(problem=text, expected="a line of column names and rows below")


def _refuse_names(source: Source, line: int, names: Sequence[str]) -> None:
    """A line of names has different names, and none of them is a number."""
    shown = ", ".join(names)
    number = next((name for name in names if as_number(name) is not None), None)
    if number is not None:
        above = " (one that begins with # is a remark)" if line > 1 else ""
        text = f"column names, found the number {number!r:.40}: {shown!r:.80}; is the line of "
        text += f"names missing{above}? Write one above the rows, such as id,old,new"
        raise source.fault(line=line, expected=text)
    if len(set(names)) < len(names) or "" in names[1:]:
        raise source.fault(line=line, expected=f"different column names: {shown!r:.80}")


def _uneven(source: Source, separator: str, names: Sequence[str]) -> InputError:
    """Which row has too few or too many cells."""
    rows = csv_rows(source, separator)
    next(rows)
    line, cells = next((line, row) for line, row in rows if len(row) != len(names))
    hint = ""
    if _has_decimal_commas(cells, len(names)):
        hint = f"; {POINT}"
    elif len(cells) == len(names) + 1:
        hint = " (R's write.table: say col.names=NA; or does a cell with the separator in it want "
        hint += f"quotation marks?{_or_a_comma(cells, separator)})"
    elif len(cells) > len(names):
        hint = " (a cell with the separator in it wants quotation marks)"
    shown = ", ".join(cells)
    text = f"{len(names)} columns, one per name{hint}, found {len(cells)}: {shown!r:.80}"
    return source.fault(line=line, expected=text)


def _or_a_comma(cells: Sequence[str], separator: str) -> str:
    """What the last two cells may be, if together they are a number: 0,5."""
    return f" Or {POINT}" if decimal_comma(separator.join(cells[-2:])) else ""


def _has_decimal_commas(cells: Sequence[str], n_names: int) -> bool:
    """Whether the last columns fall into two cells of digits each: 0,5 between commas."""
    whole = 2 * n_names - len(cells)  # columns at the left that are one cell
    enough = len(cells) == 2 * n_names or len(cells) > n_names + 1  # one more may be R's row names
    digits = all(cell.lstrip("+-").isdecimal() for cell in cells[max(whole, 0) :])
    return whole >= 0 and enough and digits


def _refuse_names_again(table: Table) -> None:
    """Of two tables that were joined, the second brings its line of names."""
    if len(table.columns) > 1 and all(name in one.cells for name, one in table.columns.items()):
        names = tuple(table.columns)
        rows = enumerate(zip(*(column.cells for column in table.columns.values())))
        line = next((table.line(row) for row, cells in rows if cells == names), None)
        if line is not None:
            text = "repeats the names of the columns, as where two tables were joined; take it out"
            raise table.fault(line=line, problem=text)


def _refuse_empty_rows(table: Table) -> None:
    """A row without any value is refused, not dropped."""
    if all(column.blanks for column in table.columns.values()):
        parts = zip(*(column.cells for column in table.columns.values()))
        row = next((place for place, cells in enumerate(parts) if not any(cells)), None)
        if row is not None:
            text = "a row of empty cells; take it out, or fill it"
            raise table.fault(line=table.line(row), problem=text)


def _from_json(source: Source) -> Table:
    """A list of objects, or an object per line: keys are the names of columns."""
    records, lines = _json_records(source)
    names: dict[str, None] = {}
    for record in records:
        names.update(dict.fromkeys(record))
    if not records or not names:
        raise _no_rows(source)
    columns: dict[str, Sequence[str]] = {
        name.strip(): tuple(_json_cell(record.get(name)) for record in records) for name in names
    }
    if len(columns) < len(names):
        raise source.fault(expected=f"different names of fields: {some_of(list(names), 12)!r:.80}")
    table = Table(source, columns, line_of=lines.__getitem__)
    _refuse_empty_rows(table)
    return table


def _json_records(source: Source) -> tuple[list[dict[str, Any]], list[int]]:
    text = source.text.lstrip()
    if text.startswith("["):
        found = loads(source, source.text, 1)
        records, lines = found, [0] * len(found)
    else:
        numbered = [(line, one) for line, one in source.lines() if one.strip()]
        records = [loads(source, one, line) for line, one in numbered]
        lines = [line for line, _ in numbered]
    for line, record in zip(lines, records):
        if not isinstance(record, dict):
            expected = f"an object with named fields, found {record!r:.60}"
            raise source.fault(line=line, expected=expected)
    return records, lines


def loads(source: Source, text: str, line: int) -> Any:
    """The JSON of one line, or of the whole file."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        problem = f"not JSON ({error!s:.80}); is the file cut off?"
        raise source.fault(line=line, problem=problem) from None


def _json_cell(value: Any) -> str:
    """A value as a table would have it; what holds other values is its JSON."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))  # 1.0 is 1, as on the page
    if isinstance(value, int | float):
        return repr(value)
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _from_pandas(source: Source, kind: str, function: str, package: str) -> Table:
    """A table that pandas reads, where the package for it is installed."""
    import pandas as pd

    try:
        frame = getattr(pd, function)(bytes_stream(source.data))
    except ImportError:
        text = f'{kind}: needs {package}: pip install "betterthan[tables]"'
        raise source.fault(problem=text, expected="that, or the table saved as CSV") from None
    except Exception as error:
        # Each engine has exceptions of its own; all of them mean that it is not what it seems.
        text = f"not readable as {kind} ({type(error).__name__}: {error!s:.60})"
        raise source.fault(problem=text) from None
    names = [str(name).strip() for name in frame.columns]
    _refuse_names(source, 1, names)
    if not len(frame):
        raise _no_rows(source)
    columns: dict[str, Sequence[str]] = {
        name: tuple(_pandas_cell(value) for value in frame.iloc[:, place].tolist())
        for place, name in enumerate(names)
    }
    table = Table(source, columns, line_of=lambda row: row + 2)
    _refuse_empty_rows(table)
    return table


def _pandas_cell(value: Any) -> str:
    if value is None or value != value:
        return ""
    return _json_cell(value) if isinstance(value, bool | str | int | float) else str(value)


def _numbers_on_lines(text: str) -> np.ndarray:
    """One number per line: those that float() would give, in a sixth of its time.

    Raises
    ------
    ValueError
        For a line that is no number.
    """
    import pandas as pd

    major, minor = pd.__version__.split(".")[:2]
    # From 3.1 on pandas rounds as Python does, and the option is on its way out.
    exact = {} if (int(major), int(minor)) >= (3, 1) else {"float_precision": "round_trip"}
    table = pd.read_csv(
        io.StringIO(text),
        names=["number"],
        index_col=False,
        dtype=float,
        keep_default_na=False,
        skip_blank_lines=False,
        **exact,
    )
    return table["number"].to_numpy()


def decimal_comma(cell: str) -> bool:
    """Whether a cell is a number with a decimal comma."""
    return _DECIMAL_COMMA.fullmatch(cell) is not None


def is_number(cell: str) -> bool:
    """Whether a cell is a finite number."""
    return as_number(cell) is not None


def looks_like_number(cell: str) -> bool:
    """Whether a cell is a number, or one with a decimal comma or a percent sign."""
    return is_number(_bare(cell)) or decimal_comma(_bare(cell))


def _bare(cell: str) -> str:
    return cell.removesuffix("%").strip()


def instead_of(cell: str, beside: Iterable[str] = ()) -> str:
    """What is expected instead of a cell that is no number, and how to write what it may mean.

    A comma before three digits may set thousands apart, unless another cell `beside` it has a
    decimal comma.

    Examples
    --------
    >>> print(instead_of("81 %"), instead_of("0,5"), sep="\\n")
    a finite number (write 81, or 0.81, without %)
    a finite number; a decimal comma? write a point: 0.5
    >>> print(instead_of("1,167"), instead_of("1,167", ["1,36"]), sep="\\n")
    a finite number; write 1167, or 1.167 if the comma is a decimal point
    a finite number; a decimal comma? write a point: 1.167
    """
    number = _bare(cell).replace(",", ".")
    if not looks_like_number(cell):
        return "a finite number"
    if cell.endswith("%"):
        return f"a finite number (write {number}, or {float(number) / 100:g}, without %)"
    if all(map(_THOUSANDS.fullmatch, filter(decimal_comma, [cell, *beside]))):
        both = f"write {cell.replace(',', '')}, or {number} if the comma is a decimal point"
        return f"a finite number; {both}"
    return f"a finite number; {POINT}: {number}"
