"""What asking may cost, what it has cost, and stopping before it costs more."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from aeollm.judging.messages import Request, Usage
from aeollm.judging.tokens import prompt_tokens

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """Money a million tokens, in whatever currency the user counts in."""

    prompt: float = 0.0
    completion: float = 0.0

    def of(self, usage: Usage) -> float:
        """Give the price of so many tokens."""
        return (usage.prompt * self.prompt + usage.completion * self.completion) / _MILLION


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that may be spent; None is no limit. ``money`` needs a price."""

    calls: int | None = None
    tokens: int | None = None
    money: float | None = None
    price: Price = Price()


@dataclass(frozen=True, slots=True)
class Spent:
    """What was asked of the endpoint in this session: calls, tokens, money."""

    calls: int
    usage: Usage
    money: float


class OverBudget(Exception):
    """The next call could exceed the budget, and none is under way that could turn out cheaper."""


class Ledger:
    """Holds a call's most before it is asked and settles what it really was.

    A limit is thus never passed, as far as the estimate of the prompt's tokens holds.
    """

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._calls, self._usage = 0, Usage(0, 0)
        self._held_calls, self._held = 0, Usage(0, 0)
        self._settled = asyncio.Condition()

    @property
    def spent(self) -> Spent:
        """Give what was spent so far."""
        return Spent(self._calls, self._usage, self._budget.price.of(self._usage))

    async def hold(self, request: Request) -> Usage:
        """Set aside the most that a call can cost; wait for others to settle where that decides.

        Raises
        ------
        OverBudget
            If it cannot be afforded.
        """
        most = Usage(prompt_tokens(request.messages), request.options.max_tokens)
        async with self._settled:
            while (words := self._too_much(most)) is not None:
                if not self._held_calls:
                    raise OverBudget(words)
                await self._settled.wait()
            self._held_calls += 1
            self._held += most
        return most

    async def settle(self, held: Usage, cost: Usage | None) -> None:
        """Replace what was held by what the call cost; None where nothing was charged."""
        async with self._settled:
            self._held_calls -= 1
            self._held = Usage(self._held.prompt - held.prompt, self._held.completion - held.completion)
            if cost is not None:
                self._calls += 1
                self._usage += cost
            self._settled.notify_all()

    def _never(self, most: Usage) -> str | None:
        """Say so where a single call, the first, is more than the whole budget."""
        budget, needed = self._budget, most.prompt + most.completion
        if budget.tokens is not None and needed > budget.tokens:
            return f"a call may take {needed} tokens, more than the whole budget of {budget.tokens}: name a larger one"
        if budget.money is not None and (cost := budget.price.of(most)) > budget.money:
            return f"a call may cost {cost:.4g}, more than the whole budget of {budget.money:g}: name a larger one"
        return None

    def _too_much(self, most: Usage) -> str | None:
        budget = self._budget
        if budget.calls is not None and self._calls + self._held_calls + 1 > budget.calls:
            return f"the budget of {budget.calls} calls is spent"
        whole = self._usage + self._held + most
        if whole == most and (words := self._never(most)):
            return words
        if budget.tokens is not None and whole.prompt + whole.completion > budget.tokens:
            spent = self._usage.prompt + self._usage.completion
            return f"the next call could pass the budget of {budget.tokens} tokens ({spent} spent)"
        if budget.money is not None and budget.price.of(whole) > budget.money:
            spent_money = budget.price.of(self._usage)
            return f"the next call could pass the budget of {budget.money:g} ({spent_money:.4g} spent)"
        return None
