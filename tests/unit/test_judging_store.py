"""The file of replies: torn, shared, merged."""

import errno
import json
import os

import pytest

from aeollm.errors import JudgingError
from aeollm.judging import Message, Options, Reply, ReplyStore, Request, Shard, Token, Usage, merge, read_shard


def make(name, **options):
    return Request((name,), (Message("user", name),), Options(**{"model": "m", **options}), "p@1")


REPLY = Reply("8 分", "m-1", "stop", Usage(3, 2), (Token("8", -0.5, (("8", -0.5), ("9", -1.0))),), "because")


def filled(path, names, text="{}"):
    with ReplyStore(path) as store:
        for name in names:
            store.add(make(name), Reply(text.format(name), "m-1"), {"seconds": 1.5, "at": os.urandom(3).hex()})
    return path


def test_a_reply_comes_back_as_it_was(tmp_path):
    path = tmp_path / "deep" / "replies.jsonl"
    with ReplyStore(path) as store:
        store.add(make("a"), REPLY, {"seconds": 1.0})
        assert store.get(make("a")) == REPLY
    with ReplyStore(path) as store:
        assert store.get(make("a")) == REPLY
        assert store.get(make("b")) is None
        assert (len(store), store.served("m")) == (1, "m-1")
    assert path.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("text", ["\ud800", "line\nbreak", "\u2028", '"}', "{}" * 50_000])
def test_any_text_is_kept(text, tmp_path):
    with ReplyStore(tmp_path / "r.jsonl") as store:
        store.add(make("a"), Reply(text, "m-1"), {})
        store.add(make("b"), Reply("b", "m-1"), {})
    with ReplyStore(tmp_path / "r.jsonl") as store:
        assert store.get(make("a")).text == text
        assert store.get(make("b")).text == "b"


def test_a_torn_last_line_costs_that_reply_only_wherever_it_is_torn(tmp_path):
    path = filled(tmp_path / "whole.jsonl", "ab")
    whole = path.read_bytes()
    first = whole.index(b"\n") + 1
    for cut in range(first, len(whole) + 1):
        torn = tmp_path / "torn.jsonl"
        torn.write_bytes(whole[:cut])
        with ReplyStore(torn) as store:
            complete = cut >= len(whole) - 1
            assert store.get(make("a")).text == "{}".format("a")
            assert (store.get(make("b")) is not None) == complete
            store.add(make("c"), Reply("c", "m-1"), {})
            assert store.get(make("c")).text == "c"
        with ReplyStore(torn) as store:
            assert store.get(make("c")).text == "c"
            assert store.damaged == (0 if complete or cut == first else 1)
        torn.unlink()


def test_a_first_line_torn_at_the_first_write_is_no_other_file(tmp_path):
    path = filled(tmp_path / "r.jsonl", "a")
    path.write_bytes(path.read_bytes()[:4])
    with ReplyStore(path) as store:
        assert len(store) == 0


@pytest.mark.parametrize("content", [b"taskId questionId\n", b"{}\n", b"\x00" * 100, b'{"key":1}'])
def test_another_file_is_not_written_to(content, tmp_path):
    path = tmp_path / "run.txt"
    path.write_bytes(content)
    with pytest.raises(JudgingError):
        ReplyStore(path)
    assert path.read_bytes() == content


def test_a_folder_is_no_file_of_replies(tmp_path):
    with pytest.raises(JudgingError):
        ReplyStore(tmp_path)


def test_of_two_replies_the_first_stands(tmp_path):
    with ReplyStore(tmp_path / "r.jsonl") as store:
        store.add(make("a"), Reply("first", "m-1"), {})
        store.add(make("a"), Reply("second", "m-1"), {})
        assert store.get(make("a")).text == "first"


def test_what_another_process_wrote_is_seen(tmp_path):
    path = tmp_path / "r.jsonl"
    with ReplyStore(path) as one, ReplyStore(path) as other:
        one.add(make("a"), Reply("a", "m-1"), {})
        assert other.get(make("a")).text == "a"


CHANGES = [
    {"model": "n"}, {"temperature": 0.1}, {"seed": 1}, {"seed": None}, {"max_tokens": 1}, {"top_logprobs": 5},
    {"schema": "{}"}, {"extra": "{}"}, {"sample": 1}, {"attempt": 1},
]  # fmt: skip


def test_every_part_of_a_request_is_in_its_key():
    keys = {make("a", **change).key for change in [{}, *CHANGES]}
    others = {
        Request((), (Message("user", "a"),), Options("m"), "p@2").key,
        Request((), (Message("system", "a"),), Options("m"), "p@1").key,
        Request((), (Message("user", "a "),), Options("m"), "p@1").key,
        Request((), (Message("user", "a"), Message("user", "a")), Options("m"), "p@1").key,
    }
    assert len(keys | others) == len(CHANGES) + 1 + 4
    assert Request(("elsewhere",), (Message("user", "a"),), Options("m"), "p@1").key == make("a").key


def test_merged_shards_are_the_unsharded_file_byte_for_byte(tmp_path):
    names = [f"q{n}" for n in range(60)]
    whole = filled(tmp_path / "whole.jsonl", names, "{}")
    parts = [
        filled(tmp_path / f"part{n}.jsonl", reversed([name for name in names if Shard(n, 3).takes(name)]))
        for n in (1, 2, 3)
    ]
    one = merge([whole], tmp_path / "one.jsonl")
    three = merge(parts[::-1], tmp_path / "three.jsonl")
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "three.jsonl").read_bytes()
    assert (one.replies, three.replies, three.conflicts) == (60, 60, 0)
    with ReplyStore(tmp_path / "three.jsonl") as store:
        assert store.get(make("q7")).text == "q7"
    merge([tmp_path / "three.jsonl"], tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "one.jsonl").read_bytes()


def test_conflicts_are_counted_and_settled_the_same_way_round(tmp_path):
    one, other = filled(tmp_path / "1.jsonl", "ab", "one"), filled(tmp_path / "2.jsonl", "bc", "other")
    assert merge([one, other], tmp_path / "m1").conflicts == 1
    assert merge([other, one], tmp_path / "m2").conflicts == 1
    assert (tmp_path / "m1").read_bytes() == (tmp_path / "m2").read_bytes()
    assert len((tmp_path / "m1").read_bytes().splitlines()) == 3


def test_a_merge_does_not_touch_its_sources_when_one_is_the_target(tmp_path):
    one, other = filled(tmp_path / "1.jsonl", "a"), filled(tmp_path / "2.jsonl", "b")
    assert merge([one, other], one).replies == 2
    assert len(one.read_bytes().splitlines()) == 2


def test_a_part_is_the_same_whatever_else_there_is():
    units = [("q", str(n)) for n in range(1000)]
    parts = [[unit for unit in units if Shard(n, 4).takes(*unit)] for n in (1, 2, 3, 4)]
    assert sorted(unit for part in parts for unit in part) == sorted(units)
    assert all(180 < len(part) < 320 for part in parts)
    assert Shard(2, 4).takes("q", "5") == (("q", "5") in parts[1])


def test_a_part_is_the_same_on_every_machine_and_in_every_version():
    # The first eight bytes of what `printf 'q\0%s' 0 | sha256sum` gives, and so on, by three: 1, 0, 1, 2, 0 and 0.
    parts = [next(n for n in (1, 2, 3) if Shard(n, 3).takes("q", str(number))) for number in range(6)]
    assert parts == [2, 1, 2, 3, 1, 1]


@pytest.mark.parametrize("text", ["0/4", "5/4", "1", "1/0", "-1/4", "a/b", "1/2/3", "", "1.0/2"])
def test_no_part_of_a_whole(text):
    with pytest.raises(JudgingError):
        read_shard(text)
    assert read_shard(" 2/8 ") == Shard(2, 8)


def test_a_line_says_what_it_is(tmp_path):
    entry = json.loads(filled(tmp_path / "r.jsonl", "a").read_bytes())
    assert list(entry) == ["key", "asked", "prompt", "sent", "reply", "made"]
    assert entry["made"]["place"] == ["a"]


def test_a_merge_leaves_out_other_models_and_refuses_two_judges(tmp_path):
    one = filled(tmp_path / "1.jsonl", "ab")
    with ReplyStore(one) as store:
        store.add(make("c"), Reply("c", "m-2"), {})
        assert store.get(make("c")) is None
    assert merge([one], tmp_path / "m").replies == 2
    with ReplyStore(tmp_path / "2.jsonl") as store:
        store.add(make("d"), Reply("d", "m-2"), {})
    with pytest.raises(JudgingError, match="m-1 and m-2"):
        merge([one, tmp_path / "2.jsonl"], tmp_path / "m")
    with pytest.raises(JudgingError, match="nowhere"):
        merge([one, tmp_path / "nowhere"], tmp_path / "m")
    assert not (tmp_path / "nowhere").exists()


def test_refused_options_are_kept_and_merged(tmp_path):
    for number, features in enumerate((["schema"], ["seed"], [])):
        with ReplyStore(tmp_path / f"{number}.jsonl") as store:
            if features:
                store.note_lacking("m", frozenset(features))
            store.add(make(f"q{number}"), Reply("x", "m-1"), {})
            assert store.lacking("m") == frozenset(features)
            assert (store.get(make(f"q{number}", schema="{}")) is None) == ("schema" not in features)
    merge([tmp_path / f"{number}.jsonl" for number in range(3)], tmp_path / "all.jsonl")
    with ReplyStore(tmp_path / "all.jsonl") as store:
        assert (len(store), store.lacking("m"), store.lacking("n"), store.damaged) == (3, {"schema", "seed"}, set(), 0)


def test_a_full_disk_is_told(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with ReplyStore(tmp_path / "r.jsonl") as store:
        monkeypatch.setattr(os, "write", full)
        with pytest.raises(JudgingError, match="No space left"):
            store.add(make("a"), Reply("x", "m-1"), {})
