"""Small random models with a tokenizer, made on the spot and shared by all attempts of a run."""

from __future__ import annotations

import inspect
import json
import os
import shutil
from pathlib import Path

from tiny_vision import save_qwen3_vl

LAYERS = 8
VOCABULARY = 1024
# Families whose layers choose experts for each token.
ROUTED = ("deepseek",)


def model_directory(shared: str, family: str, dtype: str, seed: int) -> str:
    """The directory of that model, made if no attempt made it yet."""
    place = Path(shared) / f"{family}-{dtype}-{seed}"
    if not place.exists():
        part = place.with_name(f"{place.name}.{os.getpid()}")
        part.mkdir()
        if family == "qwen3-vl":
            save_qwen3_vl(part, dtype, seed, _tokenizer(), VOCABULARY)
        else:
            _tokenizer().save_pretrained(part)
            {"llama": _save_llama, "deepseek": _save_deepseek}[family](part, dtype, seed)
        _name_tokenizer(part, "Qwen2Tokenizer" if family == "qwen3-vl" else "PreTrainedTokenizerFast")
        try:
            part.rename(place)
        except OSError:  # another attempt was faster
            shutil.rmtree(part)
    return str(place)


def _tokenizer():  # type: ignore[no-untyped-def]
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=1000,
        special_tokens=["<unk>", "<s>", "</s>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator([inspect.getsource(module) for module in (json, inspect, shutil)], trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", unk_token="<unk>"
    )


def _name_tokenizer(place: Path, kind: str) -> None:
    """Gives the tokenizer a class that transformers 4 and 5 both know: each writes its own."""
    settings = json.loads((place / "tokenizer_config.json").read_text())
    settings.update(tokenizer_class=kind, model_max_length=2048)
    settings.pop("backend", None)
    (place / "tokenizer_config.json").write_text(json.dumps(settings))


def _save_llama(place: Path, dtype: str, seed: int) -> None:
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(seed)
    config = LlamaConfig(
        hidden_size=256,
        intermediate_size=512,
        num_hidden_layers=LAYERS,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=64,
        vocab_size=VOCABULARY,
        max_position_embeddings=2048,
        bos_token_id=1,
        eos_token_id=2,
        pad_token_id=0,
        tie_word_embeddings=False,
    )
    model = LlamaForCausalLM(config)
    with torch.no_grad():
        for name, weights in model.named_parameters():
            if weights.dim() > 1:
                weights.normal_(0, 1.0 if "embed" in name else 0.06)
            else:
                weights.uniform_(0.7, 1.3)
    model.to(getattr(torch, dtype)).save_pretrained(place)
    _settle(place, dtype, rope_theta=10000.0, rms_norm_eps=1e-6)


def _save_deepseek(place: Path, dtype: str, seed: int) -> None:
    """A DeepSeek-V3 of 4 layers: latent attention at its real widths, which kernels expect, and experts."""
    import torch
    from transformers import DeepseekV3Config, DeepseekV3ForCausalLM

    torch.manual_seed(seed)
    config = DeepseekV3Config(
        hidden_size=256,
        intermediate_size=512,
        moe_intermediate_size=128,
        num_hidden_layers=4,
        num_attention_heads=4,
        num_key_value_heads=4,
        n_routed_experts=8,
        n_shared_experts=1,
        num_experts_per_tok=2,
        n_group=1,
        topk_group=1,
        first_k_dense_replace=1,
        q_lora_rank=None,
        kv_lora_rank=512,
        qk_nope_head_dim=128,
        qk_rope_head_dim=64,
        v_head_dim=128,
        vocab_size=VOCABULARY,
        max_position_embeddings=2048,
        bos_token_id=1,
        eos_token_id=2,
        pad_token_id=0,
    )
    config.topk_method = "noaux_tc"  # makes the engine read the correction bias that transformers saves
    config.scoring_func = "sigmoid"
    model = DeepseekV3ForCausalLM(config)
    with torch.no_grad():
        for weights in model.parameters():
            if weights.dim() > 1:
                weights.normal_(0, 0.05)
    model.to(getattr(torch, dtype)).save_pretrained(place)


def _settle(place: Path, dtype: str, **values: object) -> None:
    """Writes settings where both transformers 4 and 5 look for them."""
    path = place / "config.json"
    config = json.loads(path.read_text())
    config.update(torch_dtype=dtype, **values)
    path.write_text(json.dumps(config, indent=1))


class Oracle:
    """What transformers computes from the same weights: the output of each layer, before the last norm."""

    def __init__(self, model: str, device: str, dtype: str = "float32") -> None:
        import torch
        from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForImageTextToText

        self._torch = torch
        sees = hasattr(AutoConfig.from_pretrained(model), "vision_config")
        kind = AutoModelForImageTextToText if sees else AutoModelForCausalLM
        loaded = kind.from_pretrained(model, torch_dtype=getattr(torch, dtype))
        body = loaded.model
        self._layers = getattr(body, "language_model", body).layers
        self._model = loaded.to(device).eval()
        self._device = device

    def states(self, ids: list[int], layers: list[int]) -> list[object]:
        """The output of each of those layers for one sequence, a row a token, in float32 on the CPU."""
        kept: dict[int, object] = {}
        hooks = []
        for number in layers:
            layer = self._layers[number]

            def keep(_module: object, _inputs: object, output: object, number: int = number) -> None:
                states = output[0] if isinstance(output, tuple) else output
                kept[number] = states.reshape(-1, states.shape[-1]).float().cpu()  # type: ignore[attr-defined]

            hooks.append(layer.register_forward_hook(keep))
        try:
            with self._torch.no_grad():
                self._model(self._torch.tensor([ids], device=self._device))
        finally:
            for hook in hooks:
                hook.remove()
        return [kept[number] for number in layers]

    def greedy(self, ids: list[int], count: int) -> list[int]:
        """The next tokens that the model finds likeliest."""
        found = list(ids)
        with self._torch.no_grad():
            for _ in range(count):
                logits = self._model(self._torch.tensor([found], device=self._device)).logits
                found.append(int(logits[0, -1].argmax()))
        return found[len(ids) :]


def relative_error(own, wanted) -> float:  # type: ignore[no-untyped-def]
    """The relative Frobenius error of a whole result."""
    return float((own.float() - wanted).norm() / wanted.norm())


def row_errors(own, wanted) -> list[float]:  # type: ignore[no-untyped-def]
    """The same for each row."""
    return ((own.float() - wanted).norm(dim=-1) / wanted.norm(dim=-1)).tolist()


def prompts(seed: int, lengths: list[int]) -> list[list[int]]:
    """Random token ids, none of them special, one list for each length."""
    import random

    source = random.Random(seed)
    return [[source.randrange(3, VOCABULARY) for _ in range(length)] for length in lengths]
