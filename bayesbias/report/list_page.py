"""The page of a word list: the answer, its picture, the raw data behind it, and details."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property, partial

from .. import plots
from ..records.found import ListRecord, Question, Without
from ..records.rows import Row
from ..tables.descriptives import probability_below
from ..tables.levels import OVERALL, at_level
from . import parts
from .dots import DotPicture
from .leans import Lean, Leans, Panel
from .numbers import digits_for, graded, number, probability, probability_name
from .page import Fold, Page, Plots, figure, limits
from .sentences import Answer, list_deck, list_sentence, plain
from .tables import Table, table

BASELINES = {
    "matched": "equally frequent words",
    "neighbors": "words on the same topics",
    "neutral": "neutral words",
    "human": "human words",
}
"""Kinds of words that a group's closeness can be compared with."""

WITHOUT = {
    Without.REQUEST: "",
    Without.COVARIATES: "because their words have other values of the covariates",
    Without.MODEL: "because they need a Normal model",
    Without.CONTEXTS: "because the sentences have no other words",
    Without.GROUPS: "because a group with stereotypes has no word with a vector",
    Without.WORDS: "because the embedding has too few other words",
}
"""Why there are no lists on other topics."""


SCORES = "score groups direction reading value low high p_value"
"""Columns of the table of other scores."""


class ListPage(Page[ListRecord]):
    """The page of a word list."""

    def __init__(self, record: ListRecord) -> None:
        title = f"{record.title}, in {record.embedding}"
        reference = str(record.frames["about"]["reference"].iloc[0])
        super().__init__(record, title, parts.measured(record.title, record.embedding, reference))

    @cached_property
    def answer(self) -> Answer:
        record, notes = self.record, parts.missing_notes(self.record)
        if record.question is Question.CROSSED:
            notes.insert(
                0, "With two groups, this is one number; which group it comes from is not known."
            )
        elif record.question is Question.OWN:
            notes.insert(0, "This may include how close each set is to all groups.")
        elif record.groups:
            notes.insert(0, "Compared with other groups’ words, beyond third groups’ stereotypes.")
        alerts, drawn = parts.alerts(record), self._picture()
        return Answer(list_sentence(record), list_deck(record), drawn, alerts, notes)

    @property
    def _names(self) -> Mapping[str, str]:
        """Names of the picture's rows."""
        whole = "mean of groups" if self.record.groups else "this list"
        return {**self.record.naming.groups, "": whole}

    def _picture(self) -> DotPicture:
        """Return the dots of all rows above the ruler."""
        record, names = self.record, self._names
        ci = probability_name(record.ci_prob)
        topics = "other topics, means" if record.groups else "random other topics"
        return parts.dot_picture(
            [(row, names[row.key], self._examples(row.key)) for row in record.rows],
            f"{plain(list_sentence(record))} Closer by, with {ci} intervals",
            parts.ruler(record, record.topics(), topics),
            ticks={row.key: record.topics(row.key) for row in record.groups and record.rows},
            sides=("away", "toward own stereotypes") if record.groups else parts.SIDES,
            unit=parts.UNITS[record.question],
        )

    def _examples(self, group: str) -> str:
        """Return the first stereotypes of a group, as many as fit."""
        pairs, text = self.record.frames["pairs"], ""
        own = pairs[(pairs["protected_group"] == group) & pairs["own"]]
        for word in own["attribute"].unique() if self.record.groups else ():
            if len(text) + len(word) > 24:
                return f"{text} …"
            text = f"{text}, {word}" if text else f"to {word}"
        return text

    def main(self) -> str:
        more, groups = list[str](), self.record.naming.groups.values()
        if self.record.question is Question.CROSSED:
            more = [f"whether it comes from {' or '.join(groups)}"]
        removed = " At equal word frequency." if self.record.frequency_removed else ""
        others = len(self.record.topics()) if self.record.groups else 0
        ticks = f" Gray ticks: {others} other topics." if others else ""
        caption = f"{parts.legend(self.record)}{ticks}{removed}"
        return f'{self.drawn}<p class="cap">{caption}</p>{limits(*more)}'

    def side(self) -> str:
        if self.record.question is Question.CROSSED:
            return self._steps().html()
        record, n_topics = self.record, len(self.record.topics())
        heads = ("", "toward own stereotypes", *[f"of {n_topics} topics, larger"] * bool(n_topics))
        rows = (
            (self._names[row.key], graded(row.verdict.probability), f"{self._exceeding(row)}")
            for row in record.rows
        )
        return Table("How sure?", heads, tuple(row[: len(heads)] for row in rows)).html()

    def _exceeding(self, row: Row) -> int:
        """Return how many lists on other topics have a larger number."""
        return sum(topic > row.mean for topic in self.record.topics(row.key))

    def _steps(self) -> Table:
        """Return the mean distances that lead to the number of two groups."""
        record = self.record
        steps = record.frames["steps"].set_index("step")["value"]
        (a, b), (s, t) = record.naming.groups.values(), record.naming.sets.values()
        frequency = ", at equal word frequency" if record.frequency_removed else ""
        values = {
            f"stereotyped pairs ({a} with {s}, {b} with {t})": steps["matching"],
            "reverse pairs": steps["crossed"],
            "difference": steps["difference"],
            f"estimate{frequency}": record.overall.mean,
        }
        digits = digits_for(record.overall.low, record.overall.high)
        rows = tuple((name, number(value, digits)) for name, value in values.items())
        return Table("Mean distance (0: same, 1: unrelated)", ("", ""), rows, own=((3, 0),))

    def folds(self) -> Iterator[Fold]:
        record = self.record
        yield Fold("Compared with what?", *self._compared())
        yield Fold(
            "How sure is each stereotype word?",
            self._words(),
            "The last column is the probability that all signs down to this row are right.",
        )
        if record.question is Question.CROSSED:
            yield Fold("Why not by group?", *self._split())
        what = "a group’s difference" if record.groups else "the difference"
        yield parts.how_to_read(record, what)

    def _words(self) -> Table:
        """Return the probability that each stereotype word is closer to its group."""
        rows, names = self.record.led("attributes"), self.record.naming.groups
        if rows.empty:
            return table(rows)
        columns = rows["attribute"], rows["protected_group"].map(names)
        cells = zip(*columns, probability_below(rows), rows["all_right"], strict=True)
        texts = ((word, group, graded(p), probability(right)) for word, group, p, right in cells)
        return Table("", ("", "closer to", "probability", "all so far"), tuple(texts))

    def _compared(self) -> Iterator[str]:
        record = self.record
        if record.groups:
            yield (
                "Each group is compared with the other groups: its distance to its own stereotypes "
                "minus theirs, less the same difference for the stereotypes of third groups. A "
                "group that is close to all words gains nothing."
            )
        elif record.question is not Question.OWN:
            yield "The groups are compared on the same stereotypes."
        how = "This is not removed here."
        if record.frequency_removed:
            how = (
                "The distances are moved to equal frequency with control words that are as "
                "frequent as the stereotypes."
            )
        yield f"Frequent words are close to frequent words, whatever they mean. {how}"
        if topics := record.topics():
            yield (
                f"Any two topics differ somewhat: {self._exceeding(record.overall)} of "
                f"{len(topics)} lists on other topics give a larger "
                f"{'mean of groups' if record.groups else 'number'}. This shows whether these "
                "stereotypes stand out, not whether the result is true."
            )
        elif record.without and (reason := WITHOUT[record.without]):
            yield f"There are no lists on other topics for comparison, {reason}."

    def _split(self) -> tuple[str | Table, ...]:
        """Return the split of the number between two groups under several baselines."""
        groups, split = split_in_words(self.record, digits=2)
        if not groups:
            return ("A share of each group needs control words, which this list lacks.",)
        rows = tuple((name, *texts) for name, texts in split.items())
        why = "A share needs a baseline, words that should be equally close to both groups:"
        shares = Table("", ("closer by, if the baseline is", *groups), rows)
        return why, shares, "The sum stays; the shares do not."

    def figures(self) -> str:
        frame, title = self.record.frames["pairs"], "Every pair of words"
        pairs = parts.pair_figure(frame, self.record.naming, title)
        return f'<section class="fig two">{pairs}{self._leans()}</section>'

    def _leans(self) -> str:
        """Return how much closer each stereotype word is, in a panel for each set."""
        record, panels, spoken = self.record, list[Panel](), list[str]()
        frame, whole = record.led("attributes"), record.overall
        mean = number(whole.mean, digits_for(whole.low, whole.high))
        digits = digits_for(*frame["mean"]) if len(frame) else 0
        for group, says in record.naming.sets.items() if len(frame) else ():
            of = frame[frame["protected_group"] == group].sort_values("mean", kind="stable")
            places = zip(of["attribute"], -of["mean"], -of["high"], -of["low"], strict=True)
            if words := [Lean(word, at, ends=(low, high)) for word, at, low, high in places]:
                line = () if record.groups else (whole.mean, "" if panels else f"all words {mean}")
                panels.append(Panel(says, words, *line))
                numbers = ", ".join(f"{one.word} {number(one.value, digits)}" for one in words)
                spoken.append(f"{says}: {numbers}")
        if not panels:
            return ""
        several = len(record.naming.groups) > 2
        sides = f"closer to {'others' if several else 'the other group'}", "to its own group"
        drawing = Leans(panels, sides, f"Closer by: {'; '.join(spoken)}").html()
        caption = f"Estimates with {probability_name(record.ci_prob)} intervals."
        return figure("Each stereotype word", drawing, caption, "side")

    def details(self) -> Iterator[Fold]:
        record, frames = self.record, self.record.frames
        about = frames["about"].iloc[0]
        yield parts.fit_fold(record)
        yield Fold(
            "Which words were measured?",
            table(frames["words"], "Words of the list, by set (missing ones in brackets)"),
            ("List", record.title),
            ("About the list", " ".join(about["note"].split())),
            ("Source", about["reference"]),
            ("License", about["license"]),
            ("Missing", " ".join(parts.missing_notes(record, controls=True))),
            table(frames["forms"], "Found as"),
        )
        yield Fold("What if one word is left out?", self._without_one())
        yield Fold(
            "How many words do similar words count as?",
            table(frames["sizes"].rename(columns={"name": "set"})),
            "Similar words count as fewer. To narrow an interval, add words that differ.",
        )
        yield Fold(
            "What do other scores say?",
            table(record.frame("scores"), "", SCORES),
            "A p-value is about these words alone. Do not quote a small one as proof.",
        )
        gaps = at_level(frames["contrasts"], OVERALL)
        gaps["contrast"] = gaps["first"] + " − " + gaps["second"]
        yield Fold(
            "All differences in distance",
            table(gaps, "", "contrast model mean interval p_direction p_rope p_rope_ceiling"),
            f"Differences within ±{record.rope:.2g} count as too small to matter in practice.",
        )
        yield Fold(
            "Compared with words of no group?",
            "Is a group closer to its own stereotypes than to others, and more so than words that "
            "belong to no group? Below zero, it is. This assumes that each set is as close to "
            "these words as to any group.",
            table(
                frames["baseline"], "", "protected_group estimand mean interval p_direction p_rope"
            ),
        )
        slopes = table(record.frame("slopes"))
        drawn = "bb.plots.slope draws a slope among the words."
        yield Fold("What do covariates explain?", slopes, drawn)
        yield Fold("Which model predicts better?", table(frames["comparison"]))
        yield parts.warned_fold(record)
        if "since" in frames:
            changed = table(frames["since"]) if record.has("since") else "Nothing changed."
            yield Fold("What changed since the earlier run?", changed)
        yield Fold("How was it computed?", *parts.fitted_facts(record))

    def _without_one(self) -> Table:
        """Return the closeness without each of the most influential words."""
        rows, numbers = self.record.led("influence").head(8), ("mean", "mean_without", "change")
        if len(rows):
            rows = rows.assign(**{name: -rows[name] for name in numbers})
        return table(rows, "Closer by, without one word", ("name", *numbers))

    def plots(self) -> Plots:
        frames = self.record.frames
        return {
            "closeness": partial(
                plots.closeness,
                frames["headline"],
                title=f"How much closer: {self.record.title}, in {self.record.embedding}",
                heading=f"mean ({probability_name(self.record.ci_prob)} interval)",
            ),
            "heatmap": partial(plots.heatmap, frames["table"]),
            "distributions": partial(plots.distributions, frames["table"]),
        }


def split_in_words(record: ListRecord, digits: int = 3) -> tuple[list[str], dict[str, list[str]]]:
    """Return two groups, and how the number divides between them relative to each baseline."""
    if not record.has("split"):
        return [], {}
    wide = record.frames["split"].pivot_table("mean", "baseline", "protected_group", sort=False)
    groups = {group: says for group, says in record.naming.groups.items() if group in wide}
    digits = max(digits, digits_for(*wide.to_numpy().ravel()))
    return [*groups.values()], {
        BASELINES.get(str(name), str(name)): [number(-row[group], digits) for group in groups]
        for name, row in wide.iterrows()
    }
