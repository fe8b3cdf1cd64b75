"""Which words of a page's blocks are wanted: an alignment of the blocks with the wanted text."""
import collections
import re

WORD = re.compile(r"\w+")
MOST_PLACES = 30  # of one word sequence in the wanted text that are tried
MOST_OFFSETS = 8  # of one block in the wanted text that are tried


def words(text):
    return WORD.findall(text.lower())


def offsets(block, single, triples, wanted):
    """Where in the wanted text the block may stand: (first word, words that match)."""
    if len(block) < 3:
        places = single.get(block[0], ())[: 2 * MOST_PLACES]
        return [(at, len(block)) for at in places if wanted[at : at + len(block)] == block]
    hits = collections.Counter()
    for at in range(len(block) - 2):
        for place in triples.get(tuple(block[at : at + 3]), ())[:MOST_PLACES]:
            hits[place - at] += 1
    found = []
    for offset, _ in hits.most_common(MOST_OFFSETS):
        near = sum(hits.get(offset + step, 0) for step in range(-3, 4))
        found.append((max(offset, 0), min(len(block), near + 2)))
    return found


class Maxima:
    """Best value at or before a place; values only grow."""

    def __init__(self, size):
        self.tree = [(0.0, -1)] * (size + 1)

    def best(self, place):
        found = (0.0, -1)
        while place > 0:
            found = max(found, self.tree[place])
            place -= place & -place
        return found

    def put(self, place, value):
        while place < len(self.tree):
            self.tree[place] = max(self.tree[place], value)
            place += place & -place


def chain(segments, blocks, hidden, size):
    """The heaviest run of segments that goes forward in both texts, as block -> segment."""
    maxima, score, back, at = Maxima(size + 3), [0.0] * len(segments), [-1] * len(segments), 0
    while at < len(segments):
        end, new = at, []
        while end < len(segments) and segments[end][0] == segments[at][0]:
            block, place, matching = segments[end]
            part = matching / len(blocks[block])
            if part >= 0.5:
                best, back[end] = maxima.best(place + 1)
                score[end] = best + matching * part * (0.7 if hidden[block] else 1.0)
                new.append((min(size, place + len(blocks[block])) + 1, (score[end], end)))
            end += 1
        for place, value in new:
            maxima.put(place, value)
        at = end
    at, chosen = maxima.best(size + 2)[1], {}
    while at >= 0:
        chosen[segments[at][0]] = segments[at]
        at = back[at]
    return chosen


def label(blocks, wanted, hidden):
    """The part of each block's words that is wanted. `blocks` and `wanted` are lists of words."""
    single, triples = collections.defaultdict(list), collections.defaultdict(list)
    for at, word in enumerate(wanted):
        single[word].append(at)
        triples[tuple(wanted[at : at + 3])].append(at)
    segments = [(at, *found) for at, block in enumerate(blocks) if block for found in offsets(block, single, triples, wanted)]
    labels, left = [0.0] * len(blocks), collections.Counter(wanted)

    def take(at, least):
        own = collections.Counter(blocks[at])
        part = sum((own & left).values()) / len(blocks[at])
        if part >= least:
            labels[at] = part
            left.subtract(own & left)

    chosen = chain(segments, blocks, hidden, len(wanted))
    for at in chosen:
        take(at, 0.0)
    # What stands in another order, where its words are still wanted.
    rest = collections.defaultdict(float)
    for at, _, matching in segments:
        if at not in chosen and len(blocks[at]) >= 3:
            rest[at] = max(rest[at], matching / len(blocks[at]))
    for at in sorted(rest, key=lambda at: -len(blocks[at])):
        if rest[at] >= 0.6:
            take(at, 0.7)
    return labels
