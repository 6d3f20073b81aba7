"""What KLS and JSS, two measures of language models, do with Normals that are known."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bayesbias.maskedlm.measures import Normals, js_divergence, js_to_a_normal, jss_of, kls_of
from bayesbias.maskedlm.pair_files import read_pairs

from .claims import Claim, claims_frame
from .sources import Folder, data_folder

ALIKE = Normals((-30.0, -30.1), (5.0, 5.0))
APART = Normals((-30.0, -90.0), (5.0, 5.0))
SPREAD = Normals((-30.0, -31.0), (5.0, 6.0))


def kls_of_equal_sds() -> pd.DataFrame:
    """KLS where the two sds are equal, near and far apart.

    References
    ----------
    Liu (2024), equations of KLS.
    """
    cause = "for equal sds both divergences are equal, however far apart the means are"
    far, near = round(kls_of(APART), 6), round(kls_of(ALIKE), 6)
    return claims_frame(
        [
            Claim(
                "implied: KLS tells means 60 nats apart from means .1 apart",
                "yes",
                "no" if far == near else "yes",
                cause=f"both are {far:g}: {cause}",
            )
        ]
    )


def js_of_the_code() -> pd.DataFrame:
    """JS as the published code computes it, beside the divergence to the true mixture.

    References
    ----------
    Liu (2024), equation of JSS; ``code/scoring.py`` of nlply/robust-bias-evaluation-measures at
    292dd1f.
    """
    one, far = Normals((0.0, 4.0), (1.0, 1.0)), Normals((0.0, 8.0), (1.0, 1.0))
    true = js_divergence(one) * np.log(2)
    cause = "the code takes the divergence to a Normal in place of the mixture, which has no bound"
    folded = (
        "values above 1 are folded back by min(x, 1)/max(x, 1), which the paper does not mention"
    )
    return claims_frame(
        [
            Claim(
                "JS of N(0, 1) and N(4, 1) in nats, at most ln 2",
                round(true, 3),
                round(js_to_a_normal(one), 3),
                5e-4,
                cause,
            ),
            Claim(
                "JSS of N(0, 1) and N(8, 1)",
                round(jss_of(far), 1),
                round(jss_of(far, "published"), 1),
                0.05,
                folded,
            ),
        ]
    )


def unit_of_jss() -> pd.DataFrame:
    """JSS of scores, and of the same scores in another unit.

    References
    ----------
    Liu (2024), equation of JSS.
    """
    larger = Normals((-300.0, -310.0), (50.0, 60.0))
    cause = "1 + |σ₁ - σ₂| is in the unit of the scores, so that longer sentences change it"
    return claims_frame(
        [
            Claim(
                "implied: JSS of the same scores times ten is the same",
                round(jss_of(SPREAD), 1),
                round(jss_of(larger), 1),
                0.05,
                cause,
            )
        ]
    )


def direction_of_jss() -> pd.DataFrame:
    """JSS where stereotypes are more probable, and where they are less probable.

    References
    ----------
    Liu (2024), equation of JSS.
    """
    turned = Normals(APART.means[::-1], APART.sds[::-1])
    same = round(jss_of(APART), 6) == round(jss_of(turned), 6)
    cause = "JS and |σ₁ - σ₂| are symmetric; the percentage has the direction"
    return claims_frame(
        [
            Claim(
                "implied: JSS tells a preference for stereotypes from one against",
                "yes",
                "no" if same else "yes",
                cause=cause,
            )
        ]
    )


def crows_pairs(folder: Folder = None) -> pd.DataFrame:
    """Numbers of pairs and of bias types in CrowS-Pairs.

    References
    ----------
    Nangia et al. (2020), table 1.
    """
    path = data_folder(folder) / "crows_pairs" / "crows_pairs_anonymized.csv"
    if not path.is_file():
        raise FileNotFoundError(f"no CrowS-Pairs at {path}")
    pairs = read_pairs(path, "crows-pairs")
    return claims_frame(
        [
            Claim("pairs", 1508, pairs["pair_id"].nunique()),
            Claim("bias types", 9, pairs["bias_type"].nunique()),
        ]
    )
