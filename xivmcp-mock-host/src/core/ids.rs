//! Ids as the host makes them: calls have 32 hex digits, approvals 12, jobs 8. Here they come from a seed, so that a run
//! can be repeated.

/// `SplitMix64`: small, and every seed is a good one.
#[derive(Debug, Clone)]
pub(super) struct Ids(u64);

impl Ids {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// 32 hex digits (R-CALL-4).
    pub(super) fn call(&mut self) -> String {
        format!("{:016x}{:016x}", self.next(), self.next())
    }

    /// 12 hex digits (R-APP-4).
    pub(super) fn approval(&mut self) -> String {
        format!("{:012x}", self.next() >> 16)
    }

    /// 8 hex digits (R-JOB-8).
    pub(super) fn job(&mut self) -> String {
        format!("{:08x}", self.next() >> 32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // R-CALL-4, R-APP-4
    #[test]
    fn ids_have_their_length_and_repeat_with_the_seed() {
        let (mut a, mut b, mut other) = (Ids::new(7), Ids::new(7), Ids::new(8));
        assert_eq!((a.call().len(), a.approval().len(), a.job().len()), (32, 12, 8));
        let first = b.call();
        assert_eq!(first, Ids::new(7).call());
        assert_ne!(first, other.call());
        assert!(first.bytes().all(|byte| byte.is_ascii_hexdigit()));
    }
}
