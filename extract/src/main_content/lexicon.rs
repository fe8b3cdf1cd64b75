//! Words that parts of pages say rather than their content.

use std::sync::LazyLock;

/// Number of groups of words.
pub(super) const GROUPS: usize = WORDS.len();

/// Words by what a part with them is about.
const WORDS: [&str; 16] = [
    "cookie cookies privacy policy terms conditions rights reserved copyright legal disclaimer datenschutz impressum",
    "subscribe newsletter sign login log register email account password inbox signup member membership unlock",
    "share tweet facebook twitter follow instagram linkedin pinterest whatsapp youtube telegram reddit",
    "more continue view see load show next previous learn click here explore discover all",
    "related recommended trending popular latest recent similar also like you might top stories mehr",
    "cart buy wishlist compare checkout quantity add bag basket sold stock order pickup",
    "comment comments reply report quote likes posts joined replies thanks upvote answered asked kudos message",
    "filter filters sort results clear showing items relevance featured newest size color brand categories",
    "photo image credit getty reuters photograph picture via ap afp caption courtesy",
    "advertisement sponsored ad ads affiliate commission promotion",
    "ago min minutes hours published updated posted read hour days january february march april june july august september october november december",
    "shipping returns warranty delivery free refund guarantee exchange secure payment",
    "reviews review rating ratings stars verified helpful customer customers rated",
    "menu home search skip contact about close main navigation toggle open back faq support careers help",
    "price sale off save regular from sku model specifications details description features weight dimensions material",
    "author editor written staff reporter correspondent contributor writer writes editorial tags tagged topics filed category",
];

const SLOTS: usize = 1024;

static TABLE: LazyLock<Vec<(u32, u8)>> = LazyLock::new(|| {
    let mut slots = vec![(0, u8::MAX); SLOTS];
    for (group, words) in WORDS.iter().enumerate() {
        for word in words.split(' ') {
            let hash = word.bytes().fold(0, |hash, byte| add(hash, u32::from(byte)));
            let mut at = slot(hash);
            while slots[at].0 != 0 {
                at = (at + 1) % SLOTS;
            }
            slots[at] = (hash, u8::try_from(group).unwrap_or(u8::MAX));
        }
    }
    slots
});

/// Adds a letter in lower case to the hash of a word, which begins as 0.
pub(super) fn add(hash: u32, letter: u32) -> u32 {
    (hash.rotate_left(5) ^ letter).wrapping_mul(0x9e37_79b1)
}

fn slot(hash: u32) -> usize {
    (hash >> 22) as usize
}

/// Returns the group of a word by its hash.
pub(super) fn group(hash: u32) -> Option<usize> {
    let table = &*TABLE;
    let mut at = slot(hash);
    while table[at].0 != 0 {
        if table[at].0 == hash {
            return Some(usize::from(table[at].1));
        }
        at = (at + 1) % SLOTS;
    }
    None
}
