//! Decision trees learned from labelled pages, and how they are read from the
//! file that `extract/training` writes.

use std::sync::LazyLock;

/// The models in the order of the file.
#[derive(Debug)]
pub(super) struct Models {
    /// Tells the kind of page: an output a kind.
    pub(super) page_type: Forest,
    /// Tells the part of a block's words that is content, from the block alone.
    pub(super) first: Forest,
    /// The same, knowing what the first made of the blocks around.
    pub(super) second: Forest,
}

pub(super) static MODELS: LazyLock<Models> = LazyLock::new(|| Models::read(include_bytes!("model.bin")));

/// Trees whose values are added up, for each output.
#[derive(Debug, Default)]
pub(super) struct Forest {
    outputs: usize,
    trees: Vec<Tree>,
    nodes: Vec<Node>,
    leaves: Vec<f32>,
}

#[derive(Debug)]
struct Tree {
    first_node: usize,
    first_leaf: usize,
}

/// A question; a negative answer is a leaf, `-1` the first.
#[derive(Debug)]
struct Node {
    threshold: f32,
    feature: u16,
    /// Where to go when the number is at most the threshold, and when it is above.
    next: [i16; 2],
}

impl Models {
    fn read(bytes: &[u8]) -> Self {
        let mut input = Input(bytes);
        Self { page_type: Forest::read(&mut input), first: Forest::read(&mut input), second: Forest::read(&mut input) }
    }
}

impl Forest {
    /// The layout, all little-endian: outputs and trees as `u16`; for each tree
    /// its nodes as `u16`, each a threshold `f32`, a feature `u16` and two `i16`;
    /// then its leaves, one more than nodes, as `f32`.
    fn read(input: &mut Input) -> Self {
        let mut forest = Self { outputs: usize::from(input.u16()), ..Self::default() };
        for _ in 0..input.u16() {
            forest.trees.push(Tree { first_node: forest.nodes.len(), first_leaf: forest.leaves.len() });
            let nodes = usize::from(input.u16());
            for _ in 0..nodes {
                let (threshold, feature) = (input.f32(), input.u16());
                forest.nodes.push(Node { threshold, feature, next: [input.i16(), input.i16()] });
            }
            forest.leaves.extend((0..=nodes).map(|_| input.f32()));
        }
        forest
    }

    /// Returns the sums of one output's trees: log odds.
    fn sum(&self, row: &[f32], output: usize) -> f32 {
        self.trees.iter().skip(output).step_by(self.outputs.max(1)).map(|tree| self.leaf(tree, row)).sum()
    }

    fn leaf(&self, tree: &Tree, row: &[f32]) -> f32 {
        let mut at = 0i16;
        // A tree without a question has a leaf alone.
        let is_leaf_alone = self.nodes.len() == tree.first_node;
        while let Ok(place) = usize::try_from(at)
            && !is_leaf_alone
        {
            let node = &self.nodes[tree.first_node + place];
            at = node.next[usize::from(row[usize::from(node.feature)] > node.threshold)];
        }
        self.leaves[tree.first_leaf + usize::from((-1 - at.min(-1)).unsigned_abs())]
    }

    /// Returns a chance between 0 and 1.
    pub(super) fn chance(&self, row: &[f32]) -> f32 {
        1.0 / (1.0 + (-self.sum(row, 0)).exp())
    }

    /// Returns a chance for each output; they add up to 1.
    pub(super) fn chances<const N: usize>(&self, row: &[f32]) -> [f32; N] {
        let odds = std::array::from_fn::<f32, N, _>(|output| self.sum(row, output).exp());
        let all: f32 = odds.iter().sum();
        odds.map(|odds| odds / all)
    }
}

/// Reads numbers off the front; zeros behind the end.
struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let (taken, rest) = self.0.split_first_chunk::<N>().map_or(([0; N], &[][..]), |(taken, rest)| (*taken, rest));
        self.0 = rest;
        taken
    }

    fn u16(&mut self) -> u16 {
        u16::from_le_bytes(self.take())
    }

    fn i16(&mut self) -> i16 {
        i16::from_le_bytes(self.take())
    }

    fn f32(&mut self) -> f32 {
        f32::from_le_bytes(self.take())
    }
}
