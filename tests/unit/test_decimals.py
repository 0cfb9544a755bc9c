"""Decimals are read as written, give the float that `float(text)` gives, and are summed without rounding."""

import math
import random
import sys
import time
from fractions import Fraction

import numpy as np
import pytest

from aeollm.decimals import Decimal, Decimals, decimal_of, parse_decimal, weighted_sum

LARGEST = Fraction(sys.float_info.max)
SMALLEST = Fraction(1, 10**330)


def exact(number):
    return Fraction(number.units) * Fraction(10) ** number.exponent


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("8", 8),
        ("8.25", Fraction(33, 4)),
        ("-1.5", Fraction(-3, 2)),
        ("+7", 7),
        ("07", 7),
        ("007.50", Fraction(15, 2)),
        (".5", Fraction(1, 2)),
        ("5.", 5),
        ("-.5", Fraction(-1, 2)),
        ("0", 0),
        ("-0.0", 0),
        ("7.5e-1", Fraction(3, 4)),
        ("7.5E+1", 75),
        (".5e1", 5),
        ("5.e1", 50),
        ("0.1", Fraction(1, 10)),
        ("1e-330", SMALLEST),
        ("1e308", 10**308),
        ("1.7976931348623157e308", 17976931348623157 * 10**292),
        ("0e999", 0),
        ("0.000e-999999999", 0),
        ("0e" + "9" * 39, 0),
        ("1" * 40, int("1" * 40)),
        ("0." + "1" * 39, Fraction(int("1" * 39), 10**39)),
        ("0" * 39 + "7", 7),
    ],
)
def test_plain_numbers_are_read_exactly(text, expected):
    number = parse_decimal(text)
    assert isinstance(number, Decimal)
    assert exact(number) == expected


@pytest.mark.parametrize(
    ("text", "trouble"),
    [
        *[(text, "not_a_number") for text in ("", ".", "+", "-", "-.", "e", "e5", ".e5", "1e", "1e+", "1e1.5", "--1")],
        *[(text, "not_a_number") for text in ("+-1", "1_0", "0x1", "1,5", "1.2.3", "1 0", " 8", "8 ", "8\n", "\n8")],
        *[(text, "not_a_number") for text in ("nan", "inf", "-inf", "Infinity", "8/10", "80%", "1d5", "1e5f", "8\0")],
        # Full-width digits and full stop, an Arabic-Indic digit, a superscript, a minus sign that is no hyphen.
        *[
            (text, "not_a_number")
            for text in ("\uff18", "8\uff0e5", "8.\uff15", "1e\uff11", "\u0663", "\u00b2", "\u22128")
        ],
        ("1" * 41, "too_many_digits"),
        ("0." + "1" * 40, "too_many_digits"),
        ("0" * 41, "too_many_digits"),
        ("1e" + "9" * 40, "too_many_digits"),
        ("1e309", "too_large"),
        ("1e400", "too_large"),
        ("-1e400", "too_large"),
        ("1.7976931348623158e308", "too_large"),
        ("0.001e312", "too_large"),
        ("1e999999999", "too_large"),
        ("-1e" + "9" * 38, "too_large"),
        ("1e-331", "too_small"),
        ("9.99e-331", "too_small"),
        ("1e-999999999", "too_small"),
        ("-1e-" + "9" * 38, "too_small"),
    ],
)
def test_everything_else_is_told_what_it_is(text, trouble):
    assert parse_decimal(text) == trouble


@pytest.mark.parametrize("text", ["1e999999999", "1e-999999999", "1e" + "9" * 39, "9" * 10**6, "1e" + "9" * 10**6])
def test_hostile_numbers_are_refused_at_once(text):
    # Computing the power of ten of the first would take minutes and all memory.
    start = time.process_time()
    assert isinstance(parse_decimal(text), str)
    assert time.process_time() - start < 0.5


def decimal_texts(n, seed, powers):
    """Write random decimals: any number of digits up to 40, any place of the point, with and without a power."""
    rng = random.Random(seed)
    for _ in range(n):
        digits = "".join(rng.choices("0123456789", k=rng.choice([1, 2, 3, 8, 15, 16, 17, 18, 20, 30, 36])))
        point = rng.randrange(len(digits) + 1)
        text = (
            rng.choice(["", "", "-", "+"]) + digits[:point] + rng.choice(["." + digits[point:], digits[point:] or "0"])
        )
        yield text + (f"e{rng.choice(powers)}" if rng.random() < 0.5 else "")


def halfway_texts(n, seed):
    """Write decimals at and beside the middle of two neighbouring floats, where rounding is decided."""
    rng = random.Random(seed)
    for _ in range(n):
        # Below 2**53 * 2**40 the middle has at most 28 digits.
        whole = rng.randrange(2**52, 2**53) * 2 ** rng.randrange(1, 40)
        step = (whole & -whole) // 2
        middle = whole + max(step, 1)
        yield from (str(middle - 1), str(middle), str(middle + 1), f"{middle}.5", f"{middle}e-{rng.randrange(1, 300)}")


def test_a_number_becomes_the_float_that_its_text_becomes():
    texts = [
        *decimal_texts(6000, seed=1, powers=range(-30, 30)),
        *decimal_texts(6000, seed=2, powers=range(-345, 325)),
        *halfway_texts(500, seed=3),
        *(
            "4.9e-324",
            "2.4703282292062327e-324",
            "2.4703282292062328e-324",
            "2.2250738585072011e-308",
            "1e-330",
            "1e23",
        ),
    ]
    for text in texts:
        number, value = parse_decimal(text), Fraction(text)
        if abs(value) > LARGEST:
            assert number == "too_large", text
        elif 0 < abs(value) < SMALLEST:
            assert number == "too_small", text
        else:
            assert exact(number) == value, text
            assert float(number) == float(text), text


@pytest.mark.parametrize(
    "powers",
    [range(1), range(-5, 5), range(-22, 5), range(-345, -300), range(250, 300)],
    ids=["plain", "short", "to 1e-22", "tiny", "huge"],
)
def test_arrays_become_the_floats_that_their_texts_become(powers):
    texts = list(decimal_texts(600, seed=4, powers=powers))
    pairs = [(text, number) for text in texts if isinstance(number := parse_decimal(text), Decimal)]
    # Alike in length, the numbers of a file share int64 units; of all lengths, they do not.
    for longest in (6, 12, 17, 40):
        chosen = [(text, number) for text, number in pairs if sum(map(str.isdigit, text)) <= longest][:60]
        chosen = chosen[: len(chosen) // 2 * 2]
        assert chosen
        decimals = Decimals.of([number for _, number in chosen], (len(chosen) // 2, 2))
        assert decimals.values.shape == decimals.units.shape == (len(chosen) // 2, 2)
        assert decimals.values.dtype == np.float64
        assert decimals.values.ravel().tolist() == [float(text) for text, _ in chosen]
        assert decimals.largest == max(abs(int(units)) for units in decimals.units.ravel())


@pytest.mark.parametrize("exponent", [0, -1, -5, -15, -21, -22, -23, -24, -25, -40, -300, -320, 1, 5, 20, 280])
@pytest.mark.parametrize("digits", [3, 15, 16, 17, 18, 19, 25])
def test_arrays_of_like_numbers_become_the_floats_that_their_texts_become(digits, exponent):
    # Past 2**53 units or 1e22 a single float division would round twice.
    rng = random.Random(digits)
    texts = [f"{rng.randrange(10 ** (digits - 1), 10**digits)}e{exponent}" for _ in range(300)]
    decimals = Decimals.of([parse_decimal(text) for text in texts], (300,))
    assert decimals.exponent == exponent
    assert decimals.values.tolist() == [float(text) for text in texts]


def test_arrays_are_brought_to_one_power_of_ten():
    numbers = [parse_decimal(text) for text in ("7", "7.0", "-7.25", "0.000", "1e2", "0")]
    decimals = Decimals.of(numbers, (2, 3))
    assert decimals.exponent == -2
    assert decimals.units.dtype == np.int64
    np.testing.assert_array_equal(decimals.units, [[700, 700, -725], [0, 10000, 0]])
    np.testing.assert_array_equal(decimals.values, [[7.0, 7.0, -7.25], [0.0, 100.0, 0.0]])


@pytest.mark.parametrize("shape", [(0,), (0, 5), (3, 0)])
def test_arrays_may_be_empty(shape):
    decimals = Decimals.of([], shape)
    assert decimals.values.shape == shape
    assert decimals.values.dtype == np.float64
    assert decimals.largest == 0


def test_arrays_keep_what_int64_cannot_hold():
    numbers = [parse_decimal(text) for text in ("1e30", "0.001", "9223372036854775807", "-9223372036854775808")]
    decimals = Decimals.of(numbers, (4,))
    assert [Fraction(int(units)) * Fraction(10) ** decimals.exponent for units in decimals.units] == [
        10**30,
        Fraction(1, 1000),
        2**63 - 1,
        -(2**63),
    ]


@pytest.mark.parametrize("units", [2**62 - 1, 2**62, 2**63 - 1, 2**63, -(2**63), 2**64, 10**39])
def test_arrays_hold_integers_of_any_size(units):
    decimals = Decimals.of([Decimal(units, 0), Decimal(1, 0)], (2,))
    assert decimals.units.tolist() == [units, 1]
    assert decimals.largest == abs(units)


@pytest.mark.parametrize("number", [0.1, 7.25, 1e22, 1e23, 5e-324, -0.0, 1.7976931348623157e308, 1 / 3, 7, -12, 10**39])
def test_the_shortest_decimal_of_a_float_reads_back(number):
    assert float(decimal_of(number)) == float(number)


def test_the_shortest_decimal_of_a_float_is_the_one_written():
    assert exact(decimal_of(7.1)) == Fraction(71, 10)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, 10**400])
def test_what_is_no_decimal_is_refused(number):
    with pytest.raises(ValueError, match="not a decimal number"):
        decimal_of(number)


def sums_by_fractions(units, weights):
    """Sum over the last axis one entry at a time."""
    shape = np.broadcast_shapes(units.shape, weights.shape)
    units, weights = np.broadcast_to(units, shape), np.broadcast_to(weights, shape)
    return [
        sum((Fraction(int(unit)) * int(weight) for unit, weight in zip(row, other, strict=True)), Fraction(0))
        for row, other in zip(units.reshape(-1, shape[-1]), weights.reshape(-1, shape[-1]), strict=True)
    ]


@pytest.mark.parametrize("unit_bits", [8, 40, 61, 62, 90])
@pytest.mark.parametrize("weight_bits", [4, 21, 40, 61, 90])
def test_weighted_sums_are_exact(unit_bits, weight_bits):
    rng = random.Random(unit_bits * 100 + weight_bits)

    def drawn(bits, shape):
        numbers = [rng.randrange(-(2**bits) + 1, 2**bits) for _ in range(math.prod(shape))]
        return np.array(numbers, dtype=np.int64 if bits < 63 else object).reshape(shape)

    # The layouts that scoring uses: weights a question, shared by its answers; one weight vector for all.
    for shape, other in (((3, 5, 4), (3, 1, 4)), ((6, 4), (4,)), ((5, 1), (5, 1))):
        units, weights = drawn(unit_bits, shape), drawn(weight_bits, other)
        sums = weighted_sum(units, weights)
        assert sums.shape == shape[:-1]
        assert [int(value) for value in sums.ravel()] == sums_by_fractions(units, weights)


@pytest.mark.parametrize(
    ("units", "weights"),
    [
        ([2**62 - 1] * 4, [1, 1, 1, 1]),
        ([1, 1, 1, 1], [2**62 - 1] * 4),
        # What weights of 25.00000000000000000 become: each fits int64, their sum does not.
        ([8, 7, 6, 5], [25 * 10**17] * 4),
        ([2**31, 2**31], [2**31, 2**31]),
        ([2**31 - 1, 2**31 - 1], [2**31, -(2**31)]),
        ([-(2**63), -(2**63)], [1, 1]),
        ([3, 3], [-(2**63), 0]),
        ([2**63 - 1, 1], [1, 1]),
        ([0, 0, 0], [2**62, 2**62, 2**62]),
    ],
)
def test_weighted_sums_do_not_overflow(units, weights):
    sums = weighted_sum(np.array(units), np.array(weights))
    assert int(sums) == sum(unit * weight for unit, weight in zip(units, weights, strict=True))


def test_a_tie_of_written_numbers_is_a_tie_of_weighted_sums():
    # Both are 6.0 as written: 1.2 + 4.8 and 1.36 + 4.64.
    assert 0.2 * 6.0 + 0.8 * 6.0 != 0.2 * 6.8 + 0.8 * 5.8
    scores = Decimals.of([parse_decimal(text) for text in ("6.0", "6.0", "6.8", "5.8")], (2, 2))
    weights = Decimals.of([parse_decimal(text) for text in ("0.2", "0.8")], (2,))
    assert weighted_sum(scores.units, weights.units).tolist() == [600, 600]


def test_sums_over_nothing_are_zero():
    empty = np.zeros((2, 0), dtype=np.int64)
    assert weighted_sum(empty, empty).tolist() == [0, 0]
    assert weighted_sum(empty.astype(object), empty).tolist() == [0, 0]
