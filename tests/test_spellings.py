"""Spellings: forms that are looked up, and characters that readers cannot see or mistake."""

import unicodedata

import pytest

import bayesbias as bb
from bayesbias._core.characters import has_only_letters, mistaken, plainly, unseen, words_in
from bayesbias._core.substitutions import substitutions
from bayesbias.tables.spellings import every_form, key_of_many

COMPOSED, DECOMPOSED = "p\u00e8re", "pe\u0300re"

LOOKED_UP = [
    (COMPOSED, DECOMPOSED, {}, True),
    ("P\u00c8RE", DECOMPOSED, {"case": "lower"}, True),
    ("caf\u00e9", "cafe", {"strip_accents": True}, True),
    ("Vi\u1ec7t", "Viet", {"strip_accents": True}, True),
    ("がく", "かく", {"strip_accents": True}, False),
    ("мой", "мои", {"strip_accents": True}, False),
    ("हिंदी", "हद", {"strip_accents": True}, False),
    ("각", "가", {"strip_accents": True}, False),
    ("kadın", "kadin", {"strip_accents": True, "case": "fallback"}, False),  # two Turkish letters
    ("İzmir", "izmir", {"case": "fallback"}, True),
    ("new york", "new_york", {}, True),
]


def test_hints_know_both_letters_i_of_turkish() -> None:
    assert {"ırak", "irak", "Irak"} <= {*every_form("IRAK")}
    assert {"Kadin", "kadın"} <= {*every_form("Kadın")}


@pytest.mark.parametrize(("word", "form", "options", "found"), LOOKED_UP)
def test_forms_in_which_a_word_is_looked_up(word, form, options, found) -> None:
    with substitutions() as told:
        vectors = bb.load_vectors({form: [1.0, 2.0], "x": [2.0, 1.0]}, [word, "x"], **options)
    assert (word in vectors) == found
    assert bb.resolved_forms(vectors) == told == ({word: form} if found else {})


# Code points as in Unicode's charts, and what a reader takes the word for.
SEEN_AS = [
    ("he\u200b", "he", "U+200B"),
    ("co\u00adop", "coop", "U+00AD"),
    ("new\u00a0york", "new york", "U+00A0"),
    ("he\u200d", "he", "U+200D"),
    ("h\u0435", "he", "U+0435"),  # Cyrillic е
    ("ч\u0065ловек", "человек", "U+0065"),  # Latin e
    ("n\u03bf", "no", "U+03BF"),  # Greek omicron
    ("don\u2019t", "don't", "U+2019"),
    ("\ufb01re", "fire", "U+FB01"),
    ("\uff48\uff45", "he", "U+FF48"),
]


@pytest.mark.parametrize(("word", "looks", "code"), SEEN_AS)
def test_odd_characters_are_named_and_the_word_is_found_as_it_looks(word, looks, code) -> None:
    assert plainly(word) == looks
    wordlist = {
        "groups": {"a": [word, "x"], "b": ["y"]},
        "stereotypes": {"a": ["человек", "career"], "b": ["home"]},
    }
    found = bb.check_wordlist(wordlist)
    (finding,) = found.loc[found["word"] != "", "finding"]  # of words, not of short sets
    assert code in finding
    assert f"write {looks!r}" in finding
    with pytest.raises(ValueError, match=f"is spelled {looks!r} there .*Use that spelling"):
        bb.load_vectors({looks: [1.0, 2.0]}, [word])


def test_the_style_of_an_emoji_is_seen_and_that_of_a_letter_is_not() -> None:
    style = "\ufe0f"
    assert [unseen(text) for text in (f"a{style}", style, f"☀{style}")] == [[style], [style], []]


def test_a_joiner_at_an_end_joins_nothing() -> None:
    for joiner in ("\u200c", "\u200d"):
        assert unseen(f"می{joiner}خواهم") == []
        assert unseen(f"می{joiner}") == unseen(f"{joiner}می") == [joiner]


@pytest.mark.parametrize("word", ["लड़की", "می\u200cخواهم", "ผู้หญิง", "cafe\u0301", "word"])
def test_marks_and_joiners_are_within_words(word: str) -> None:
    assert has_only_letters(word)
    assert not any(
        has_only_letters(other) for other in (f"{word}2", f"{word} {word}", "\u0301", "")
    )
    assert words_in(f"«{word}», {word}-{word}") == [unicodedata.normalize("NFC", word)] * 3
    assert words_in(f"«{word}», {word}-{word}", "-")[1:] == ["-".join([words_in(word)[0]] * 2)]
    assert key_of_many([word, "she"], [f"/c/x/{word}", "/c/x/she"]) == "/c/x/{word}"


USUAL = ["человек", "می\u200cخواهم", "β-carotene", "Tシャツ", "naïve", "œuvre", "kadın"]


@pytest.mark.parametrize("word", USUAL)
def test_usual_words_of_other_languages_are_not_reported(word: str) -> None:
    assert [*unseen(word), *mistaken(word)] == []
    assert plainly(word) == word


def test_a_cyrillic_word_that_looks_latin_and_turkish_capitals_are_said() -> None:
    words = {"groups": {"a": ["\u0441\u043e\u0440", "cop"], "b": ["kadın", "Irak"]}}
    found = bb.check_wordlist(words | {"stereotypes": {"a": ["red"], "b": ["blue"]}})
    said = found[found["word"] != ""].set_index("word")["finding"]
    assert "U+0441" in said["\u0441\u043e\u0440"]
    assert "U+0131" in said["Irak"]
    assert len(said) == 2


HINTS = [
    ("Café", "café", {}, "case='fallback'"),
    ("café", "cafe", {}, "strip_accents=True"),
    ("Café", "cafe", {}, "case='fallback' and strip_accents=True"),
    ("café", "CAFÉ", {"case": "fallback", "strip_accents": True}, ""),
    ("bill", "Bill", {}, ""),
    ("kadın", "kadin", {"strip_accents": True}, ""),
]


@pytest.mark.parametrize(("word", "form", "options", "advice"), HINTS)
def test_a_hint_names_what_would_help_and_nothing_that_is_set(word, form, options, advice) -> None:
    with pytest.raises(ValueError, match=f"{word!r} is spelled {form!r} there") as refused:
        bb.load_vectors({form: [1.0, 2.0]}, [word], **options)
    text = str(refused.value)
    assert text.endswith(f", or pass {advice}" if advice else "Use that spelling")
    for name in ("case=", "strip_accents="):
        assert (name in text) == (name in advice)


KEYS = [
    ("/c/en/{word}", ["/c/en/he", "/c/en/she", "/c/fr/he"]),
    ("{word}_NOUN", ["he_NOUN", "she_NOUN", "career_NOUN", "he_VERB"]),
    ("▁{word}", ["▁he", "▁she"]),
    ("en:{word}", ["en:he", "en:she", "he_said"]),
    ("", ["he", "she", "he_said", "said_she"]),
]


@pytest.mark.parametrize(("pattern", "keys"), KEYS)
def test_the_pattern_of_tagged_keys_is_found(pattern: str, keys: list[str]) -> None:
    assert key_of_many(["he", "she", "career"], keys) == pattern
