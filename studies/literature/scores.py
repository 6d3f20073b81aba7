"""What papers print or prove of cosine scores, on the bundled vectors and on published ones."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from bayesbias._core.arrays import FloatArray, unit_rows
from bayesbias.background.experiment import experiments
from bayesbias.background.psi_of_source import distribution, distributions
from bayesbias.debias.defining_sets import load_defining_sets
from bayesbias.embeddings.load import load_vectors
from bayesbias.embeddings.word_sets import look_up
from bayesbias.extrinsic.ranking import ranking_accuracy
from bayesbias.scores.direct_bias import direct_bias, direct_bias_of
from bayesbias.scores.gweat import gweat_of
from bayesbias.scores.same import same_of
from bayesbias.scores.weam import association_limit_of, psi_of
from bayesbias.scores.weat import effect_sizes, weat
from bayesbias.tables.wordlists import WordList, load_wordlist

from .claims import Claim, claims_frame
from .sources import Folder, data_folder

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

DEMO = "glove-demo"

GOOGLE_NEWS = {
    "weat1": 1.54,
    "weat2": 1.63,
    "weat3": 0.58,
    "weat6": 1.89,
    "weat7": 0.97,
    "weat8": 1.24,
    "weat9": 1.30,
}
"""Effect sizes for GoogleNews of Caliskan et al. (2017), supplement, table 2."""

PHI = {
    "weat1": 0.996,
    "weat2": 0.998,
    "weat3": 0.993,
    "weat4": 0.962,
    "weat5": 0.999,
    "weat6": 0.794,
    "weat7": 0.823,
    "weat8": 0.971,
    "weat9": 0.001,
    "weat10": 1e-4,
}
"""Φ of X about the background's mean in GloVe 840B of Smarda (2021), table 2."""

LARGEST_LIMIT = 2.0
"""Of the distance of two mean unit vectors."""


def association_limit() -> pd.DataFrame:
    """‖â - b̂‖, the largest ψ of a word, of which a value of 5.206 is printed.

    References
    ----------
    Schröder et al. (2024), Semantic properties of cosine based bias scores, theorem 1, table 2.
    """
    limits, raw = {}, {}
    for name in ("weat1", "weat6", "weat7", "gender"):
        A, B = _rows(load_wordlist(name), "stereotypes")[:2]
        limits[name] = association_limit_of(A, B)
        raw[name] = float(np.linalg.norm(A.mean(axis=0) - B.mean(axis=0)))
    told = ", ".join(f"{name} {limit:.3f}" for name, limit in limits.items())
    most = max(raw.values())
    return claims_frame(
        [
            Claim(
                "largest norm of a difference of mean unit vectors",
                5.206,
                LARGEST_LIMIT,
                cause=f"two points of the unit ball are at most 2 apart; in {DEMO} {told}. Of raw "
                f"vectors the norm has no bound (here up to {most:.2f})",
            )
        ]
    )


def extremes_of_psi() -> pd.DataFrame:
    """Extremes of ψ(w): ±‖â - b̂‖, reached along the difference of the means.

    References
    ----------
    Schröder et al. (2024), Semantic properties of cosine based bias scores, theorem 1.
    """
    A, B = _rows(load_wordlist("weat7"), "stereotypes")
    direction = unit_rows(A).mean(axis=0) - unit_rows(B).mean(axis=0)
    limit, reached = association_limit_of(A, B), float(psi_of(direction[None], A, B)[0])
    some = np.random.default_rng(1).standard_normal((10_000, A.shape[1]))
    largest = float(np.abs(psi_of(some, A, B)).max())
    cause = f"none of 10,000 random directions passes {largest:.3f}"
    return claims_frame(
        [Claim("largest ψ, weat7", round(limit, 6), round(reached, 6), 1e-6, cause)]
    )


def effect_size_extremes() -> pd.DataFrame:
    """WEAT's d at its bound for a tiny difference, and 0 where every word leans.

    References
    ----------
    Schröder et al. (2024), Semantic properties of cosine based bias scores, theorems 3 and 4.
    """
    tiny = 1e-6
    bound = float(effect_sizes([tiny] * 4, [-tiny] * 4, 0))
    nothing = float(effect_sizes([0.5, -0.5], [0.5, -0.5], 0))
    return claims_frame(
        [
            Claim(
                "d of X at +1e-6, Y at -1e-6: comparable, its bound is reached", 2.0, bound, 1e-9
            ),
            Claim(
                "d where all words lean by .5, each group both ways: not trustworthy",
                0.0,
                nothing,
                1e-9,
            ),
        ]
    )


def direct_bias_misses() -> pd.DataFrame:
    """Direct Bias of a target along a direction that the component leaves out.

    References
    ----------
    Schröder et al. (2024), Semantic properties of cosine based bias scores, theorem 6.
    """
    axes = np.eye(3)
    pairs = [np.stack([axes[2] + 2 * axes[0], axes[2] - 2 * axes[0]])]
    pairs.append(np.stack([axes[2] + axes[1] / 2, axes[2] - axes[1] / 2]))
    score = direct_bias_of(axes[1:2], pairs, k=1).score
    cosines = unit_rows(pairs[1]) @ axes[1]
    cause = f"its cosines with the second pair are {cosines[0]:+.2f} and {cosines[1]:+.2f}"
    return claims_frame(
        [Claim("Direct Bias of a target that leans", 0.0, round(score, 9), 1e-9, cause)]
    )


def gweat_of_two() -> pd.DataFrame:
    """GWEAT of two groups is half the difference of mean associations.

    References
    ----------
    Schröder, Schulz and Hammer (2024), The SAME score, equation 3.
    """
    rows = []
    for name in ("weat1", "weat7"):
        words = load_wordlist(name)
        X, Y = _rows(words, "groups")
        A, B = _rows(words, "stereotypes")
        half = (psi_of(X, A, B).mean() - psi_of(Y, A, B).mean()) / 2
        found = gweat_of([X, Y], [A, B]).score
        rows.append(Claim(f"gWEAT, {name}", round(float(half), 6), round(found, 6), 1e-6))
    return claims_frame(rows)


def order_of_groups() -> pd.DataFrame:
    """SAME of three groups, whatever their order; a sum of components depends on it.

    References
    ----------
    Schröder, Schulz and Hammer (2024), The SAME score, equations 13 to 16; its code,
    HammerLabML/EmbeddingBiasScores, at ef1c49f.
    """
    words = load_wordlist("religion")
    groups = _rows(words, "groups")
    targets = np.vstack(_rows(words, "stereotypes"))
    one, other = (same_of(targets, each).score for each in (groups, groups[::-1]))
    added, reversed_ = (_added_components(targets, each) for each in (groups, groups[::-1]))
    cause = "components are added up, and the later ones are not brought to unit length"
    return claims_frame(
        [
            Claim("SAME of the groups in reverse order", round(one, 6), round(other, 6), 1e-6),
            Claim(
                "the same by the rule of the code",
                round(added, 4),
                round(reversed_, 4),
                5e-5,
                cause,
            ),
        ]
    )


def ranking_intervals() -> pd.DataFrame:
    """What an accuracy of 1 says where few pairs of models are compared.

    References
    ----------
    Schröder, Schulz and Hammer (2024), The SAME score, table 3; Newcombe (2006), Statistics in
    Medicine 25, 559-573, method 5.
    """
    rows = []
    for less, more in ((2, 2), (2, 3), (4, 4)):
        biases = [0.0] * less + [1.0] * more
        result = ranking_accuracy(biases, biases, sds=0)
        cause = (
            "the table has no numbers of pairs; a reader of its decimals inferred 6, 6, 4 and 16 "
            "for the columns of CrowS-Pairs, which is not checked here"
        )
        claim = f"89% interval of an accuracy of 1 over {less * more} pairs"
        rows.append(Claim(claim, "none", f"{result.low:.2f} to 1", cause=cause))
    return claims_frame(rows)


def young_names() -> pd.DataFrame:
    """Φ of young people's names in Smarda's test 10, printed as 1e-4.

    References
    ----------
    Smarda (2021), table 2, test 10.
    """
    test = experiments(["weat10"])["weat10"]
    vectors = load_vectors(DEMO)
    found = distribution(vectors, test.Z, test.Z2, case="lower")
    lower, upper = (found.phi(test.X, tail=tail) for tail in ("lower", "upper"))
    known = sum(word.lower() in vectors for word in test.X)
    cause = (
        f"{known} of {len(test.X)} names in {DEMO} lie on the pleasant side. As an upper tail, "
        "1e-4 agrees with the table's other rows (docs/background.md)"
    )
    return claims_frame(
        [
            Claim("Φ of young people's names", 1e-4, round(lower, 3), 0.01, cause),
            Claim(
                "the share above them",
                1e-4,
                round(upper, 3),
                0.05,
                "other vectors, so that size is not compared",
            ),
        ]
    )


def sides_of_sets() -> pd.DataFrame:
    """On which side of the vocabulary's mean X lies in each of Smarda's ten tests.

    References
    ----------
    Smarda (2021), table 2.
    """
    causes = {
        "weat9": f"the words of {DEMO} are frequent ones, which lean to permanent; of all 400,000 "
        "of GloVe 6B Φ is .021 (docs/background.md)",
        "weat10": "1e-4 is an upper tail (`young_names`)",
    }
    tests = experiments(PHI)
    rows = []
    for name, each in distributions(load_vectors(DEMO), tests, case="lower").items():
        found = each.phi(tests[name].X)
        printed, side = ("above" if phi > 0.5 else "below" for phi in (PHI[name], found))
        cause = f"Φ {PHI[name]:g} in GloVe 840B, {found:.3f} in {DEMO}"
        if side != printed:
            cause += f": {causes[name]}"
        label = tests[name].labels[0].replace("_", " ")
        rows.append(Claim(f"{name}, {label}, in the vocabulary", printed, side, cause=cause))
    return claims_frame(rows)


def background_shifts() -> pd.DataFrame:
    """How far the vocabulary's mean lies from 0 in Smarda's tests 6 to 8.

    References
    ----------
    Smarda (2021), text on table 2.
    """
    tests = experiments(["weat7", "weat8", "weat6"])
    rows = []
    for name, each in distributions(load_vectors(DEMO), tests, case="lower").items():
        shift = abs(each.mean) / each.sd
        cause = (
            f"{shift:.2f} sd in {DEMO}. In the table the two Φ of a row, about the background and "
            "about 0, imply .3 to .6 sd for tests 6 to 8"
        )
        claim = f"{name}: the vocabulary's mean lies one sd or more from 0"
        rows.append(Claim(claim, "yes", "yes" if shift >= 1 else "no", cause=cause))
    return claims_frame(rows)


def google_news(folder: Folder = None) -> pd.DataFrame:
    """WEAT's d on GoogleNews vectors.

    References
    ----------
    Caliskan, Bryson and Narayanan (2017), supplement, table 2.
    """
    lists = {name: load_wordlist(name) for name in GOOGLE_NEWS}
    vectors = _google_news(folder, {word for each in lists.values() for word in each.words})
    rows = []
    for name, words in lists.items():
        X, Y = words.groups.values()
        A, B = (words.stereotypes[group] for group in words.groups)
        result = weat(vectors, X, Y, A, B)
        lost = sum(map(len, result.missing.values()))
        cause = f"{lost} words are not in our part of the vectors" if lost else ""
        rows.append(
            Claim(f"d of {name}", GOOGLE_NEWS[name], round(result.effect_size, 3), 0.01, cause)
        )
    return claims_frame(rows)


def direct_bias_of_professions(folder: Folder = None) -> pd.DataFrame:
    """Direct Bias of professions on GoogleNews vectors, printed as .08.

    References
    ----------
    Bolukbasi et al. (2016), section 5.2.
    """
    sets = load_defining_sets("gender")
    vectors = _google_news(folder, sets.kept | set(sets.targets))
    targets = [word for word in sets.targets if word in vectors]
    found = direct_bias(vectors, targets, sets.defining).score
    cause = f"{len(targets)} professions of the published list are in our part of the vectors"
    return claims_frame(
        [Claim("Direct Bias of professions, c = 1", 0.08, round(found, 3), 0.005, cause)]
    )


def _rows(words: WordList, kind: str) -> list[FloatArray]:
    """Vectors of the groups, or of the stereotypes, of a list in the bundled embedding."""
    sets = getattr(words, kind)
    found = look_up(load_vectors(DEMO, words=words, case="fallback"), sets)
    return [found.rows[name] for name in sets]


def _added_components(targets: FloatArray, groups: list[FloatArray]) -> float:
    """Mean sum of absolute components where Gram-Schmidt leaves lengths as they come."""
    means = np.stack([unit_rows(each).mean(axis=0) for each in groups])
    first, second = means[1] - means[0], means[2] - means[0]
    first = first / np.linalg.norm(first)
    second = second - (second @ first) * first
    rows = unit_rows(targets)
    return float((np.abs(rows @ first) + np.abs(rows @ second)).mean())


def _google_news(folder: Folder, words: Iterable[str]) -> KeyedVectors:
    path = data_folder(folder) / "vectors" / "googlenews_subset.bin"
    if not path.is_file():
        raise FileNotFoundError(f"no GoogleNews vectors at {path}")
    return load_vectors(path, words=words, progressbar=False)
