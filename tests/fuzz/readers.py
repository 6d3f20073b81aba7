"""What is fuzzed: every reader of other people's files, with valid files to damage."""

import bz2
import gzip
import io
import json
import lzma
import pickle
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from backports import zstd
from cli_toy import write_scored
from embedding_toys import as_binary, as_text, npz, tarred, zipped
from maskedlm_toys import crows as crows_sample
from maskedlm_toys import inspected, question, sample, winogender
from safetensors.numpy import save
from test_maskedlm_files import crows, stereoset

import bayesbias as bb
from bayesbias._core.jobs import RESULTS, pack_frame, read_results
from bayesbias._core.resources import bundled_folder
from bayesbias.contextual.sentences import load_sentences, load_templates
from bayesbias.debias.defining_sets import load_defining_sets
from bayesbias.embeddings.formats.arrays import VECTORS, WORDS, packed_texts
from bayesbias.maskedlm.pair_files import read_pairs
from bayesbias.maskedlm.score_files import RECORD, SCORES, bbq_scores, read_scored, read_scores
from bayesbias.workflows.sweep_spec import load_sweep

type Seeds = Callable[[], tuple[bytes, ...]]


def load(path: Path) -> object:
    """Read all words, then a few of them, which takes another way."""
    vectors = bb.load_vectors(path, progressbar=False)
    return vectors, bb.load_vectors(path, ["cat", "naïve"], case="fallback", progressbar=False)


NAMES = ("cat", "dog", "naïve", "new york", "the")
LINES = "\n".join(NAMES).encode()
MATRIX = np.linspace(-1, 1, 20, dtype=np.float32).reshape(5, 4)


TABLE = dict(zip(NAMES, MATRIX.tolist(), strict=True))
PLAIN = as_text({name.replace(" ", "_"): row for name, row in TABLE.items()})


def text() -> tuple[bytes, ...]:
    spaced = b"new york 1 2 3 4\n. . . 4 3 2 1\ncat 1 2 3 5\n"
    windows = b"\xef\xbb\xbf5 4\r\n" + PLAIN.replace(b"\n", b"\r\n")
    return (b"5 4\n" + PLAIN, PLAIN, windows, spaced)


def binary() -> tuple[bytes, ...]:
    words = {name.replace(" ", "_"): row for name, row in TABLE.items()}
    return as_binary(words), as_binary(words, newline=True)


@cache
def fasttext() -> tuple[bytes, ...]:
    from gensim.models import FastText
    from gensim.models.fasttext import save_facebook_model

    model = FastText([list(NAMES)] * 3, vector_size=4, bucket=8, min_count=1, epochs=1, workers=1)
    with tempfile.TemporaryDirectory() as folder:
        save_facebook_model(model, f"{folder}/model.bin")
        return (Path(folder, "model.bin").read_bytes(),)


def npy(matrix: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, matrix)
    return file.getvalue()


def archive(**arrays: np.ndarray) -> bytes:
    """Return the bytes of a well-formed .npz file with some of its arrays replaced."""
    names = np.array(NAMES)
    return npz(**{"words": names, "vectors": MATRIX, "read_as": names, **arrays})


def packed() -> tuple[bytes, ...]:
    return archive(), npz(**packed_texts("words", NAMES), vectors=MATRIX)


def separated() -> tuple[bytes, ...]:
    """Lines with other separators, and tables whose columns have names."""
    frame = pd.DataFrame(MATRIX, NAMES, list("abcd"))
    tables = (frame.to_csv(sep=sep, decimal=mark) for sep, mark in (",.", "\t.", ";,"))
    made = (*tables, frame.assign(count=[9, 8, 7, 6, 50]).to_csv(), frame.to_csv(header=False))
    lines = PLAIN.replace(b" ", b"\t", 1), PLAIN.decode().encode("latin-1")
    return (*(each.encode() for each in made), *lines)


def blanks() -> tuple[bytes, ...]:
    """Keys with blanks, with few and with many dimensions."""
    wide = dict(zip(NAMES, np.tile(MATRIX, 5).tolist(), strict=True))
    return as_binary(TABLE), as_binary(wide), as_binary(wide, newline=True)


def words() -> tuple[bytes, ...]:
    """Words of a matrix, in a file next to it."""
    counts = "".join(f"{name} {row}\n" for row, name in enumerate(NAMES))
    heads = "id\tword\n" + "".join(f"{row}\t{name}\n" for row, name in enumerate(NAMES))
    sixteen = LINES.decode().encode("utf-16-le")
    return LINES.replace(b"\n", b"\r\n"), sixteen, counts.encode(), heads.encode()


def load_pickled(path: Path) -> object:
    return bb.load_vectors(path.with_name("1990-w.npy"), allow_pickle=True)


def around(content: bytes) -> bytes:
    """Put a damaged array into a sound archive: texts as its words, numbers as its vectors."""
    name = "words.npy" if b"<U" in content[:80] else "vectors.npy"
    return zipped({"words.npy": npy(np.array(NAMES)), "vectors.npy": npy(MATRIX)} | {name: content})


def any_kind() -> tuple[bytes, ...]:
    return (*text(), *binary(), *packed(), *parquet_vectors(), *fasttext())


def misshapen() -> tuple[bytes, ...]:
    """Return sound archives whose arrays have every wrong shape and type."""
    whole = {"words": np.array(NAMES), "vectors": MATRIX, "read_as": np.array(NAMES)}
    whole["ranks"] = np.arange(5)
    shapes = [lambda a: a[None], lambda a: a[:0], lambda a: a[0], lambda a: a.ravel()[0]]
    odd = [*shapes, lambda a: a.astype("U1"), lambda a: a.T, lambda a: a[:4]]
    return tuple(archive(**{name: wrong(a)}) for name, a in whole.items() for wrong in odd)


def bundled(folder: str, *names: str) -> Seeds:
    """Shortest first, since short files are damaged to more effect."""

    paths = [bundled_folder(folder) / f"{name}.toml" for name in names]
    return lambda: tuple(path.read_bytes() for path in paths)


@cache
def table() -> tuple[bytes, ...]:
    rows = [
        ("he", "man", "soldier", "man_stereotype", "associated", 0.7),
        ("he", "man", "nan", "neutral", "neutral", 0.91),
        ("she", "woman", "soldier", "man_stereotype", "different", 1.2),
        ("she", "woman", "naïve, or not", "neutral", "human", 2.0),
    ]
    ours = pd.DataFrame(rows, columns=list(bb.COLUMNS)).to_csv(index=False).encode()
    published = (
        b"protected_word,word_to_compare,word_class,cosine_distance,connection\n"
        b"he,soldier,man_stereotype,0.7,associated\nhe,clock,neutral,-100,none\n"
        b"he,maid,woman_stereotype,0.8,different\nshe,maid,woman_stereotype,0.6,associated\n"
    )
    german = pd.DataFrame(rows, columns=list(bb.COLUMNS)).assign(share=[0.5, None, 1, 2])
    return ours, published, german.to_csv(index=False, sep=";", decimal=",").encode()


def cosines() -> tuple[bytes, ...]:
    """Cosines and vectors of words, as they lie beside a table."""
    square = b"word,he,she,7\nhe,1.0,0.5,0.1\nshe,0.5,1.0,-0.2\n7,0.1,-0.2,1.0\n"
    return square, b"word,v1,v2\nhe,32767,5\nshe,-200,32767\nsoldier,32767,-32767\n"


@cache
def parquet() -> tuple[bytes, ...]:
    file = io.BytesIO()
    pd.read_csv(io.BytesIO(table()[0]), keep_default_na=False).to_parquet(file, index=False)
    return (file.getvalue(),)


def parquet_vectors() -> tuple[bytes, ...]:
    file = io.BytesIO()
    pd.DataFrame(MATRIX, NAMES, list("abcd")).to_parquet(file)
    return (file.getvalue(),)


def natural() -> tuple[bytes, ...]:
    return (b'word,sentence\ncat,"The cat, they said, sleeps."\ncat,A Cat!\ndog,My dog ran.\n',)


SWEEP = (
    b'title = "Two"\nlists = ["religion"]\nmodels = ["paper"]\nseed = 1\nrope = 0.02\n'
    b'draws = 100\nchains = 2\nci_prob = 0.89\nmethod = "auto"\n'
    b'[embeddings]\ndemo = "glove-demo"\nother = {source = "x.bin", case = "lower"}\n'
)
PETS = (
    b'name = "pets"\ntitle = "Cats and dogs"\n[groups]\ncat = ["cat", "kitten"]\n'
    b'dog = ["dog"]\n[stereotypes]\ncat = ["aloof"]\ndog = ["loyal", "noisy"]\n'
    b'[controls]\nneutral = "neutral"\nhuman = ["bread"]\n'
)


SEAT = b"""{"targ1": {"category": "a", "examples": ["he"]},
"targ2": {"category": "b", "examples": ["she"]}, "attr1": {"category": "c", "examples": ["x"]},
"attr2": {"category": "d", "examples": ["y"]}}"""
PETS_JSON = (
    b'{"groups": {"cat": ["cat"], "dog": ["dog", "puppy"]}, "controls": {"neutral": "neutral"},'
    b' "stereotypes": {"cat": ["aloof"], "dog": ["loyal", "noisy"]}}'
)


def sheets() -> tuple[bytes, ...]:
    """Return a word list as CSV, with commas and as Excel writes it."""
    frame = bb.load_wordlist(json.loads(PETS_JSON)).to_frame()
    excel = frame.to_csv(index=False, sep=";", lineterminator="\r\n") + ";;\r\n"
    return frame.to_csv(index=False).encode(), excel.encode("utf-8-sig")


def check(path: Path) -> object:
    """Load a list, and look it over."""
    return bb.check_wordlist(path), bb.load_wordlist(path)


def harness() -> tuple[bytes, ...]:
    """Samples of three tasks, as lines and as one list."""
    jobs = [winogender(n, "nurse", gender, -4, -2) for n, gender in enumerate(("male", "female"))]
    samples = [crows_sample(0), sample(1, question(1), -1, -3, -2, -9), *jobs]
    return "\n".join(map(json.dumps, samples)).encode(), json.dumps(samples).encode()


LOG = inspected()
ASKED = LOG["samples"][2]  # the first ones have unknown answers


def asked() -> tuple[bytes, ...]:
    return (json.dumps(ASKED).encode(),)


def in_eval(content: bytes) -> bytes:
    """Put a damaged sample into a sound archive."""
    head = json.dumps(LOG | {"samples": None}).encode()
    return zipped({"header.json": head, "summaries.json": b"[{}]", "samples/1.json": content})


def in_log(layout: str) -> Callable[[Path], object]:
    return lambda path: (read_scores(path, layout), bbq_scores(path, layout))


def json_vectors() -> tuple[bytes, ...]:
    rows = MATRIX.tolist()
    columns = {"texts": NAMES, "embeddings": rows}
    records = [{"text": name, "n": 2, "embedding": row} for name, row in TABLE.items()]
    return tuple(json.dumps(one).encode() for one in (TABLE, columns, records, {"data": records}))


def json_lines() -> tuple[bytes, ...]:
    body = [{"body": {"data": [{"embedding": row, "index": 0}]}} for row in MATRIX.tolist()]
    batch = [{"custom_id": w, "response": one} for w, one in zip(NAMES, body, strict=True)]
    values = ([*TABLE.items()], [{"word": w, "vec": row} for w, row in TABLE.items()], batch)
    return tuple("\n".join(map(json.dumps, lines)).encode() for lines in values)


def static() -> dict[str, bytes]:
    tokens = {"vocab": {name: row for row, name in enumerate(NAMES)}, "type": "WordLevel"}
    added = [{"id": 4, "content": "the", "special": False}]
    return {
        "tokenizer.json": json.dumps({"model": tokens, "added_tokens": added}).encode(),
        "model.safetensors": save({"embeddings": MATRIX, "mapping": np.arange(5)[::-1].copy()}),
    }


def native() -> dict[str, bytes]:
    return {VECTORS: npy(MATRIX), WORDS: LINES + b"\n"}


@cache
def scored() -> dict[str, bytes]:
    """A folder of scores of sentence pairs."""
    with tempfile.TemporaryDirectory() as made:
        folder = write_scored(Path(made, "scored"))
        return {name: (folder / name).read_bytes() for name in (SCORES, RECORD)}


def store() -> tuple[bytes, ...]:
    return (json.dumps(pack_frame(pd.DataFrame({"n": [1, 2]}))).encode(),)


def find(path: Path) -> object:
    """Read a result, whose folder is called ``results``."""
    with tempfile.TemporaryDirectory() as made:
        (Path(made) / RESULTS).mkdir()
        (Path(made) / RESULTS / "a.json").write_bytes(path.read_bytes())
        return read_results(Path(made), ["a"])


def in_zip(content: bytes) -> bytes:
    return zipped({"v.txt": content})


PICKLES = (pickle.dumps([*NAMES], 2), pickle.dumps({name: row for row, name in enumerate(NAMES)}))


NUMBERS = "".join("\t".join(map(str, row)) + "\n" for row in MATRIX.tolist()).encode()


NPY = npy(MATRIX)


@dataclass(frozen=True)
class Reader:
    """A reader, the name that its file has, and valid contents of that file.

    ``pack`` puts a damaged content into a sound packing, so damage gets behind checksums;
    ``beside`` are files that lie beside the damaged one; ``opened`` is what the reader is given,
    where that is another path than the damaged file's.
    """

    file: str
    read: Callable[[Path], object]
    seeds: Seeds
    pack: Callable[[bytes], bytes] = bytes
    beside: dict[str, bytes] = field(default_factory=dict)
    opened: str = ""


def part_of(
    files: Callable[[], dict[str, bytes]], damaged: str, read: Callable[[Path], object] = load
) -> Reader:
    """One file of a folder, which is read as a whole."""
    others = {name: content for name, content in files().items() if name != damaged}
    return Reader(damaged, read, lambda: (files()[damaged],), beside=others, opened=".")


def each(make: Callable[[bytes], bytes], seeds: Seeds) -> Seeds:
    """Return seeds that are packed before they are damaged."""
    return lambda: tuple(map(make, seeds()))


READERS = {
    "word2vec text": Reader("vectors.txt", load, text),
    "word2vec binary": Reader("vectors.bin", load, binary),
    "fastText model": Reader("model.bin", load, fasttext),
    "gz around damage": Reader("vectors.txt.gz", load, text, pack=gzip.compress),
    "gz damaged": Reader("vectors.gz", load, each(gzip.compress, text)),
    "zip around damage": Reader("vectors.zip", load, text, pack=in_zip),
    "zip damaged": Reader("vectors.zip", load, each(in_zip, binary)),
    "parquet vectors": Reader("vectors.parquet", load, parquet_vectors),
    "separators": Reader("vectors.csv", load, separated),
    "keys with blanks": Reader("vectors.bin", load, blanks),
    "any kind": Reader("vectors", load, any_kind),
    "zst damaged": Reader("v.zst", load, each(zstd.compress, text)),
    "tar damaged": Reader("v.tar", load, lambda: (tarred(PLAIN),)),
    "tar.gz around damage": Reader("v.tar.gz", load, lambda: (tarred(PLAIN),), pack=gzip.compress),
    "words of a matrix": Reader("v.txt", load, words, beside={"v.npy": NPY}, opened="v.npy"),
    "HistWords": Reader(
        "1990-vocab.pkl", load_pickled, lambda: PICKLES, beside={"1990-w.npy": NPY}
    ),
    "lines of numbers": Reader(
        "tensors.tsv", load, lambda: (NUMBERS,), beside={"metadata.tsv": LINES}
    ),
    "npz": Reader("vectors.npz", load, packed),
    "npz of wrong shapes": Reader("vectors.npz", load, misshapen),
    "npz around damage": Reader(
        "vectors.npz", load, lambda: (NPY, npy(np.array(NAMES))), pack=around
    ),
    "safetensors": Reader(
        "v.safetensors", load, lambda: (save({"e": MATRIX}),), beside={"v.txt": LINES}
    ),
    "JSON vectors": Reader("vectors.json", load, json_vectors),
    "JSON lines of vectors": Reader("vectors.jsonl", load, json_lines),
    "static model": part_of(static, "model.safetensors"),
    "tokenizer": part_of(static, "tokenizer.json"),
    "native vectors": part_of(native, VECTORS),
    "native words": part_of(native, WORDS),
    "scores": part_of(scored, SCORES, read_scored),
    "record of scores": part_of(scored, RECORD, read_scored),
    "store": Reader("a.json", find, store),
    "bz2 table": Reader("table.csv.bz2", bb.read_table, table, pack=bz2.compress),
    "xz table damaged": Reader("table.csv.xz", bb.read_table, each(lzma.compress, table)),
    "gz table damaged": Reader("table.csv.gz", bb.read_table, each(gzip.compress, table)),
    "zip table damaged": Reader("table.csv.zip", bb.read_table, each(in_zip, table)),
    "word list": Reader("pets.toml", check, lambda: (PETS,)),
    "word list, long": Reader("list.toml", check, bundled("wordlists", "weat10", "religion")),
    "model": Reader("model.toml", bb.load_model, bundled("models", "paper", "robust")),
    "word list, CSV": Reader("list.csv", check, sheets),
    "word list, JSON": Reader("list.json", check, lambda: (PETS_JSON, SEAT)),
    "table": Reader("table.csv", bb.read_table, table),
    "cosines": Reader(
        "t.cosines.csv", bb.read_table, cosines, beside={"t.csv": table()[0]}, opened="t.csv"
    ),
    "parquet table": Reader("table.parquet", bb.read_table, parquet),
    "CrowS-Pairs": Reader(
        "pairs.csv", lambda path: read_pairs(path, "crows-pairs"), lambda: (crows().encode(),)
    ),
    "StereoSet": Reader(
        "dev.json", lambda path: read_pairs(path, "stereoset"), lambda: (stereoset().encode(),)
    ),
    "BBQ": Reader(
        "bbq.jsonl",
        lambda path: read_pairs(path, "bbq"),
        lambda: (json.dumps(question(1)).encode(),),
    ),
    "log of the harness": Reader("samples_bbq.jsonl", in_log("lm-eval"), harness),
    "log of Inspect": Reader(
        "log.json", in_log("inspect"), lambda: (json.dumps(LOG | {"samples": [ASKED]}).encode(),)
    ),
    "eval around damage": Reader("log.eval", in_log("inspect"), asked, pack=in_eval),
    "eval damaged": Reader("log.eval", in_log("inspect"), each(in_eval, asked)),
    "sweep": Reader("sweep.toml", load_sweep, lambda: (SWEEP,)),
    "sentences": Reader("sentences.csv", load_sentences, natural),
    "templates": Reader("said.toml", load_templates, bundled("contexts", "bleached")),
    "defining sets": Reader("sets.toml", load_defining_sets, bundled("wordlists/defining", "race")),
}


"""Readers by name. Adding one is adding a line."""
