"""Learns the models of the main content: train.py PAGES.jsonl WORK_DIR DESCRIBE MODEL.bin (see README.md)."""
import collections
import json
import pathlib
import struct
import subprocess
import sys
from urllib.parse import urlsplit

import lightgbm
import numpy as np

from label import label, words

TYPES = ["article", "documentation", "service", "forum", "product", "collection", "listing"]
FOLDS = 5
KEPT = 110  # numbers of a block that the looks may ask for, the most useful ones
COMMON = {"learning_rate": 0.1, "bagging_fraction": 0.8, "bagging_freq": 1, "verbose": -1, "max_bin": 127, "seed": 1}
FIRST = COMMON | {"objective": "cross_entropy", "num_leaves": 16, "min_data_in_leaf": 60, "feature_fraction": 0.5,
                   "lambda_l2": 5, "min_sum_hessian_in_leaf": 5}
SECOND = FIRST | {"num_leaves": 8, "min_data_in_leaf": 200, "feature_fraction": 0.6, "lambda_l2": 20}
KINDS = COMMON | {"objective": "multiclass", "num_class": len(TYPES), "num_leaves": 8, "min_data_in_leaf": 8,
                  "feature_fraction": 0.4, "lambda_l2": 3, "learning_rate": 0.08}
ROUNDS = {"kinds": 60, "first": 110, "second": 60}


def domain(page):
    parts = (urlsplit(page["url"] or "").hostname or page["id"]).split(".")
    return ".".join(parts[-3:] if len(parts) > 2 and len(parts[-2]) <= 3 else parts[-2:])


class Set:
    """The pages with their blocks, numbers and labels."""

    def __init__(self, pages, work, describe):
        self.pages, self.work, self.describe = pages, work, describe
        self.truth = [json.loads(line) for line in pages.open(encoding="utf-8")]
        self.run()
        described = [json.loads(line) for line in (work / "blocks.jsonl").open(encoding="utf-8")]
        self.sizes = np.array([len(page["texts"]) for page in described])
        self.ends = np.cumsum(self.sizes)
        self.page_of = np.repeat(np.arange(len(described)), self.sizes)
        self.width = max(page["width"] for page in described)
        self.rows = np.fromfile(work / "rows.f32", "<f4").reshape(-1, self.width)
        self.numbers = np.fromfile(work / "pages.f32", "<f4").reshape(len(described), -1)
        self.blocks = [[words(text) for text in page["texts"]] for page in described]
        self.wanted = [words(page["main_content"]) for page in self.truth]
        labels = [label(*three) for three in zip(self.blocks, self.wanted, (page["hidden"] for page in described))]
        self.labels = np.array([one for page in labels for one in page])
        self.words = np.array([len(block) for page in self.blocks for block in page], float)
        self.kinds = np.array([TYPES.index(page["page_type"]) for page in self.truth])
        self.weigh()
        self.fold()

    def run(self, *more):
        with self.pages.open("rb") as lines:
            subprocess.run([self.describe, self.work, *more], stdin=lines, check=True)

    def weigh(self):
        """Words over those wanted, at most four times those; pages whose text is not in them do not count."""
        wanted = np.array([len(text) for text in self.wanted])
        found = np.bincount(self.page_of, self.labels * self.words, len(wanted))
        self.usable = ((wanted > 0) & (found > wanted / 2))[self.page_of]
        page = 1 / np.maximum(wanted, 60)
        weights = self.words * page[self.page_of]
        total = np.bincount(self.page_of, weights, len(wanted))
        weights *= np.minimum(1, 4 / np.maximum(total, 1e-9))[self.page_of]
        # A little for each block, so that those of one word are not lost.
        weights += (1.2 * page / np.maximum(1, self.sizes))[self.page_of]
        self.weights = np.where(self.usable, weights, 0)
        self.weights *= self.usable.sum() / self.weights.sum()

    def fold(self):
        domains = np.array([domain(page) for page in self.truth])
        names = np.unique(domains)
        np.random.RandomState(1).shuffle(names)
        number = {name: at % FOLDS for at, name in enumerate(names)}
        self.folds = np.array([number[name] for name in domains])


def learn(data, rows, chosen, settings, rounds):
    chosen = chosen & data.usable
    part = lightgbm.Dataset(rows[chosen], data.labels[chosen], weight=data.weights[chosen], params={"max_bin": 127})
    return lightgbm.train(settings, part, rounds)


def learn_kinds(data, chosen):
    return lightgbm.train(KINDS, lightgbm.Dataset(data.numbers[chosen], data.kinds[chosen]), ROUNDS["kinds"])


def unseen(folds, rows, learn_from, outputs=()):
    """What models say of rows whose fold they have not seen."""
    said = np.zeros((len(rows), *outputs))
    for fold in range(FOLDS):
        said[folds == fold] = learn_from(folds != fold).predict(rows[folds == fold])
    return said


def choose(chances, sizes):
    """As keep.rs does it."""
    order = np.argsort(-chances)
    right, taken = np.cumsum((chances * sizes)[order]), np.cumsum(sizes[order])
    best = (2 * right / np.maximum(taken + (chances * sizes).sum(), 1)).max(initial=0)
    lowest = 0 if sizes.sum() <= 30 else 0.15
    return chances >= max(lowest, best * 0.54)


def report(data, chances, name):
    scores = collections.defaultdict(list)
    for page, end in enumerate(data.ends):
        part = slice(end - data.sizes[page], end)
        stays = choose(chances[part], data.words[part])
        got = collections.Counter(word for block, kept in zip(data.blocks[page], stays) if kept for word in block)
        wanted = collections.Counter(data.wanted[page])
        both = sum((got & wanted).values())
        total = sum(got.values()) + sum(wanted.values())
        scores[data.truth[page]["page_type"]].append(2 * both / total if total else 1.0)
    every = [score for some in scores.values() for score in some]
    parts = "  ".join(f"{kind} {np.mean(some):.3f}" for kind, some in scores.items())
    print(f"{name}: word F1 {np.mean(every):.4f}  {parts}", flush=True)


def packed(model, outputs, feature_of):
    """A model as model.rs reads it."""
    trees = model.dump_model()["tree_info"]
    out = [struct.pack("<HH", outputs, len(trees))]
    for tree in trees:
        nodes, leaves = [], []

        def visit(node):
            if "leaf_value" in node:
                leaves.append(node["leaf_value"])
                return -len(leaves)
            at = len(nodes)
            nodes.append(None)
            threshold = np.float32(node["threshold"])
            if threshold > node["threshold"]:
                threshold = np.nextafter(threshold, np.float32(-np.inf))
            nodes[at] = (threshold, feature_of(node["split_feature"]), visit(node["left_child"]), visit(node["right_child"]))
            return at

        visit(tree["tree_structure"])
        out.append(struct.pack("<H", len(nodes)))
        out += [struct.pack("<fHhh", *node) for node in nodes]
        out.append(struct.pack(f"<{len(leaves)}f", *leaves))
    return b"".join(out)


def main():
    pages, work, describe, target = sys.argv[1:]
    data = Set(pathlib.Path(pages), pathlib.Path(work), describe)
    folds = data.folds[data.page_of]
    kinds = unseen(data.folds, data.numbers, lambda chosen: learn_kinds(data, chosen), (len(TYPES),))
    print(f"page type: {np.mean(kinds.argmax(1) == data.kinds):.3f} right", flush=True)
    rows = np.hstack([data.rows, kinds[data.page_of]]).astype(np.float32)
    gains = learn(data, rows, folds < 2, FIRST, 50).feature_importance("gain")
    kept = np.sort(np.argsort(-gains)[:KEPT])
    few = np.ascontiguousarray(rows[:, kept])
    first = unseen(folds, few, lambda chosen: learn(data, few, chosen, FIRST, ROUNDS["first"]))
    report(data, first, "first look, unseen pages")
    first.astype("<f4").tofile(data.work / "first.f32")
    data.run(data.work / "first.f32")
    context = np.fromfile(data.work / "context.f32", "<f4").reshape(len(rows), -1)
    both = np.hstack([kinds[data.page_of], context]).astype(np.float32)
    second = unseen(folds, both, lambda chosen: learn(data, both, chosen, SECOND, ROUNDS["second"]))
    report(data, second, "second look, unseen pages")
    second.astype("<f4").tofile(data.work / "second.f32")
    all_pages, all_blocks = np.ones(len(data.truth), bool), np.ones(len(rows), bool)
    models = [
        packed(learn_kinds(data, all_pages), len(TYPES), lambda at: at),
        packed(learn(data, few, all_blocks, FIRST, ROUNDS["first"]), 1, lambda at: int(kept[at])),
        packed(learn(data, both, all_blocks, SECOND, ROUNDS["second"]), 1, lambda at: at),
    ]
    pathlib.Path(target).write_bytes(b"".join(models))


main()
