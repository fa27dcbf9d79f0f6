"""A chat model as its users have it, whether they speak, listen or play: asked once per question, remembered, counted, and paced over several threads.

Whoever asks inherits from `ModelClient` and stores the constructor parameters named there. Questions are looked up among the kept calls first, so that
work goes on after a break and can be replayed without a network.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from referee.errors import InputError
from referee.llm.call_book import Call, CallBook, keep_reply, key_of
from referee.llm.client import Endpoint, Reply
from referee.records import Entity

__all__ = ["ModelClient", "object_line"]


class ModelClient:
    """What askers of a chat model share.

    `keeps_failures` says whether a question that stayed unanswered is kept as such, to be replayed as a failure; it is asked again online in any case.
    """

    model: str
    endpoint: str
    key_variable: str
    temperature: float
    max_tokens: int
    parallel: int
    per_minute: float
    timeout_s: float
    tries: int
    pause_s: float

    # Class attributes, since constructors of subclasses are left to parameters: those are what a signature is made of.
    keeps_failures = True
    offline_remedy = "replay with the same systems, corpus, folds and seed, or run it online"

    # One lock for all of a kind, on the class: objects travel between processes before they are used, and a lock cannot.
    _making = threading.Lock()
    _asker: Endpoint | None = None
    _book: CallBook | None = None
    _offline = False

    def remember(self, folder: Path, offline: bool = False) -> Self:
        """Keep calls in a folder and look there first; offline, look nowhere else."""
        self._book = CallBook(folder)
        self._offline = offline
        return self

    def ask(self, messages: Sequence[Mapping[str, Any]], trial: str) -> Call:
        """The kept answer to these messages, or a new one over the network; `InputError` names the trial where offline none was kept."""
        question: dict[str, Any] = {"model": self.model, "temperature": self.temperature, "messages": list(messages)}
        # 0 leaves the limit to the endpoint; the field then is no part of the question, nor of its key.
        if self.max_tokens:
            question["max_tokens"] = self.max_tokens
        key = key_of(question)
        call = self._kept(key, trial)
        return self._put(question, key) if call is None else call

    def _kept(self, key: str, trial: str) -> Call | None:
        """A call from the book; failures are answers only where nobody can be asked again."""
        if self._book is None:
            return None
        call = self._book.find(key, failed=self._offline and self.keeps_failures)
        if call is None and self._offline:
            raise InputError(
                f"the answer for trial {trial!r} was not kept, and the work is offline", remedy=self.offline_remedy
            )
        return call

    def _put(self, question: Mapping[str, Any], key: str) -> Call:
        call = _call_of(self._endpoint().ask(question), question, key)
        if self._book and (call.failure is None or self.keeps_failures):
            self._book.add(call)
        return call

    def _endpoint(self) -> Endpoint:
        """One endpoint for all threads, which then share its pace and its patience."""
        with self._making:
            if self._asker is None:
                self._asker = Endpoint(
                    self.endpoint, self.key_variable, self.timeout_s, self.tries, self.pause_s, self.per_minute
                )
            return self._asker

    def count(self, outcome: str, call: Call) -> None:
        """Note what came of a call and what it took."""
        used = {"prompt_tokens": call.prompt_tokens, "completion_tokens": call.completion_tokens}
        with self._making:
            # In the object's own dictionary: a counter on the class would be shared by all models of a run.
            self.__dict__.setdefault("counts_", Counter()).update({outcome: 1, "retries": call.tries - 1, **used})

    @property
    def counted(self) -> Counter[str]:
        """What was noted so far; nothing yet counts as nought."""
        counts: Counter[str] = self.__dict__.get("counts_", Counter())
        return counts


def _call_of(reply: Reply, question: Mapping[str, Any], key: str) -> Call:
    """A reply as a call to keep: a filter on the endpoint's side is a refusal by the model, anything else without an answer a failure."""
    if reply.data is not None:
        return keep_reply(reply.data, question, key, reply.tries)
    if reply.filtered:
        return Call(key=key, question=question, content=None, tries=reply.tries, finish="content_filter")
    return Call(key=key, question=question, content=None, tries=reply.tries, failure=reply.reason)


def object_line(entity: Entity, numbers: Mapping[str, int]) -> str:
    """An object as models read it: attributes, relations to objects by their numbers, and the position; never its id."""
    parts = [f"{p.name}: {p.value}" for p in entity.attributes]
    parts += [f"{r.name} object {numbers[r.entity]}" for r in entity.relations if r.entity in numbers]
    if entity.position is not None:
        parts.append(f"position: ({', '.join(format(x, 'g') for x in entity.position)})")
    return "; ".join(parts) or "(nothing is known)"
