"""Where sentences end, and phrases: words that follow each other, as they are written but for their case.

What stands between two words of a phrase and is no word does not count: blanks, punctuation, marks of Markdown, the
address of a link, a tag of HTML. A full stop ends a sentence, or only a short form such as `e.g.`, `Dr.` or `J. Smith`;
that is told by hand: the libraries for it bring a model or a table per language, and none says "not yet" while an
answer is streamed. A stop that is wrongly passed over joins two sentences, which a reader hardly notices; one that is
wrongly taken cuts a sentence in two. So doubt joins.

Phrases with which people ask say nothing about the matter: `can someone please help me`, `thanks in advance`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache

from headnote.words.terms import is_without_blanks, runs, terms

_STOP = re.compile(r"([.!?]++[\"'”’)\]*_`]*+)\s++(?=\S)|[。！？]++[」』）”’]*+(?=[^\n])")
_WORD_BEFORE = re.compile(r"(?:\w|\.(?=\w))++\Z")
_DOTTED = re.compile(r"(?:\w\.)+\w")
_NEVER_LAST = frozenset(
    # Something always follows these: an example, a name, a number.
    "e.g i.e eg ie cf vs approx ca fig figs eq eqs sec ch no nos nr vol vols pp art ed eds dr mr mrs ms prof st mt"
    " gen col sgt capt rev hon z.b d.h u.a bzw vgl inkl exkl evtl ggf sog p.ex c.-à-d".split()
)
_MAX_WORD_CHARS = 20


def ends_sentence(text: str, start: int, end: int) -> bool:
    """Whether the stop at `text[start:end]`, with the quotes and brackets that close after it, ends its sentence.

    What follows must be known: at least the first character that is not blank.
    """
    if text[start:end] != ".":
        return True
    match = _WORD_BEFORE.search(text, max(0, start - _MAX_WORD_CHARS), start)
    word = match[0] if match else ""
    following = text[end : end + 200].lstrip()[:1]
    if word.casefold() in _NEVER_LAST or following.islower():
        return False
    if _DOTTED.fullmatch(word):
        # `U.S. The` begins a sentence, `U.S. 61` does not.
        return following.isupper()
    is_initial = len(word) == 1 and word.isupper() and word != "I"
    return not is_initial


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each sentence, the blanks behind it among it. Together they are the text."""
    start = 0
    for stop in _STOP.finditer(text):
        if stop[1] is None or (ends_sentence(text, *stop.span(1)) and not _is_marker(text, stop.start())):
            yield start, stop.end()
            start = stop.end()
    yield start, len(text)


def _is_marker(text: str, stop: int) -> bool:
    """Whether a full stop belongs to the number of an item, as in `1. First`."""
    line = text[text.rfind("\n", 0, stop) + 1 : stop]
    return line.strip(" \t>").isdigit()


# -- Phrases: words that follow each other, as they are written but for their case.

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_LETTERS = r"[^\W_]"
_ALIKE = {"i": "\u0130\u0131", "k": "\u212a", "s": "\u017f"}
"""ASCII letters that are equal to others but for their case."""
_SHORTENED = "(?:t|re|ve|ll|d|m)"
"""What is one word with what stands before its apostrophe: `don't` is not `don`, but `guide's` is `guide`."""
# Possessive: each kind of gap is taken whole or not at all, so that no text takes more than linear time.
_GAP = (
    r"(?>\]\([^()\s]{0,500}\)"  # of [text](address)
    r"|\]\[[^\]\n]{0,200}\]"  # of [text][label]
    r"|\[\[[^\]|\n]{0,200}\|"  # of [[note|text]]
    r"|</?[A-Za-z][^<>]{0,300}>|[\W_])++"
)


def words_in(phrase: str) -> list[str]:
    """The words of a phrase, in order."""
    return _WORD.findall(unicodedata.normalize("NFC", phrase))


@lru_cache(maxsize=256)
def pattern_of(phrase: str) -> re.Pattern[str]:
    """Finds the phrase in a text. A word ends where its letters do, except in scripts without blanks."""
    words = words_in(phrase)
    if not words:
        return re.compile("")
    pieces = ["['’]".join(map(re.escape, re.split("['’]", word))) for word in words]
    end = "" if is_without_blanks(words[-1][-1:]) else rf"(?!{_LETTERS}|['’]{_SHORTENED}(?!{_LETTERS}))"
    text = _start(words[0], pieces[0])
    for word, piece in zip(words[1:], pieces[1:], strict=True):
        text += ("(?!['’])" if _is_ending(word) else "") + _GAP + piece
    return re.compile(text + end, re.IGNORECASE | re.DOTALL)


def _start(word: str, piece: str) -> str:
    """The first word. An ASCII letter that it begins with is looked for by a set, and what stands before it afterwards:
    then a search skips all other letters at once, and takes a quarter of the time."""
    letter = word[0]
    before = ([] if is_without_blanks(letter) else [_LETTERS]) + (["['’]"] if _is_ending(word) else [])
    if not letter.isascii():
        return "".join(f"(?<!{what})" for what in before) + piece
    alike = f"{letter.lower()}{letter.upper()}{_ALIKE.get(letter.lower(), '')}"
    return f"(?-i:[{alike}])" + "".join(f"(?<!{what}.)" for what in before) + piece[1:]


def _is_ending(word: str) -> bool:
    return re.fullmatch(f"s|{_SHORTENED}", word, re.IGNORECASE) is not None


def has_phrase(text: str, phrase: str) -> bool:
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    return pattern_of(phrase).search(text) is not None


def terms_of_phrase(phrase: str, languages: Sequence[str]) -> list[tuple[str, ...]]:
    """Terms of which a chunk with this phrase has one each: those of its words in every language of the index."""
    found: dict[tuple[str, ...], None] = {}
    for word in words_in(phrase):
        if "'" not in word and "’" not in word:  # a text may write such a word in one piece
            found.update(dict.fromkeys(_terms_of_word(word, languages)))
    return list(found)


def _terms_of_word(word: str, languages: Sequence[str]) -> Iterator[tuple[str, ...]]:
    for start, end, has_blanks in runs(word):
        run = word[start:end]
        if not has_blanks:
            yield from ((term,) for term in terms(run) if len(run) > 1 or term == run)
        elif forms := _first_terms(run, ("", *languages)):
            yield forms


def _first_terms(word: str, languages: Iterable[str]) -> tuple[str, ...]:
    """The term of the whole word in each language."""
    first = (terms(word, language)[:1] for language in languages)
    return tuple(dict.fromkeys(term for found in first for term in found))


# -- Phrases with which people ask, in English. Their words would be looked for: `Hi all`, `any help is appreciated`.
#
# A pattern a line. A blank is what stands between two words, an apostrophe may be missing, and capitals are the names
# of other patterns.

_ANYWHERE = """
(?:many )?thank(?:s| you)(?: a lot| (?:very|so) much)?(?: in advance| for (?:any|your|the) help)?END|tiaEND
any HELP(?: (?:is|are|would be|will be)(?: (?:very|much|greatly|highly))? (?:appreciated|welcome))?END
(?:can|could|would|will) WHOM(?: (?:please|kindly))? (?:help|tell|show|explain|teach)(?:(?: to)? (?:me|us))?
(?:do|does|did|has) WHOM (?:know|have any? idea)(?: (?:about|if|whether))?
the user (?:wants to know|asks|is asking)(?: (?:about|if|whether))?|how (?:would|should|do|can) (?:one|i) go about this
(?:please|pls|kindly)(?: (?:help|tell|show|explain|advise))?(?: (?:me|us))?
(?:help|tell|show|teach) (?:me|us)|(?:i )?need(?:ing)? help(?: with(?: this)?)?|quick question
i(?:'m| am| was|'ve been| have been)(?: (?:currently|just))? TRYING(?:TO| for| if| whether| about| with)?
i(?:'d like| would like| want| need| tried)TO|(?:i am |i'm )?not sure(?: (?:how to|if|whether|about))?
(?:i )?(?:can't|can not|cannot|couldn't|could not) (?:figure|work|find) out(?: how to(?: do this)?)?
what (?:am i|i am|i'm) (?:doing wrong|missing)|am i missing something|(?:sorry )?if this is an? \\w{3,10} question
(?:but )?(?:it|this|that) (?:does not|doesn't|did not|didn't) work(?=[:.,!]|\\W*\\Z)
(?:what(?:'s| is| are| would be) )?the BEST (?:ways?|approach|practices?|methods?) (?:to|of|for)(?: (?:do|handle) this)?
is there (?:a|any|some) way to|(?:is|would) it(?: be)? possible to
step by step|in detail|the following
"""
_FIRST = """
(?:bug|question|issue|help(?: wanted)?|feature request|q)(?=[\\]:])
(?:hi|hello|hey|dear)(?: (?:there|all|everyone|everybody|folks|team|guys)|(?=[,.!:\\n]| i\\b))
good (?:morning|evening|day)
(?:explain|describe)(?: to me)?|according to the PLACE|what do(?:es)? the PLACE say about
answer (?:the|this|my)(?: following)? question(?: (?:using|with|from|based on) (?:the|our) PLACE)?
(?:find|search|show|get)(?: me)?(?: (?:the|a|any|all))? PLACE(?: (?:of|in|on) (?:the|our) PLACE)? (?:about|on|for)
"""
_PARTS = {
    "END": r"(?=[.,!?\n]|\W*\Z)",
    "HELP": "(?:help|advice|ideas?|pointers?|suggestions?|guidance|thoughts)",
    "WHOM": "(?:you|u|someone|anyone|somebody|anybody)",
    "TRYING": "(?:trying|attempting|looking|wondering|struggling|hoping)",
    "TO": "(?: to(?: (?:know|learn|understand|find out|figure out|work out))?)",
    "BEST": "(?:best|right|proper|correct|recommended|easiest|simplest|preferred)",
    "PLACE": "(?:sections?|pages?|parts?|docs|documentation|information|info)",
}


_SIGNS = frozenset(
    """
    about according advice answer appreciated approach asking asks attempting bug dear describe detail docs
    documentation explain feature following good guidance hello help hey hi hoping idea ideas info information issue
    kindly know like looking method methods missing need needing out page pages part parts please pls pointer
    pointers possible practice practices q question section sections show step struggling suggestion suggestions
    sure teach tell thank thanks thoughts tia tried trying want wants way ways welcome wondering work wrong
    """.split()
)
"""Each phrase has one of these words. Compiling the pattern takes 6 ms, and few queries need it."""
_MAX_FIRST = 3
"""How many phrases at the beginning of a query are looked for, one behind the other: `Hi all, explain …`."""


@cache
def _asking() -> re.Pattern[str]:
    def pattern(lines: str) -> str:
        whole = re.sub("|".join(_PARTS), lambda name: _PARTS[name[0]], "|".join(lines.split("\n")[1:-1]))
        return whole.replace(" ", r"\W{1,3}").replace("'", "['’]?")

    phrases = rf"\A\W{{0,3}}(?:{pattern(_FIRST)})|(?<!\w)(?:{pattern(_ANYWHERE)})"
    return re.compile(rf"(?:{phrases})(?!\w)[\s.,:;!?)\]]*+", re.IGNORECASE)


def without_asking(text: str) -> str:
    """A query without the phrases with which people ask; the query as it is if it has no other words.

    >>> without_asking("Hi, can someone please help me? How are gauges calibrated? Thanks in advance!")
    'How are gauges calibrated?'
    >>> without_asking("please help me")
    'please help me'
    """
    if _SIGNS.isdisjoint(_WORD.findall(text.lower())):
        return text
    rest = text
    for _ in range(_MAX_FIRST):
        rest, count = _asking().subn(" ", rest)
        if not count:
            break
    return rest.strip(" \t\r\n,;:–-") if rest != text and any(map(str.isalnum, rest)) else text
