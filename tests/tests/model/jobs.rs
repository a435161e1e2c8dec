//! The model of SPEC §9: the states of jobs and steps, and which step runs.

use super::calls::{Asker, End, Given, HOST, Model};
use super::ops::OWN;
use super::policy::Tool;

/// How long a `wait` lasts here, in seconds.
pub(crate) const WAIT: u64 = 50;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StepState {
    Queued,
    Running,
    Done,
    Failed,
    Interrupted,
    Skipped,
}

#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub(crate) id: String,
    pub(crate) tool: String,
    /// Whether its arguments name what step `s1` gave.
    pub(crate) takes: bool,
    pub(crate) state: StepState,
    given: Option<Given>,
}

#[derive(Debug, Clone)]
pub(crate) struct Job {
    pub(crate) plugin: usize,
    pub(crate) state: &'static str,
    pub(crate) steps: Vec<Step>,
    pub(crate) current: usize,
    /// The call of the step that runs or ran last, and whether a placeholder was filled in.
    pub(crate) call: Option<(usize, bool)>,
}

impl Job {
    pub(crate) fn finished(&self) -> bool {
        matches!(self.state, "completed" | "cancelled" | "failed")
    }

    fn failed(&self) -> bool {
        self.steps.get(self.current).is_some_and(|step| step.state == StepState::Failed)
    }

    /// R-JOB-2: steps without an id are numbered on.
    fn add(&mut self, steps: &[(String, bool)]) {
        for (tool, takes) in steps {
            let id = format!("s{}", self.steps.len() + 1);
            self.steps.push(Step { id, tool: tool.clone(), takes: *takes, state: StepState::Queued, given: None });
        }
    }
}

impl Model {
    /// R-JOB-2: each step's tool is listed now; a suspended plugin's passes.
    fn steps_pass(&self, steps: &[(String, bool)]) -> bool {
        steps.iter().all(|(name, _)| {
            OWN.contains(&name.as_str())
                || self.tool(name).is_some_and(|tool| {
                    let policy = &self.policies[tool.owner];
                    policy.enabled && !policy.awaiting && self.loaded[tool.owner]
                })
        })
    }

    /// R-JOB-1. Whether it is accepted.
    pub(crate) fn start_job(&mut self, plugin: usize, steps: &[(String, bool)]) -> bool {
        if !self.policies[plugin].can_run() || !self.steps_pass(steps) {
            return false;
        }
        let mut job = Job { plugin, state: "queued", steps: Vec::new(), current: 0, call: None };
        job.add(steps);
        self.jobs.push(job);
        self.settle();
        true
    }

    /// R-JOB-3: runs steps until one takes time, or there is none.
    pub(crate) fn settle(&mut self) {
        while self.running.is_none() && self.host_loaded {
            let Some(job) = self.jobs.iter().position(|job| matches!(job.state, "queued" | "running")) else { return };
            self.start_step(job);
        }
    }

    fn start_step(&mut self, number: usize) {
        let first = self.jobs[number].steps.first().map(|step| (step.given, step.state));
        let job = &mut self.jobs[number];
        job.state = "running";
        let (place, plugin) = (job.current, job.plugin);
        let Some(step) = job.steps.get_mut(place) else {
            job.state = "completed";
            return;
        };
        step.state = StepState::Running;
        step.given = None;
        let (name, takes) = (step.tool.clone(), step.takes);
        self.running = Some(number);
        // R-JOB-4. The first step is not its own result.
        let given = first.filter(|_| place > 0).and_then(|(given, _)| given);
        if takes && given != Some(Given::A) {
            return self.step_ended(number, End::Error);
        }
        let own = OWN.contains(&name.as_str()).then(|| Tool { name: name.clone(), owner: HOST, acting: Vec::new() });
        match own.or_else(|| self.tool(&name).cloned()) {
            Some(tool) => self.start_call(Asker::Step { job: number, plugin }, tool, takes),
            None => self.step_ended(number, End::Error),
        }
    }

    pub(crate) fn step_ended(&mut self, number: usize, end: End) {
        self.running = None;
        let job = &mut self.jobs[number];
        let running = job.state == "running";
        let step = &mut job.steps[job.current];
        match end {
            End::Result(given) => {
                step.state = StepState::Done;
                step.given = Some(given);
                job.current += 1;
                if running && job.current == job.steps.len() {
                    job.state = "completed";
                }
            }
            End::Error if running => {
                step.state = StepState::Failed;
                job.state = "pending";
            }
            End::Error | End::Cancelled => step.state = StepState::Interrupted,
        }
    }

    fn cancel_step(&mut self, number: usize) {
        if self.running != Some(number) {
            return;
        }
        if let Some((call, _)) = self.jobs[number].call {
            self.cancel(call);
        }
    }

    /// R-JOB-6, R-JOB-7: pause, resume, cancel. Whether it is accepted.
    pub(crate) fn control(&mut self, number: usize, what: u8) -> bool {
        let (finished, failed) = (self.jobs[number].finished(), self.jobs[number].failed());
        match what {
            0 if finished => return false,
            0 if self.jobs[number].state != "paused" => {
                self.jobs[number].state = "paused";
                self.cancel_step(number);
            }
            1 if finished || failed => return false,
            1 if matches!(self.jobs[number].state, "paused" | "pending") => self.jobs[number].state = "queued",
            2 if !finished => {
                self.jobs[number].state = "cancelled";
                self.cancel_step(number);
            }
            _ => {}
        }
        self.settle();
        true
    }

    /// R-JOB-5: retry, skip, append, `replace_remaining`. Whether it is accepted.
    pub(crate) fn update(&mut self, number: usize, action: u8, steps: &[(String, bool)], resume: bool) -> bool {
        let pass = action < 2 || self.steps_pass(steps);
        let runs = self.running == Some(number);
        let job = &mut self.jobs[number];
        let nothing_left = action < 2 && job.current == job.steps.len();
        if job.finished() || runs || !pass || nothing_left || action == 2 && resume && job.failed() {
            return false;
        }
        let place = job.current;
        match action {
            0 => job.steps[place].state = StepState::Queued,
            1 => {
                job.steps[place].state = StepState::Skipped;
                job.current += 1;
            }
            2 => job.add(steps),
            _ => {
                job.steps.truncate(place);
                job.add(steps);
            }
        }
        if resume {
            job.state = "queued";
        } else if job.state != "paused" {
            job.state = "pending";
        }
        self.settle();
        true
    }

    pub(crate) fn pause_jobs(&mut self) {
        for job in self.jobs.iter_mut().filter(|job| matches!(job.state, "queued" | "running")) {
            job.state = "paused";
        }
    }
}
