//! [`Recent`]: a list that keeps the newest of what was added. For everything that a host collects for those who look, so
//! that one that runs for days does not grow without end.

use std::collections::VecDeque;

/// How many entries each of the host's records keeps.
pub(crate) const KEPT: usize = 100_000;

/// The newest entries, oldest first, and how many came before them.
#[derive(Debug)]
pub(crate) struct Recent<T> {
    entries: VecDeque<T>,
    gone: usize,
    limit: usize,
}

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self::keeping(KEPT)
    }
}

impl<T> Recent<T> {
    pub(crate) const fn keeping(limit: usize) -> Self {
        Self { entries: VecDeque::new(), gone: 0, limit }
    }

    /// Adds one. Gives the one that went for it.
    pub(crate) fn push(&mut self, entry: T) -> Option<T> {
        let oldest = if self.entries.len() >= self.limit { self.entries.pop_front() } else { None };
        self.gone += usize::from(oldest.is_some());
        self.entries.push_back(entry);
        oldest
    }

    /// What is kept, oldest first.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &T> + ExactSizeIterator {
        self.entries.iter()
    }

    /// What is kept beyond the first `known` that were ever added; all are known then.
    #[cfg(feature = "server")]
    pub(crate) fn since(&self, known: &mut usize) -> Vec<T>
    where
        T: Clone,
    {
        let skipped = known.saturating_sub(self.gone);
        *known = self.gone + self.entries.len();
        self.entries.iter().skip(skipped).cloned().collect()
    }

    /// Takes out what is kept, and how many came before it.
    pub(crate) fn take(&mut self) -> (usize, VecDeque<T>) {
        (std::mem::take(&mut self.gone), std::mem::take(&mut self.entries))
    }
}

impl<T: Clone> Recent<T> {
    /// What is kept, oldest first.
    pub(crate) fn to_vec(&self) -> Vec<T> {
        self.entries.iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_goes_when_one_too_many_comes() {
        let mut recent = Recent::keeping(3);
        let gone: Vec<_> = (1..=5).filter_map(|entry| recent.push(entry)).collect();
        assert_eq!((gone, recent.to_vec()), (vec![1, 2], vec![3, 4, 5]));
        assert_eq!(recent.take(), (2, VecDeque::from([3, 4, 5])));
        assert_eq!(recent.take(), (0, VecDeque::new()));
    }

    #[cfg(feature = "server")]
    #[test]
    fn whoever_follows_gets_each_entry_once_and_misses_only_what_is_gone() {
        let (mut recent, mut known) = (Recent::keeping(3), 0);
        let mut add = |entries: &[i32]| {
            for &entry in entries {
                let _oldest = recent.push(entry);
            }
            recent.since(&mut known)
        };
        assert_eq!(add(&[1, 2]), [1, 2]);
        assert_eq!(add(&[3, 4]), [3, 4]);
        assert_eq!(add(&[5, 6, 7, 8, 9]), [7, 8, 9]);
        assert!(add(&[]).is_empty());
    }
}
