"""Pages, help, messages and docstrings use plain words: a list of odd terms, each with the words to use instead."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "thresher"
if not SOURCE.exists() or not (ROOT / "docs").exists():
    pytest.skip("the source tree is not here", allow_module_level=True)

# An odd term, as a regular expression, and the plain words for it.
PLAIN = {
    r"told|tells?|telling": "report, describe, show, distinguish",
    r"ask(?:s|ed|ing)?": "request, call, evaluate",
    r"answer(?:s|ed|ing)?": "result, response, return",
    r"(?<!so )(?<!as )(?<!how )(?<!by )(?<!too )far(?! apart| from)": "remote, in blocks; much",
    r"voices?": "console, reporter",
    r"wish(?:es)?": "request",
    r"talk(?:s|ed|ing)?": "communication, statistics",
    r"lets? go(?: of)?": "release, discard, close",
    r"dear": "expensive",
    r"beside": "next to, compared with, in addition to",
    r"anew": "again, from scratch",
    r"so many": "that many",
    r"be it": "whether",
    r"as ever": "unchanged",
    r"kin": "related, family",
    r"whoever|whomever|nobody|anybody": "name the agent: the caller, the user, no test",
    r"for want of": "because of too little, without",
    r"how-manieth|manieth": "rank, index",
    r"slabs?": "column group",
    r"spool\w*": "temporary file",
    r"(?<!in )(?<!in one )(?<!decimal )places?": "index, position, location",
    r"rooms?": "module, package, space",
    r"referees?": "exact fallback",
    r"receipts?": "summary",
    r"judg(?:es?|ed|ing)": "evaluate, score",
    r"of (?:its|their|our|your) own|of (?:yours|ours|mine)": "separate, own",
    r"what (?:is|was) told": "summary",
    r"holds?(?! the lock| a lock)": "contain, be true",
    r"refuse[sd]?|refusing|refusal": "reject, raise an error",
    r"stands? (?:in|for)": "is listed, represents",
    r"whole numbers?": "integers",
    r"living": "active",
    r"shall": "must, will",
    r"go(?:es)? on": "continue, resume",
    r"meanwhile": "during the call",
    r"truths|truth values?": "Booleans",
    r"steadier": "more stable",
    r"twins?": "reference implementation",
    r"under way": "in progress",
    r"as (?:it|they) lies?|where (?:it|they) lies?": "in place, unchanged",
    r"on paper": "mathematically",
    r"no accident": "significant",
    r"in other clothes": "near-duplicates",
    r"doors?": "interfaces",
    r"promise[sd]?": "guarantee",
    r"honest": "unbiased, nested",
    r"at hand": "available",
}

# Where a term is the right word: file, term as it is written there, lower case.
ALLOWED = {
    ("CODE_OF_CONDUCT.md", "asked"),
}

TERMS = "|".join(rf"(?P<t{i}>{term})" for i, term in enumerate(PLAIN))
PATTERN = re.compile(rf"\b(?:{TERMS})\b", re.IGNORECASE)
WORDS = list(PLAIN.values())
CODE = re.compile(r"``.*?``|`[^`]*`|\]\([^)]*\)|https?://\S+")


class Text(NamedTuple):
    """A line of text for readers."""

    file: str
    line: int
    text: str


class Odd(NamedTuple):
    """An odd term in a line."""

    file: str
    line: int
    term: str
    plain: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.term!r}: write {self.plain}"


def odd_terms(lines: Iterable[Text]) -> list[Odd]:
    """Return the odd terms of these lines, without those in code and in addresses of links."""
    found = []
    for file, line, text in lines:
        if not PATTERN.search(text):
            continue
        prose = text.partition("#")[2] if ">>>" in text else text
        for match in PATTERN.finditer(CODE.sub(" ", prose)):
            plain = WORDS[int((match.lastgroup or "t0")[1:])]
            found.append(Odd(file, line, match[0].lower(), plain))
    return found


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def page_lines(path: Path) -> Iterator[Text]:
    """Yield the prose of a page, and the comments of its code."""
    fence = ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        opened = re.match(r"\s*(?:```+|~~~+)(\S*)", line)
        if opened:
            fence = "" if fence else opened[1] or "code"
            continue
        if not fence or fence.startswith("{") or fence == "md":
            yield Text(name_of(path), number, line)
        elif fence != "text":
            yield Text(name_of(path), number, line.partition("#")[2])


def pages() -> Iterator[Text]:
    """Yield the lines of all pages."""
    for path in [*sorted((ROOT / "docs").glob("*.md")), *sorted(ROOT.glob("*.md"))]:
        yield from page_lines(path)


def examples() -> Iterator[Text]:
    """Yield the lines of the examples; those of prose and of code alike."""
    for path in sorted((ROOT / "examples").rglob("*")):
        if path.suffix in {".py", ".rst"}:
            lines = path.read_text(encoding="utf-8").splitlines()
            yield from (Text(name_of(path), number, line) for number, line in enumerate(lines, 1))


def docstring_nodes(tree: ast.Module) -> list[ast.Constant]:
    """Return the docstrings of a module, its classes and its functions."""
    owners = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    first = [node.body[0] for node in ast.walk(tree) if isinstance(node, owners) and node.body]
    values = [line.value for line in first if isinstance(line, ast.Expr)]
    return [v for v in values if isinstance(v, ast.Constant) and isinstance(v.value, str)]


def sources() -> Iterator[tuple[str, ast.Module]]:
    """Yield the modules of the package."""
    for path in sorted(SOURCE.rglob("*.py")):
        yield name_of(path), ast.parse(path.read_text(encoding="utf-8"))


def docstrings(modules: list[tuple[str, ast.Module]]) -> Iterator[Text]:
    """Yield the lines of all docstrings of the package."""
    for file, tree in modules:
        for node in docstring_nodes(tree):
            lines = str(node.value).splitlines()
            yield from (Text(file, node.lineno + i, line) for i, line in enumerate(lines))


def is_warning(node: ast.AST) -> bool:
    called = node.func if isinstance(node, ast.Call) else None
    return "warn" in getattr(called, "id", getattr(called, "attr", ""))


def messages(modules: list[tuple[str, ast.Module]]) -> Iterator[Text]:
    """Yield the strings of the package that people read: errors, warnings, notes, reasons, help of commands.

    These are the strings in calls of `raise` and `warn`, and all others of at least three words.
    """
    for file, tree in modules:
        skipped = {id(node) for node in docstring_nodes(tree)}
        raised = {
            id(inner)
            for node in ast.walk(tree)
            if isinstance(node, ast.Raise) or is_warning(node)
            for inner in ast.walk(node)
        }
        for node in ast.walk(tree):
            if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
                continue
            if id(node) in skipped or not (id(node) in raised or node.value.count(" ") >= 2):
                continue
            yield Text(file, node.lineno, node.value)


def templates() -> Iterator[Text]:
    """Yield the text of the HTML of reports."""
    for path in sorted(SOURCE.rglob("*.html")):
        text = path.read_text(encoding="utf-8")
        for code in (
            r"<script.*?</script>",
            r"<style.*?</style>",
            r"\{[{%#].*?[}%#]\}",
            r"<[^>]*>",
        ):
            text = re.sub(code, lambda match: "\n" * match[0].count("\n"), text, flags=re.DOTALL)
        yield from (Text(name_of(path), i, line) for i, line in enumerate(text.splitlines(), 1))


@pytest.fixture(scope="module")
def found() -> dict[str, list[Odd]]:
    modules = list(sources())
    return {
        "pages": odd_terms(pages()),
        "examples": odd_terms(examples()),
        "docstrings": odd_terms(docstrings(modules)),
        "messages and help": odd_terms(messages(modules)),
        "reports": odd_terms(templates()),
    }


@pytest.mark.parametrize(
    "texts", ["pages", "examples", "docstrings", "messages and help", "reports"]
)
def test_texts_use_plain_words(found, texts):
    odd = [odd for odd in found[texts] if (odd.file, odd.term) not in ALLOWED]
    assert not odd, "\n" + "\n".join(map(str, odd))


def test_every_allowed_term_occurs(found):
    assert {(odd.file, odd.term) for some in found.values() for odd in some} >= ALLOWED


@pytest.mark.parametrize("odd", ["it tells much", "Beside the data", "whole numbers", "an answer"])
def test_odd_terms_are_found(odd):
    assert odd_terms([Text("page.md", 1, odd)])


@pytest.mark.parametrize(
    "plain", ["so far", "`told`", "in place", "the [page](answers.md)", "farm"]
)
def test_plain_words_are_not(plain):
    assert not odd_terms([Text("page.md", 1, plain)])


def test_every_change_is_one_short_line():
    lines = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
    changes = [line for line in lines if not re.match(r"#|\*\*|$", line)][
        3:
    ]  # after the introduction
    assert changes
    assert not [line for line in changes if not line.startswith("- ") or len(line.split()) > 21]


def test_pages_have_short_sentences():
    words, sentences = 0, 0
    for path in [*(ROOT / "docs").glob("*.md"), *ROOT.glob("*.md")]:
        text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        prose = [line for line in text.split("\n") if not re.match(r"\s*[|#:!<]", line)]
        text = re.sub(r"\n\s*[-*] |\n\n", ". ", "\n".join(prose))
        lengths = [len(sentence.split()) for sentence in re.split(r"(?<=[.!?])\s+", text)]
        words += sum(n for n in lengths if n > 3)
        sentences += sum(n > 3 for n in lengths)
    assert words <= 18 * sentences


def test_links_to_the_glossary_lead_to_its_terms():
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    terms = [
        term.lower().replace(" ", "-") for term in re.findall(r"^###? (.+)$", text, re.MULTILINE)
    ]
    assert len(set(terms)) == len(terms)
    for path in (ROOT / "docs").glob("*.md"):
        linked = re.findall(r"glossary\.md#([\w-]+)", path.read_text(encoding="utf-8"))
        assert set(linked) <= set(terms), path.name
