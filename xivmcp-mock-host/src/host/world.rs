//! Everything that belongs to one host, shared by the handles that a test holds. Nothing in it is shared with another.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::builtin::BuiltinBook;
use super::plugin::Slot;
use super::stand_in::Inner as StandIn;
use crate::bus::{Bus, Clock};
use crate::core::{Core, Time};
use crate::driver::{CallCell, Driver};
use crate::engine::Engine;
use crate::live::Live;
use crate::reports::Reports;
use crate::services::ServiceBook;
use crate::simulated::{Sim, Waited};

/// How long a wait goes on in virtual time before it is given up: longer than anything that the host waits for.
const PATIENCE: Duration = Duration::from_secs(8 * 24 * 3600);
/// How long a wait goes on in a live host.
const LIVE_PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct World {
    pub(crate) engine: Arc<Engine>,
    pub(crate) bus: Arc<Bus>,
    pub(crate) driver: Arc<Driver>,
    pub(crate) reports: Arc<Reports>,
    pub(crate) services: Arc<ServiceBook>,
    /// The plugins that were loaded here, in that order.
    plugins: Mutex<Vec<Arc<Slot>>>,
    pub(crate) builtins: Mutex<BuiltinBook>,
    /// The plugins that the test plays.
    stand_ins: Mutex<Vec<Arc<StandIn>>>,
    /// Whether a call that nobody scripted is a failure.
    strict: AtomicBool,
    /// The names of connections, for those who got a message.
    connections: Mutex<BTreeMap<u64, Arc<str>>>,
    /// Whether a failure has printed the traffic already.
    told: Mutex<bool>,
}

impl World {
    pub(crate) fn simulated(seed: u64) -> Arc<Self> {
        let reports = Arc::new(Reports::default());
        let engine = Engine::Simulated(Sim::new(seed, Arc::clone(&reports)));
        Self::new(seed, engine, reports)
    }

    pub(crate) fn live() -> Arc<Self> {
        let reports = Arc::new(Reports::default());
        let live = Live::new(Arc::clone(&reports));
        let seed = live.start().as_millis().unsigned_abs();
        Self::new(seed, Engine::Live(live), reports)
    }

    fn new(seed: u64, engine: Engine, reports: Arc<Reports>) -> Arc<Self> {
        let engine = Arc::new(engine);
        let clock = Arc::downgrade(&engine);
        let now = Box::new(move || clock.upgrade().map_or(Duration::ZERO, |engine| engine.elapsed()));
        let told = Arc::clone(&reports);
        let bus = Bus::new(now, Box::new(move |text| told.failure(text)));
        let driver = Driver::new(seed, &bus, &engine, &reports);
        let services = ServiceBook::new(&engine);
        Arc::new(Self {
            engine,
            bus,
            driver,
            reports,
            services,
            plugins: Mutex::default(),
            builtins: Mutex::default(),
            stand_ins: Mutex::default(),
            strict: AtomicBool::new(false),
            connections: Mutex::default(),
            told: Mutex::default(),
        })
    }

    pub(crate) fn plugins(&self) -> MutexGuard<'_, Vec<Arc<Slot>>> {
        self.plugins.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The plugin that was loaded here by that name, compared without case as Dalamud does.
    pub(crate) fn plugin(&self, name: &str) -> Option<Arc<Slot>> {
        self.plugins().iter().find(|slot| slot.name().eq_ignore_ascii_case(name)).cloned()
    }

    pub(crate) fn stand_ins(&self) -> MutexGuard<'_, Vec<Arc<StandIn>>> {
        self.stand_ins.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set_strict(&self) {
        self.strict.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_strict(&self) -> bool {
        self.strict.load(Ordering::Relaxed)
    }

    /// Keeps the name of a connection.
    pub(crate) fn know(&self, number: u64, name: &Arc<str>) {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner).insert(number, Arc::clone(name));
    }

    /// Forgets the name of a connection whose plugin is unloaded.
    pub(crate) fn forget(&self, number: u64) {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner).remove(&number);
    }

    pub(crate) fn names_of(&self, numbers: &[u64]) -> Vec<String> {
        let known = self.connections.lock().unwrap_or_else(PoisonError::into_inner);
        numbers.iter().filter_map(|number| known.get(number)).map(ToString::to_string).collect()
    }

    pub(crate) fn builtins(&self) -> MutexGuard<'_, BuiltinBook> {
        self.builtins.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs everything that can run without time passing, if a test's body asks.
    pub(crate) fn settle(&self) {
        self.engine.settle();
    }

    /// Does something with the core, between two settlements: what a test reads is how things stand, and what it
    /// causes has happened when it goes on.
    pub(crate) fn act<R>(&self, operation: impl FnOnce(&mut Core, Time) -> R) -> R {
        self.settle();
        let result = self.driver.operate(operation);
        self.settle();
        result
    }

    /// Looks at the core when everything that can has run.
    pub(crate) fn look<R>(&self, look: impl FnOnce(&Core) -> R) -> R {
        self.settle();
        look(&self.driver.lock())
    }

    /// Waits until `done`, or says why that will never be.
    pub(crate) fn wait_until(&self, done: &mut dyn FnMut() -> bool) -> Result<(), String> {
        let Engine::Simulated(sim) = &*self.engine else {
            let end = std::time::Instant::now() + LIVE_PATIENCE;
            while !done() {
                if std::time::Instant::now() > end {
                    return Err(format!("it is not so after {} s", LIVE_PATIENCE.as_secs()));
                }
                std::thread::sleep(Duration::from_millis(2));
            }
            return Ok(());
        };
        match sim.run_until(PATIENCE, done) {
            Waited::Done => Ok(()),
            Waited::TimedOut => Err(format!(
                "it is not so after 8 days of virtual time (now {}); what still waits:\n  {}",
                Clock(sim.elapsed()),
                sim.waiting().join("\n  ")
            )),
            Waited::Stuck => Err(self.stuck()),
        }
    }

    /// The report of a wait that nothing will end.
    pub(crate) fn stuck(&self) -> String {
        let Engine::Simulated(sim) = &*self.engine else { return String::new() };
        let waiting = sim.waiting();
        let waiting = if waiting.is_empty() { "(nobody)".to_owned() } else { waiting.join("\n  ") };
        format!(
            "nothing can run and no timer is set, so it will never be so (now {}). Who waits:\n  {waiting}",
            Clock(sim.elapsed())
        )
    }

    /// Waits for the end of a call.
    pub(crate) fn wait_for(&self, cell: &CallCell) -> Result<(), String> {
        if matches!(*self.engine, Engine::Live(_)) {
            return match cell.wait_for(LIVE_PATIENCE) {
                Some(_) => Ok(()),
                None => Err(format!("it still runs after {} s", LIVE_PATIENCE.as_secs())),
            };
        }
        self.wait_until(&mut || cell.outcome().is_some())
    }

    /// Fails the test: what is wrong, and what came before it.
    #[track_caller]
    pub(crate) fn fail(&self, text: &str) -> ! {
        panic!("{text}\n{}", self.background())
    }

    /// How the run is repeated, and the last traffic.
    pub(crate) fn background(&self) -> String {
        *self.told.lock().unwrap_or_else(PoisonError::into_inner) = true;
        let run = match &*self.engine {
            Engine::Simulated(sim) => format!("seed {}", sim.seed()),
            Engine::Live(_) => "live".to_owned(),
        };
        format!("\nThe last traffic at the gates ({run}):\n{}", self.bus.traffic().tail())
    }

    /// Whether a failure was reported with the traffic.
    pub(crate) fn was_told(&self) -> bool {
        *self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
