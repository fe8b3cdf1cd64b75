/// The words of a short text, to compare texts by: in lower case, sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Words(Vec<String>);

impl Words {
    pub(super) fn of(text: &str) -> Self {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let mut words: Vec<String> = words.map(str::to_lowercase).collect();
        words.sort_unstable();
        Self(words)
    }

    /// Keeps the words that are no numbers.
    pub(super) fn without_numbers(mut self) -> Self {
        self.0.retain(|word| word.bytes().any(|byte| !byte.is_ascii_digit()));
        self
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the F1 measure of two bags of words: 1 for the same words in any
    /// order, 0 for none in common.
    pub(super) fn similarity(&self, other: &Self) -> f32 {
        let total = self.len() + other.len();
        if total == 0 { 0.0 } else { 2.0 * self.common(other) as f32 / total as f32 }
    }

    /// Returns the share of these words that the other text has too; 0 of none.
    pub(super) fn share_in(&self, other: &Self) -> f32 {
        if self.is_empty() { 0.0 } else { self.common(other) as f32 / self.len() as f32 }
    }

    fn common(&self, other: &Self) -> usize {
        let (mut left, mut right) = (self.0.iter().peekable(), other.0.iter().peekable());
        let mut common = 0;
        while let (Some(one), Some(two)) = (left.peek(), right.peek()) {
            match one.cmp(two) {
                std::cmp::Ordering::Less => drop(left.next()),
                std::cmp::Ordering::Greater => drop(right.next()),
                std::cmp::Ordering::Equal => {
                    common += 1;
                    left.next();
                    right.next();
                }
            }
        }
        common
    }
}

#[cfg(test)]
mod tests {
    use super::Words;

    #[test]
    fn texts_are_compared_as_bags_of_words() {
        let one = Words::of("The lean, lean start-up");
        assert_eq!(one.len(), 5);
        assert!((one.similarity(&Words::of("startup: the lean")) - 0.5).abs() < 1e-6);
        assert!((Words::of("the lean").share_in(&one) - 1.0).abs() < 1e-6);
        assert_eq!(one.similarity(&Words::default()), 0.0);
        assert_eq!(Words::of("42 b 7").without_numbers(), Words::of("B"));
    }
}
