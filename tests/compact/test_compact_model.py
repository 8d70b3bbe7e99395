"""The compact model: shapes, seeds, and the two ways of attention."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from compact.config import ModelConfig, from_toml
from compact.model import build

EXERCISES = Path(__file__).parents[2] / "exercises"
TRANSFORMER = ModelConfig("transformer")
LANGUAGE = ModelConfig("transformer", vocab=30, tokens=12, width=32)


def run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_configuration_needs_no_torch():
    run(
        f"import sys; sys.path.append({str(EXERCISES)!r}); import compact.config; "
        "assert 'torch' not in sys.modules and 'numpy' not in sys.modules"
    )


def test_the_package_can_be_loaded_from_its_folder_alone():
    folder = EXERCISES / "compact"
    out = run(
        "import importlib.util as u, sys\n"
        f"spec = u.spec_from_file_location('compact', {str(folder / '__init__.py')!r}, "
        f"submodule_search_locations=[{str(folder)!r}])\n"
        "sys.modules['compact'] = package = u.module_from_spec(spec)\n"
        "spec.loader.exec_module(package)\n"
        "from compact.data import load_digits\n"
        "print(len(load_digits()[0]))\n"
    )
    assert out.strip() == "1797"


@pytest.mark.parametrize("config", [ModelConfig(), ModelConfig(widths=(64, 10)), TRANSFORMER])
@pytest.mark.parametrize("shape", [(5, 64), (5, 8, 8)])
def test_images_give_logits_over_the_classes(config, shape):
    assert build(config)(torch.rand(shape)).shape == (5, 10)


def test_token_ids_give_logits_over_the_vocabulary_and_never_look_ahead():
    model = build(LANGUAGE)
    ids = torch.randint(30, (2, 12), generator=torch.Generator().manual_seed(0))
    changed = ids.clone()
    changed[:, 7] = (changed[:, 7] + 1) % 30
    before, after = model(ids), model(changed)
    assert before.shape == (2, 12, 30)
    assert torch.allclose(before[:, :7], after[:, :7], atol=1e-6)
    assert not torch.allclose(before[:, 7:], after[:, 7:], atol=1e-3)


@pytest.mark.parametrize("config", [TRANSFORMER, LANGUAGE])
def test_both_kinds_of_attention_are_the_same_function(config):
    fused = build(config, seed=3)
    manual = build(replace(config, attention="manual"), seed=3)
    x = torch.rand(4, 64) if config.vocab == 0 else torch.arange(24).reshape(2, 12)
    assert torch.allclose(fused(x), manual(x), rtol=1e-4, atol=1e-6)


def test_sdpa_is_used_only_when_asked_for():
    from torch.utils._python_dispatch import TorchDispatchMode

    class Names(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            seen.add(func._schema.name)
            return func(*args, **(kwargs or {}))

    fused = "aten::_scaled_dot_product_flash_attention_for_cpu"
    for attention in ("sdpa", "manual"):
        seen = set()
        with Names():
            build(replace(TRANSFORMER, attention=attention))(torch.rand(2, 64))
        assert (fused in seen) == (attention == "sdpa")


def test_a_seed_fixes_the_weights_and_the_global_random_state_is_left_alone():
    state = torch.get_rng_state()
    one, again, other = (build(TRANSFORMER, seed) for seed in (1, 1, 2))
    assert torch.equal(state, torch.get_rng_state())
    pairs = list(zip(one.parameters(), again.parameters(), strict=True))
    assert all(torch.equal(a, b) for a, b in pairs)
    assert not torch.equal(one.head.weight, other.head.weight)


@pytest.mark.parametrize("config", [ModelConfig(dropout=0.5), replace(TRANSFORMER, dropout=0.5)])
def test_dropout_acts_in_training_alone(config):
    model, x = build(config), torch.rand(4, 64)
    assert not torch.equal(model(x), model(x))
    model.eval()
    assert torch.equal(model(x), model(x))


def test_parameters_are_as_many_as_by_hand():
    def count(config):
        return sum(p.numel() for p in build(config).parameters())

    assert count(ModelConfig()) == 64 * 256 + 256 + 256 * 256 + 256 + 256 * 10 + 10
    d, layers = 64, 2
    block = 12 * d * d + 13 * d
    assert count(TRANSFORMER) == layers * block + 2 * d + (8 + 1) * d + 8 * d + (d + 1) * 10


def test_every_bad_setting_is_named_in_one_error():
    with pytest.raises(ValueError, match=r"kind is 'cnn'.*dropout is 1.0.*layers is 0"):
        ModelConfig("cnn", dropout=1.0, layers=0)
    with pytest.raises(ValueError, match="width 10 is not a multiple of heads 4"):
        ModelConfig("transformer", width=10)
    with pytest.raises(ValueError, match="widths is"):
        ModelConfig(widths=(64,))


def test_a_configuration_comes_from_toml(tmp_path):
    path = tmp_path / "model.toml"
    path.write_text('[model]\nkind = "mlp"\nwidths = [64, 8, 10]\ndropout = 0.25\n', "utf-8")
    assert from_toml(path) == ModelConfig(widths=(64, 8, 10), dropout=0.25)
    path.write_text("[model]\nwidht = 3\n", "utf-8")
    with pytest.raises(ValueError, match=r"unknown settings in .model.: widht"):
        from_toml(path)
    path.write_text("", "utf-8")
    with pytest.raises(ValueError, match=r"there is no .model. table"):
        from_toml(path)
