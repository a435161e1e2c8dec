//! What can happen, and how a sequence of it is drawn from a seed. An operation names what it happens to by small
//! numbers that are taken modulo what there is, so that a sequence stays playable when some of it is left out.

/// The plugins.
pub(crate) const PLUGINS: [&str; 2] = ["Alpha", "Beta"];
/// The names that the plugins register; both want the same ones (R-DEF-5). The last is the host's own.
pub(crate) const NAMES: [&str; 5] = ["some_go", "some_buy", "some_look", "some_drop", "navigate_to"];
/// What a tool may declare; none: it only reads.
pub(crate) const DECLARED: [&[&str]; 5] =
    [&[], &["game_ui"], &["spend_gil", "game_ui"], &["discard_items"], &["move_character", "login"]];
/// The host's own tools that jobs use: they take no time, or as long as asked.
pub(crate) const OWN: [&str; 2] = ["wait", "get_character"];
/// The capabilities whose modes the player sets, and that approvals are asked for.
pub(crate) const CAPABILITIES: [&str; 4] = ["game_ui", "spend_gil", "discard_items", "read_game"];

/// How a plugin replies to Invoke.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reply {
    Pending,
    Result,
    Error,
    Blank,
    NoJson,
    /// `CompleteCall` twice and `FailCall` inside, then pending.
    CompletedInside,
    /// `CompleteCall` inside, then an error: the reply wins.
    CompletedThenError,
    /// Gil is spent inside.
    Spends,
    /// Invoke itself fails.
    Fails,
    /// There is no Invoke gate.
    NoGate,
}

pub(crate) const REPLIES: [Reply; 12] = [
    Reply::Pending,
    Reply::Pending,
    Reply::Pending,
    Reply::Result,
    Reply::Error,
    Reply::Blank,
    Reply::NoJson,
    Reply::CompletedInside,
    Reply::CompletedThenError,
    Reply::Spends,
    Reply::Fails,
    Reply::NoGate,
];

/// What a plugin does when Cancel comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reaction {
    Nothing,
    Completes,
    Fails,
    NoGate,
}

pub(crate) const REACTIONS: [Reaction; 4] = [Reaction::Fails, Reaction::Completes, Reaction::Nothing, Reaction::NoGate];

/// A step of a job: a tool's number (names, then the host's own), and whether it takes what the first step gave.
pub(crate) type StepOp = (u8, bool);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Op {
    Register { plugin: u8, name: u8, declared: u8 },
    Unregister { plugin: u8, name: u8 },
    UnregisterAll { plugin: u8 },
    Enable { plugin: u8 },
    EnableUnreviewed { plugin: u8 },
    KeepDisabled { plugin: u8 },
    LookAt { plugin: u8 },
    EnableAsSeen { plugin: u8 },
    Lift { plugin: u8 },
    ClearSession { plugin: u8 },
    SetCapability { plugin: u8, capability: u8, mode: u8 },
    SetTool { plugin: u8, name: u8, mode: u8 },
    WillReply { plugin: u8, reply: u8 },
    WillReact { plugin: u8, reaction: u8 },
    Call { name: u8 },
    GiveUp { call: u8 },
    Complete { call: u8, how: u8 },
    Progress { call: u8 },
    RequestApproval { call: u8, capability: u8 },
    GetApproval { approval: u8 },
    Answer { question: u8, answer: u8 },
    Advance { seconds: u16 },
    StartJob { plugin: u8, steps: Vec<StepOp> },
    Control { job: u8, what: u8, by: u8 },
    Update { job: u8, action: u8, steps: Vec<StepOp>, resume: bool },
    Game { what: u8 },
    PluginLoaded { plugin: u8, loaded: bool },
    HostLoaded { loaded: bool },
}

/// `SplitMix64`: the same numbers on every machine.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    fn small(&mut self) -> u8 {
        self.next().to_le_bytes()[0]
    }

    fn steps(&mut self) -> Vec<StepOp> {
        (0..=self.below(3)).map(|_| (self.small(), self.below(4) == 0)).collect()
    }
}

/// A sequence: first both plugins offer something and are enabled, then whatever happens.
pub(crate) fn sequence(seed: u64) -> Vec<Op> {
    let mut random = Random::new(seed);
    let mut ops = Vec::new();
    for plugin in 0..2 {
        for name in 0..2 {
            ops.push(Op::Register { plugin, name: name + 2 * plugin, declared: random.small() });
        }
        ops.push(Op::Enable { plugin });
    }
    let length = 20 + random.below(120);
    while u64::try_from(ops.len()).is_ok_and(|drawn| drawn < length) {
        match random.below(40) {
            0 => reload(&mut random, &mut ops),
            1 => {
                // An approval is asked for, and the call is cancelled while the question is open.
                let plugin = random.small();
                let call = random.small() / 8 * 8;
                ops.push(Op::WillReact { plugin, reaction: 2 });
                ops.push(Op::RequestApproval { call, capability: random.small() });
                ops.push(Op::GiveUp { call });
            }
            _ => ops.push(draw(&mut random)),
        }
    }
    ops
}

/// A plugin, or the host, comes back: the plugin offers the same again, and is enabled.
fn reload(random: &mut Random, ops: &mut Vec<Op>) {
    let plugin = random.small();
    let (name, declared) = (random.small() % 4, random.small() | 4);
    ops.push(Op::Register { plugin, name, declared });
    ops.push(Op::Enable { plugin });
    ops.push(Op::Call { name });
    ops.push(Op::Answer { question: 0, answer: random.small() });
    if random.below(4) == 0 {
        ops.extend([false, true].map(|loaded| Op::HostLoaded { loaded }));
    } else {
        ops.extend([false, true].map(|loaded| Op::PluginLoaded { plugin, loaded }));
    }
    ops.push(Op::Register { plugin, name, declared });
    ops.push(Op::Call { name });
}

fn draw(random: &mut Random) -> Op {
    let plugin = random.small();
    let name = random.small();
    let call = random.small();
    match random.below(100) {
        0..=5 => Op::Register { plugin, name, declared: random.small() },
        6 => Op::Unregister { plugin, name },
        7 => Op::UnregisterAll { plugin },
        8..=12 => Op::Enable { plugin },
        13 => Op::EnableUnreviewed { plugin },
        14 => Op::KeepDisabled { plugin },
        15 => Op::LookAt { plugin },
        16 => Op::EnableAsSeen { plugin },
        17..=19 => Op::Lift { plugin },
        20 => Op::ClearSession { plugin },
        21..=22 => Op::SetCapability { plugin, capability: random.small(), mode: random.small() },
        23..=25 => Op::SetTool { plugin, name, mode: random.small() },
        26..=30 => Op::WillReply { plugin, reply: random.small() },
        31..=32 => Op::WillReact { plugin, reaction: random.small() },
        33..=45 => Op::Call { name },
        46..=48 => Op::GiveUp { call },
        49..=56 => Op::Complete { call, how: random.small() },
        57 => Op::Progress { call },
        58..=61 => Op::RequestApproval { call, capability: random.small() },
        62..=63 => Op::GetApproval { approval: call },
        64..=75 => Op::Answer { question: call, answer: random.small() },
        76..=79 => Op::Advance { seconds: u16::try_from(random.below(300)).unwrap_or_default() },
        80..=84 => Op::StartJob { plugin, steps: random.steps() },
        85..=90 => Op::Control { job: call, what: random.small(), by: plugin },
        91..=94 => {
            Op::Update { job: call, action: random.small(), steps: random.steps(), resume: random.below(2) == 0 }
        }
        95..=96 => Op::Game { what: random.small() },
        97..=98 => Op::PluginLoaded { plugin, loaded: random.below(2) == 0 },
        _ => Op::HostLoaded { loaded: random.below(3) != 0 },
    }
}
