"""A model of the transformers library in this process, as speaker and hearer: a tiny one with weights by lot, made here, since none comes as a package.

What such a model says is noise; that it is asked, answers, is kept and counted like any other is what is tested. Needs `pip install 'referee[transformers]'`.
"""

from __future__ import annotations

import io
from itertools import islice
from pathlib import Path

import pytest

from referee.capabilities import answer_in_parallel
from referee.corpora.synthetic.corpus import Synthetic
from referee.errors import InputError
from referee.hearers.remote import Remote
from referee.jobs.listen import show_to_hearer
from referee.models.messages import Picture, make_message
from referee.models.model_client import ModelClient
from referee.models.response_cache import read_calls
from referee.records import Trial
from referee.systems.language_model import LanguageModel

pytestmark = pytest.mark.long
TRIALS = 3
TEMPLATE = "{% for m in messages %}<|{{ m['role'] }}|>{{ m['content'] }}<|end|>{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A tokenizer of bytes and two layers of GPT-2, in a folder as `from_pretrained` takes it."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    special = ["<|end|>", "<|user|>", "<|assistant|>", "<|system|>"]
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE(vocab={t: i for i, t in enumerate(special + letters)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(special)
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|end|>", pad_token="<|end|>")
    fast.chat_template = TEMPLATE
    torch.manual_seed(1)
    size = len(special) + len(letters)
    config = transformers.GPT2Config(
        vocab_size=size,
        n_positions=4096,
        n_embd=16,
        n_layer=2,
        n_head=2,
        eos_token_id=0,
        bos_token_id=0,
        pad_token_id=0,
    )
    folder = tmp_path_factory.mktemp("tiny")
    transformers.GPT2LMHeadModel(config).save_pretrained(folder)
    fast.save_pretrained(folder)
    return f"transformers:{folder}"


@pytest.fixture(scope="module")
def trials() -> list[Trial]:
    return list(islice(Synthetic(speakers=3).trials(), TRIALS))


def test_it_speaks_and_listens(endpoint: str, trials: list[Trial], tmp_path: Path) -> None:
    speaker = LanguageModel(model="tiny", endpoint=endpoint, max_tokens=20).remember(tmp_path)
    for trial in trials:
        speaker.describe(trial.for_speaker())
    account = speaker.account()
    assert account["failed"] == 0
    assert sum(account[outcome] for outcome in ("answered", "unparsable", "refused", "cut off")) == TRIALS
    # The prompt is counted in tokens, which are bytes here.
    assert account["prompt_tokens"] > 100 * TRIALS
    assert 0 < account["completion_tokens"] <= 20 * TRIALS
    hearer = Remote(model="tiny", endpoint=endpoint, max_tokens=10).remember(tmp_path)
    answers = [hearer.resolve(t.references[0], show_to_hearer(t, 1)) for t in trials]
    assert len(answers) == TRIALS
    assert hearer.account()["failed"] == 0
    assert len(list(read_calls(tmp_path))) == 2 * TRIALS


def test_temperature_0_says_the_same_and_samples_differ(endpoint: str) -> None:
    def said(temperature: float, sample: int) -> str | None:
        asker = ModelClient(model="tiny", endpoint=endpoint, max_tokens=30, temperature=temperature, sample=sample)
        call = asker.ask([make_message("user", "Describe the chair.")], "t")
        assert call.failure is None
        return call.content

    assert said(0.0, 0) == said(0.0, 1)
    assert len({said(1.0, n) for n in range(5)}) > 1


def test_a_seed_says_the_same_again(endpoint: str) -> None:
    def said(seed: int) -> str | None:
        asker = ModelClient(model="tiny", endpoint=endpoint, max_tokens=30, temperature=1.0, model_seed=seed)
        return asker.ask([make_message("user", "Describe the chair.")], "t").content

    assert said(3) == said(3)
    assert said(3) != said(4)


def test_an_answer_that_is_cut_off_says_so(endpoint: str) -> None:
    call = ModelClient(model="tiny", endpoint=endpoint, max_tokens=2).ask([make_message("user", "Describe it.")], "t")
    assert (call.finish, call.completion_tokens) == ("length", 2)


def test_what_it_does_not_know_is_left_out_and_said(endpoint: str) -> None:
    asker = ModelClient(model="tiny", endpoint=endpoint, max_tokens=2)
    asker.count("answered", asker.ask([make_message("user", "Which?")], "t", logprobs=True, response_format={}))
    assert {name for name in asker.account() if name.startswith("without")} == {
        "without logprobs",
        "without response_format",
    }


@pytest.fixture(scope="module")
def sighted(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A LLaVA of two tiny parts with weights by lot: CLIP for pictures of 8 x 8 and Llama for words."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    special = ["<|end|>", "<|user|>", "<|assistant|>", "<|system|>", "<image>", "<pad>"]
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE(vocab={t: i for i, t in enumerate(special + letters)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(special)
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|end|>", pad_token="<pad>")
    torch.manual_seed(1)
    small = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = transformers.LlavaConfig(
        vision_config=transformers.CLIPVisionConfig(**small, image_size=8, patch_size=4),
        text_config=transformers.LlamaConfig(
            **small,
            num_key_value_heads=2,
            vocab_size=len(special) + len(letters),
            max_position_embeddings=4096,
            eos_token_id=0,
            bos_token_id=0,
            pad_token_id=5,
        ),
        image_token_index=4,
    )
    folder = tmp_path_factory.mktemp("sighted")
    model = transformers.LlavaForConditionalGeneration(config)
    # Weights by lot leave the words so near to one another that no picture tips the balance.
    for weights in model.parameters():
        torch.nn.init.normal_(weights, std=0.3)
    model.generation_config.eos_token_id, model.generation_config.pad_token_id = 0, 5
    model.save_pretrained(folder)
    square = {"height": 8, "width": 8}
    pictures = transformers.CLIPImageProcessor(size=square, crop_size=square)
    template = (
        "{% for m in messages %}<|{{ m['role'] }}|>{% for p in m['content'] %}{% if p['type'] == 'image' %}<image>"
        "{% else %}{{ p['text'] }}{% endif %}{% endfor %}<|end|>{% endfor %}"
        "{% if add_generation_prompt %}<|assistant|>{% endif %}"
    )
    transformers.LlavaProcessor(
        image_processor=pictures,
        tokenizer=fast,
        patch_size=4,
        vision_feature_select_strategy="default",
        chat_template=template,
        num_additional_image_tokens=1,
    ).save_pretrained(folder)
    return f"transformers:{folder}"


def painted(colour: tuple[int, int, int]) -> Picture:
    from PIL import Image

    file = io.BytesIO()
    Image.new("RGB", (20, 10), colour).save(file, "PNG")
    return Picture(file.getvalue())


COLOURS = [(255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255), (0, 0, 0)]


def seen_by(endpoint: str) -> list[str | None]:
    """What a model says to pictures in several colours, with questions of several lengths."""
    asker = ModelClient(model="tiny", endpoint=endpoint, max_tokens=12)
    asked = [make_message("user", "Which one?" * (n + 1), [painted(colour)]) for n, colour in enumerate(COLOURS)]
    calls = list(answer_in_parallel(asker, lambda question: asker.ask([question], "t"), asked))
    assert [call.failure for call in calls] == [None] * len(COLOURS)
    assert all(call.completion_tokens <= 12 for call in calls)
    return [call.content for call in calls]


def test_a_model_with_a_vision_part_sees_pictures(sighted: str) -> None:
    def said(colour: tuple[int, int, int]) -> str | None:
        asker = ModelClient(model="tiny", endpoint=sighted, max_tokens=12)
        return asker.ask([make_message("user", "Which?", [painted(colour)])], "t").content

    assert len({said(colour) for colour in COLOURS}) > 1, "other pictures, other words"
    assert said(COLOURS[0]) == said(COLOURS[0])
    words = ModelClient(model="tiny", endpoint=sighted, max_tokens=12).ask([make_message("user", "Which?")], "t")
    assert words.failure is None


def test_a_batch_says_what_each_question_alone_is_answered(sighted: str) -> None:
    """Shorter questions are padded: the mask must hide it. At this size rounding changes no word."""
    assert seen_by(f"{sighted}?batch=2") == seen_by(f"{sighted}?batch=5") == seen_by(sighted)


def test_a_batch_of_words_alone_too(endpoint: str, trials: list[Trial], tmp_path: Path) -> None:
    def said(endpoint: str) -> list[str | None]:
        asker = ModelClient(model="tiny", endpoint=endpoint, max_tokens=20)
        texts = [f"Describe {t.id}, please." * (n + 1) for n, t in enumerate(trials)]
        calls = answer_in_parallel(asker, lambda text: asker.ask([make_message("user", text)], "t"), texts)
        return [call.content for call in calls]

    assert said(f"{endpoint}?batch=3") == said(endpoint)


def test_pictures_are_refused_in_words(endpoint: str) -> None:
    with pytest.raises(InputError, match="reads words only"):
        ModelClient(model="tiny", endpoint=endpoint).ask([make_message("user", "Which?", [Picture(b"\x89PNG")])], "t")
