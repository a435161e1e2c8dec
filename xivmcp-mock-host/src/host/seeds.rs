//! One test over many seeds.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::MockHost;

/// Runs `test` with a fresh simulated host for each seed. If it fails, the seed is printed, so that
/// [`MockHost::simulated_with_seed`] repeats exactly that run.
///
/// ```
/// use serde_json::json;
/// use xivmcp_mock_host::{MockHost, for_seeds};
///
/// for_seeds(0..20, |host: MockHost| {
///     let calls = host.at_once(|| {
///         let assistant = host.assistant();
///         [assistant.call("get_inventory", json!({})), assistant.call("get_game_status", json!({}))]
///     });
///     for call in &calls {
///         assert_eq!(call.expect_result(), json!({}));
///     }
/// });
/// ```
///
/// # Panics
///
/// As `test` does, or the end of its host.
#[track_caller]
pub fn for_seeds(seeds: impl IntoIterator<Item = u64>, test: impl Fn(MockHost)) {
    for seed in seeds {
        let run = catch_unwind(AssertUnwindSafe(|| test(MockHost::simulated_with_seed(seed))));
        if let Err(panic) = run {
            eprintln!("failed with seed {seed}: repeat it with MockHost::simulated_with_seed({seed})");
            resume_unwind(panic);
        }
    }
}
