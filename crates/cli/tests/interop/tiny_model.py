"""Write a tiny language model with random weights, and an eye for it, as GGUF files."""

import sys

import gguf
import numpy as np

WIDTH, HEADS, LAYERS, HIDDEN, CONTEXT = 64, 2, 2, 128, 16384
SIDE, PATCH, EYE = 64, 16, 32

TEMPLATE = (
    "{% for m in messages %}{{ m.role }}: "
    "{% if m.content is string %}{{ m.content }}"
    "{% else %}{% for p in m.content %}{{ p.text if p.type == 'text' else '' }}{% endfor %}"
    "{% endif %}\n{% endfor %}assistant: "
)
RANDOM = np.random.default_rng(7)


def weights(*shape: int) -> np.ndarray:
    return (RANDOM.standard_normal(shape) * 0.05).astype(np.float32)


def language(path: str) -> None:
    """A Llama whose tokens are bytes."""
    out = gguf.GGUFWriter(path, "llama")
    out.add_name("tiny")
    out.add_context_length(CONTEXT)
    out.add_embedding_length(WIDTH)
    out.add_block_count(LAYERS)
    out.add_feed_forward_length(HIDDEN)
    out.add_head_count(HEADS)
    out.add_head_count_kv(HEADS)
    out.add_rope_dimension_count(WIDTH // HEADS)
    out.add_layer_norm_rms_eps(1e-5)
    kind = gguf.TokenType
    tokens = ["<unk>", "<s>", "</s>"] + [f"<0x{b:02X}>" for b in range(256)] + ["▁"]
    kinds = [kind.UNKNOWN, kind.CONTROL, kind.CONTROL] + [kind.BYTE] * 256 + [kind.NORMAL]
    out.add_vocab_size(len(tokens))
    out.add_tokenizer_model("llama")
    out.add_token_list(tokens)
    out.add_token_scores([0.0] * len(tokens))
    out.add_token_types(kinds)
    out.add_bos_token_id(1)
    out.add_eos_token_id(2)
    out.add_unk_token_id(0)
    out.add_chat_template(TEMPLATE)
    out.add_tensor("token_embd.weight", weights(len(tokens), WIDTH))
    out.add_tensor("output_norm.weight", np.ones(WIDTH, np.float32))
    out.add_tensor("output.weight", weights(len(tokens), WIDTH))
    for i in range(LAYERS):
        for norm in ("attn_norm", "ffn_norm"):
            out.add_tensor(f"blk.{i}.{norm}.weight", np.ones(WIDTH, np.float32))
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            out.add_tensor(f"blk.{i}.{name}.weight", weights(WIDTH, WIDTH))
        out.add_tensor(f"blk.{i}.ffn_gate.weight", weights(HIDDEN, WIDTH))
        out.add_tensor(f"blk.{i}.ffn_up.weight", weights(HIDDEN, WIDTH))
        out.add_tensor(f"blk.{i}.ffn_down.weight", weights(WIDTH, HIDDEN))
    finish(out)


def eye(path: str) -> None:
    """A vision transformer whose patches become tokens of the language model."""
    out = gguf.GGUFWriter(path, "clip")
    out.add_bool("clip.has_vision_encoder", True)
    out.add_bool("clip.use_gelu", True)
    out.add_string("clip.projector_type", "mlp")
    for name, value in (
        ("image_size", SIDE),
        ("patch_size", PATCH),
        ("embedding_length", EYE),
        ("feed_forward_length", 2 * EYE),
        ("projection_dim", WIDTH),
        ("attention.head_count", HEADS),
        ("block_count", LAYERS),
    ):
        out.add_uint32(f"clip.vision.{name}", value)
    out.add_float32("clip.vision.attention.layer_norm_epsilon", 1e-5)
    out.add_array("clip.vision.image_mean", [0.5, 0.5, 0.5])
    out.add_array("clip.vision.image_std", [0.5, 0.5, 0.5])
    patches = (SIDE // PATCH) ** 2
    out.add_tensor("v.class_embd", weights(EYE))
    out.add_tensor("v.patch_embd.weight", weights(EYE, 3, PATCH, PATCH))
    out.add_tensor("v.position_embd.weight", weights(patches + 1, EYE))

    def pair(name: str, rows: int, columns: int | None = None) -> None:
        weight = np.ones(rows, np.float32) if columns is None else weights(rows, columns)
        out.add_tensor(f"{name}.weight", weight)
        out.add_tensor(f"{name}.bias", np.zeros(rows, np.float32))

    pair("v.pre_ln", EYE)
    for i in range(LAYERS):
        block = f"v.blk.{i}"
        pair(f"{block}.ln1", EYE)
        pair(f"{block}.ln2", EYE)
        for name in ("attn_q", "attn_k", "attn_v", "attn_out"):
            pair(f"{block}.{name}", EYE, EYE)
        pair(f"{block}.ffn_down", 2 * EYE, EYE)
        pair(f"{block}.ffn_up", EYE, 2 * EYE)
    pair("mm.0", WIDTH, EYE)
    pair("mm.2", WIDTH, WIDTH)
    finish(out)


def finish(out: gguf.GGUFWriter) -> None:
    out.write_header_to_file()
    out.write_kv_data_to_file()
    out.write_tensors_to_file()
    out.close()


if __name__ == "__main__":
    language(sys.argv[1])
    eye(sys.argv[2])
