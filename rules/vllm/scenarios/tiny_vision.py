"""A small random model that sees: a language model inside a wrapper, with all that a processor asks for."""

from __future__ import annotations

import json
from pathlib import Path

# Beyond the ids that prompts are made of: a prompt of text alone must not name an image.
_MARKS = ["<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"]


def save_qwen3_vl(place: Path, dtype: str, seed: int, tokenizer, first: int) -> None:  # type: ignore[no-untyped-def]
    """A Qwen3-VL of 8 layers, its marks from id ``first`` on, with tokenizer and processors."""
    import torch
    from transformers import Qwen3VLConfig, Qwen3VLForConditionalGeneration

    tokenizer.add_tokens([f"<|unused{number}|>" for number in range(first - len(tokenizer))])
    tokenizer.add_special_tokens({"additional_special_tokens": _MARKS})
    tokenizer.save_pretrained(place)
    start, end, image, video = tokenizer.convert_tokens_to_ids(_MARKS)
    torch.manual_seed(seed)
    config = Qwen3VLConfig(
        text_config={
            "hidden_size": 256,
            "intermediate_size": 512,
            "num_hidden_layers": 8,
            "num_attention_heads": 4,
            "num_key_value_heads": 2,
            "head_dim": 64,
            "vocab_size": first + 8,
            "max_position_embeddings": 2048,
            "rope_theta": 10000.0,
            "rope_scaling": {
                "rope_type": "default",
                "mrope_section": [12, 10, 10],
                "mrope_interleaved": True,
            },
            "bos_token_id": 1,
            "eos_token_id": 2,
            "pad_token_id": 0,
        },
        vision_config={
            "depth": 3,
            "hidden_size": 64,
            "intermediate_size": 128,
            "num_heads": 2,
            "out_hidden_size": 256,
            "deepstack_visual_indexes": [0, 1, 2],
        },
        vision_start_token_id=start,
        vision_end_token_id=end,
        image_token_id=image,
        video_token_id=video,
        tie_word_embeddings=False,
    )
    model = Qwen3VLForConditionalGeneration(config)
    with torch.no_grad():
        for name, weights in model.named_parameters():
            if weights.dim() > 1:
                weights.normal_(0, 1.0 if "embed_tokens" in name else 0.06)
    model.to(getattr(torch, dtype)).save_pretrained(place)
    _save_processors(place)


def _save_processors(place: Path) -> None:
    """What turns images and videos into patches; the numbers are those that the family uses."""
    common = {
        "patch_size": 16,
        "temporal_patch_size": 2,
        "merge_size": 2,
        "image_mean": [0.5, 0.5, 0.5],
        "image_std": [0.5, 0.5, 0.5],
        "processor_class": "Qwen3VLProcessor",
    }
    size = {"shortest_edge": 1024, "longest_edge": 65536}
    image = {**common, "size": size, "image_processor_type": "Qwen2VLImageProcessorFast"}
    video = {**common, "size": size, "video_processor_type": "Qwen3VLVideoProcessor"}
    (place / "preprocessor_config.json").write_text(json.dumps(image))
    (place / "video_preprocessor_config.json").write_text(json.dumps(video))
    (place / "chat_template.json").write_text(json.dumps({"chat_template": "{{ messages[0].content }}"}))
