"""What is fuzzed: every reader of other people's files, with valid files to damage."""

import bz2
import gzip
import json
import lzma
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import contents as made
import numpy as np
from backports import zstd
from contents import Seeds
from safetensors.numpy import save

import bayesbias as bb
from bayesbias.contextual.sentences import load_sentences, load_templates
from bayesbias.debias.defining_sets import load_defining_sets
from bayesbias.embeddings.formats.arrays import VECTORS, WORDS
from bayesbias.maskedlm.pair_files import read_pairs
from bayesbias.maskedlm.score_files import RECORD, SCORES, read_scored
from bayesbias.workflows.sweep_spec import load_sweep


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
    files: Callable[[], dict[str, bytes]], damaged: str, read: Callable[[Path], object] = made.load
) -> Reader:
    """One file of a folder, which is read as a whole."""
    others = {name: content for name, content in files().items() if name != damaged}
    return Reader(damaged, read, lambda: (files()[damaged],), beside=others, opened=".")


def each(make: Callable[[bytes], bytes], seeds: Seeds) -> Seeds:
    """Return seeds that are packed before they are damaged."""
    return lambda: tuple(map(make, seeds()))


READERS = {
    "word2vec text": Reader("vectors.txt", made.load, made.text),
    "word2vec binary": Reader("vectors.bin", made.load, made.binary),
    "fastText model": Reader("model.bin", made.load, made.fasttext),
    "gz around damage": Reader("vectors.txt.gz", made.load, made.text, pack=gzip.compress),
    "gz damaged": Reader("vectors.gz", made.load, each(gzip.compress, made.text)),
    "zip around damage": Reader("vectors.zip", made.load, made.text, pack=made.in_zip),
    "zip damaged": Reader("vectors.zip", made.load, each(made.in_zip, made.binary)),
    "parquet vectors": Reader("vectors.parquet", made.load, made.parquet_vectors),
    "separators": Reader("vectors.csv", made.load, made.separated),
    "keys with blanks": Reader("vectors.bin", made.load, made.blanks),
    "any kind": Reader("vectors", made.load, made.any_kind),
    "zst damaged": Reader("v.zst", made.load, each(zstd.compress, made.text)),
    "tar damaged": Reader("v.tar", made.load, made.tarred),
    "tar.gz around damage": Reader("v.tar.gz", made.load, made.tarred, pack=gzip.compress),
    "words of a matrix": Reader(
        "v.txt", made.load, made.words, beside={"v.npy": made.NPY}, opened="v.npy"
    ),
    "HistWords": Reader(
        "1990-vocab.pkl", made.load_pickled, lambda: made.PICKLES, beside={"1990-w.npy": made.NPY}
    ),
    "lines of numbers": Reader(
        "tensors.tsv", made.load, lambda: (made.NUMBERS,), beside={"metadata.tsv": made.LINES}
    ),
    "npz": Reader("vectors.npz", made.load, made.npz),
    "npz of wrong shapes": Reader("vectors.npz", made.load, made.misshapen),
    "npz around damage": Reader(
        "vectors.npz",
        made.load,
        lambda: (made.NPY, made.npy(np.array(made.NAMES))),
        pack=made.around,
    ),
    "safetensors": Reader(
        "v.safetensors",
        made.load,
        lambda: (save({"e": made.MATRIX}),),
        beside={"v.txt": made.LINES},
    ),
    "JSON vectors": Reader("vectors.json", made.load, made.json_vectors),
    "JSON lines of vectors": Reader("vectors.jsonl", made.load, made.json_lines),
    "static model": part_of(made.static, "model.safetensors"),
    "tokenizer": part_of(made.static, "tokenizer.json"),
    "native vectors": part_of(made.native, VECTORS),
    "native words": part_of(made.native, WORDS),
    "scores": part_of(made.scored, SCORES, read_scored),
    "record of scores": part_of(made.scored, RECORD, read_scored),
    "store": Reader("a.json", made.find, made.store),
    "bz2 table": Reader("table.csv.bz2", bb.read_table, made.table, pack=bz2.compress),
    "xz table damaged": Reader("table.csv.xz", bb.read_table, each(lzma.compress, made.table)),
    "gz table damaged": Reader("table.csv.gz", bb.read_table, each(gzip.compress, made.table)),
    "word list": Reader("pets.toml", made.check, lambda: (made.PETS,)),
    "word list, long": Reader(
        "list.toml", made.check, made.bundled("wordlists", "weat10", "religion")
    ),
    "model": Reader("model.toml", bb.load_model, made.bundled("models", "paper", "robust")),
    "word list, CSV": Reader("list.csv", made.check, made.sheets),
    "word list, JSON": Reader("list.json", made.check, lambda: (made.PETS_JSON, made.SEAT)),
    "table": Reader("table.csv", bb.read_table, made.table),
    "cosines": Reader(
        "t.cosines.csv",
        bb.read_table,
        made.cosines,
        beside={"t.csv": made.table()[0]},
        opened="t.csv",
    ),
    "parquet table": Reader("table.parquet", bb.read_table, made.parquet),
    "CrowS-Pairs": Reader("pairs.csv", lambda path: read_pairs(path, "crows-pairs"), made.crows),
    "StereoSet": Reader("dev.json", lambda path: read_pairs(path, "stereoset"), made.stereoset),
    "BBQ": Reader(
        "bbq.jsonl",
        lambda path: read_pairs(path, "bbq"),
        lambda: (json.dumps(made.QUESTION).encode(),),
    ),
    "log of the harness": Reader("samples_bbq.jsonl", made.in_log("lm-eval"), made.harness),
    "log of Inspect": Reader("log.json", made.in_log("inspect"), made.inspected),
    "eval around damage": Reader("log.eval", made.in_log("inspect"), made.asked, pack=made.in_eval),
    "eval damaged": Reader("log.eval", made.in_log("inspect"), each(made.in_eval, made.asked)),
    "sweep": Reader("sweep.toml", load_sweep, lambda: (made.SWEEP,)),
    "sentences": Reader("sentences.csv", load_sentences, made.natural),
    "templates": Reader("said.toml", load_templates, made.bundled("contexts", "bleached")),
    "defining sets": Reader(
        "sets.toml", load_defining_sets, made.bundled("wordlists/defining", "race")
    ),
}


"""Readers by name. Adding one is adding a line."""
