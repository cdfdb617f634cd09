"""Names, folders and options: a mistake is told when the engine is made, with what to do."""

from __future__ import annotations

import shutil

import pytest

torch = pytest.importorskip("torch")


pytest.importorskip("transformers")


pytest.importorskip("sentence_transformers")


from guardrail.engines.cross_encoder import make  # noqa: E402
from guardrail.errors import ConfigurationError  # noqa: E402
from guardrail.policy.calibration import engine_identity  # noqa: E402

pytestmark = pytest.mark.usefixtures("no_hub")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("minichek", "Did you mean 'minicheck'"),
        ("nli", "nli:<hub id or folder>"),
        ("nli:", "nli:<hub id or folder>"),
        ("nli:/no/such/folder", "no model folder"),
        ("minicheck:not an id", "no model folder"),
        ("nli:~nobody/model", "no model folder"),
        (f"nli:{'x' * 5000}/../y", "no model folder"),
    ],
)
def test_wrong_names(name, message):
    with pytest.raises(ConfigurationError, match=message):
        make(name, download=False)


def test_labels_that_only_count_need_the_authors_or_the_caller(tiny):
    folder = tiny.encoder("roberta")  # LABEL_0, LABEL_1
    assert make(f"minicheck:{folder}").folder == folder
    with pytest.raises(ConfigurationError, match="labels="):
        make(f"nli:{folder}")
    make(f"nli:{folder}", labels=("unsupported", "supported"))


def test_a_model_without_the_head_is_refused_before_it_judges(tiny, tmp_path):
    import transformers

    folder = shutil.copytree(tiny.encoder("roberta"), tmp_path / "headless")
    transformers.RobertaModel.from_pretrained(str(folder)).save_pretrained(str(folder))
    with pytest.raises(ConfigurationError, match="lacks"):
        make(f"minicheck:{folder}", device="cpu").warm_up()
    with pytest.raises(ConfigurationError, match="no cross-encoder"):
        make(f"nli:{folder}", labels=("unsupported", "supported"))
    tiny.edit_config(folder, architectures=None)  # then only the weights tell
    with pytest.raises(ConfigurationError, match="lacks"):
        make(f"nli:{folder}", labels=("unsupported", "supported"), device="cpu").warm_up()


def test_code_in_the_folder_of_a_model_is_never_run(tiny):
    folder, base = tiny.hhem()
    assert (folder / "modeling_hhem_v2.py").exists()  # it would exit
    make(f"hhem:{folder}", base=base, device="cpu").warm_up()


def test_hhem_needs_the_config_of_its_base(tiny):
    folder, _ = tiny.hhem()
    with pytest.raises(ConfigurationError, match=r"google/flan-t5-base.*base="):
        make(f"hhem:{folder}", download=False)


def test_hhem_refuses_other_weights(tiny):
    _, base = tiny.hhem()
    with pytest.raises(ConfigurationError, match="not those of HHEM"):
        make(f"hhem:{tiny.encoder('nli2', 'bert', ('entailment', 'not_entailment'))}", base=base).warm_up()


def test_an_alignscore_checkpoint_with_code_in_it_is_not_read(tiny, tmp_path):
    class Trap:
        def __reduce__(self):
            return (open, (str(tmp_path / "ran"), "w"))

    folder = tmp_path / "trap"
    folder.mkdir()
    torch.save({"state_dict": {}, "callbacks": Trap()}, folder / "AlignScore-large.ckpt")
    with pytest.raises(ConfigurationError, match="could run code"):
        make(f"alignscore:{folder}", base=tiny.alignscore()[1]).warm_up()
    assert not (tmp_path / "ran").exists()


def test_alignscore_as_safetensors_beside_its_config_needs_no_base(tiny, tmp_path, request_of):
    from safetensors.torch import save_file

    folder, base = tiny.alignscore()
    state = torch.load(folder / "AlignScore-large.ckpt", weights_only=True)["state_dict"]
    converted = shutil.copytree(base, tmp_path / "converted")
    save_file({key: value.contiguous() for key, value in state.items()}, str(converted / "model.safetensors"))
    request = request_of(["The dam is high."], ["It is 64 metres high."])
    ours = make(f"alignscore:{converted}", device="cpu").verify(request)
    assert ours == make(f"alignscore:{folder}", base=base, device="cpu").verify(request)


def test_alignscore_needs_one_checkpoint(tiny, tmp_path):
    folder, base = tiny.alignscore()
    two = shutil.copytree(folder, tmp_path / "two")
    shutil.copy(two / "AlignScore-large.ckpt", two / "AlignScore-other.ckpt")
    with pytest.raises(ConfigurationError, match="2 checkpoints"):
        make(f"alignscore:{two}", base=base)


def test_the_package_imports_no_library_of_models():
    import subprocess
    import sys

    code = "import guardrail.engines.cross_encoder, sys; sys.exit(any(m in sys.modules for m in ('torch', 'transformers', 'sentence_transformers', 'huggingface_hub')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_an_identity_names_what_scores_depend_on(tiny, tmp_path):
    folder = shutil.copytree(tiny.encoder("roberta"), tmp_path / "roberta")
    first = make(f"minicheck:{folder}")
    assert first.identity.startswith("minicheck roberta files:")
    assert engine_identity(first).startswith(first.identity)
    moved = shutil.copytree(folder, tmp_path / "elsewhere" / "roberta")
    same = (make(f"minicheck:{moved}"), make(f"minicheck:{folder}", device="cpu", batch_tokens=64, download=False))
    assert {engine.identity for engine in same} == {first.identity}
    others = [
        make(f"factcg:{folder}"),
        *(make(f"minicheck:{folder}", **{name: value}) for name, value in (("window", 9), ("max_tokens", 99))),
        make(f"minicheck:{folder}", multilingual=True),
        make(f"minicheck:{folder}", labels=("supported", "unsupported")),
    ]
    tiny.edit_config(moved, layer_norm_eps=0.5)
    others.append(make(f"minicheck:{moved}"))
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"!")  # another weight, the same size
    others.append(make(f"minicheck:{folder}"))
    assert len({engine.identity for engine in (first, *others)}) == 1 + len(others)


def test_an_identity_covers_the_base(tiny, tmp_path):
    folder, base = tiny.hhem()
    other = shutil.copytree(base, tmp_path / "base")
    tiny.edit_config(other, dropout_rate=0.3)
    assert make(f"hhem:{folder}", base=base).identity != make(f"hhem:{folder}", base=other).identity
