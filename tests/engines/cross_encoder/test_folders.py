"""Where files of models are found: a folder, the hub's cache, a download."""

from __future__ import annotations

import shutil
from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")


pytest.importorskip("transformers")


pytest.importorskip("sentence_transformers")


from guardrail.engines.cross_encoder import make  # noqa: E402
from guardrail.errors import ConfigurationError, MissingExtraError  # noqa: E402
from guardrail.policy.calibration import engine_identity  # noqa: E402

pytestmark = pytest.mark.usefixtures("no_hub")


@pytest.mark.parametrize(
    "name", ["minicheck", "factcg", "hhem", "alignscore", "lettucedetect", "minicheck:roberta-large"]
)
def test_a_model_that_is_not_there_is_told_without_a_look_at_the_network(name):
    with pytest.raises(ConfigurationError, match=r"hf download .*/"):
        make(name, download=False)


def test_a_failed_download_says_what_to_do(monkeypatch):
    import huggingface_hub

    def broken(*_, local_files_only=False, **__):
        raise FileNotFoundError("not cached") if local_files_only else ConnectionError("no route")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", broken)
    with pytest.raises(ConfigurationError, match=r"cannot download .*ConnectionError.*name the folder"):
        make("minicheck")


def test_a_download_takes_weights_once_and_never_code(monkeypatch, tiny, tmp_path):
    import huggingface_hub

    asked = []
    cached = tmp_path / "snapshot"

    def hub(model, *, revision=None, local_files_only=False, allow_patterns=None):
        if local_files_only and not cached.exists():
            raise FileNotFoundError("not cached")
        if not local_files_only:
            asked.append((model, revision, tuple(allow_patterns)))
            if any("pytorch_model" in pattern for pattern in allow_patterns):
                (cached / "pytorch_model.bin").write_bytes(b"")
            else:
                shutil.copytree(tiny.encoder("roberta"), cached, ignore=shutil.ignore_patterns("*.safetensors"))
        return str(cached)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", hub)
    engine = make("minicheck:roberta-large", revision="abc")
    assert [(model, revision) for model, revision, _ in asked] == [("lytang/MiniCheck-RoBERTa-Large", "abc")] * 2
    assert not any(pattern.endswith(".py") or pattern == "*" for *_, patterns in asked for pattern in patterns)
    assert engine.name == "minicheck:roberta-large"
    make("minicheck:roberta-large", revision="abc")
    assert len(asked) == 2  # the second time it is in the cache


def test_a_missing_library_names_the_line_that_installs_it(monkeypatch, tiny):
    from guardrail.engines.cross_encoder import folders

    real = folders.importlib.util.find_spec
    monkeypatch.setattr(folders.importlib.util, "find_spec", lambda name: None if name == "torch" else real(name))
    with pytest.raises(MissingExtraError, match=r'pip install "rag-guardrail\[sentence-transformers\]"'):
        make(f"minicheck:{tiny.encoder('roberta')}")


def test_an_identity_reads_no_gigabytes(tiny, tmp_path, monkeypatch):
    from guardrail.engines.cross_encoder import folders

    real, read = folders.hashlib.sha256, []

    class Noting:
        def __init__(self):
            self.digest = real()

        def update(self, data):
            read.append(len(data))
            self.digest.update(data)

        def hexdigest(self):
            return self.digest.hexdigest()

    folder = shutil.copytree(tiny.encoder("roberta"), tmp_path / "large")
    with (folder / "model.safetensors").open("r+b") as file:
        file.truncate(1 << 40)  # a sparse file; read whole it would take minutes, or all memory
    engine = make(f"minicheck:{folder}")
    monkeypatch.setattr(folders, "hashlib", SimpleNamespace(sha256=Noting))
    engine_identity(make(f"minicheck:{folder}"))
    assert 0 < sum(read) < 1 << 27
    assert engine_identity(engine) == engine_identity(make(f"minicheck:{folder}"))
