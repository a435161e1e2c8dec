//! `serve` and `run`: the host over HTTP, until Ctrl-C.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use xivmcp_client::services::LogLevel;
use xivmcp_mock_host::server::{self, Options};
use xivmcp_mock_host::{Answer, MockHost};

/// What the command line says.
#[derive(Debug)]
struct Settings {
    options: Options,
    libraries: Vec<PathBuf>,
    watch: bool,
}

/// `serve`: no plugins.
pub(crate) fn serve(arguments: Vec<OsString>) -> ExitCode {
    let settings = match read(arguments) {
        Ok(settings) => settings,
        Err(error) => return crate::complain(&error.to_string()),
    };
    if settings.watch || !settings.libraries.is_empty() {
        return crate::complain("`serve` loads no plugins: `run LIBRARY...` does");
    }
    let started = server::serve(MockHost::live(), &settings.options);
    match started {
        Ok(server) => {
            server.wait_telling(|| tell(&server));
            announce();
            end(server, None)
        }
        Err(error) => fail(&error.to_string()),
    }
}

/// `run`: plugins from their libraries.
#[cfg(feature = "loader")]
pub(crate) fn run(arguments: Vec<OsString>) -> ExitCode {
    let settings = match read(arguments) {
        Ok(settings) => settings,
        Err(error) => return crate::complain(&error.to_string()),
    };
    if settings.libraries.is_empty() {
        return crate::complain("`run` needs a plugin's library: target/debug/libmy_plugin.so, say");
    }
    let server = match server::serve(MockHost::live(), &settings.options) {
        Ok(server) => server,
        Err(error) => return fail(&error.to_string()),
    };
    let mut plugins = Vec::new();
    for library in settings.libraries {
        let (name, path) = crate::watch::named(&library);
        let stamp = crate::watch::stamp(&path); // from before: what is built meanwhile is a change
        match server.host().try_load_library(&name, &path) {
            Ok(plugin) => plugins.push((plugin, path, stamp)),
            Err(error) => {
                drop(server);
                return fail(&error.to_string());
            }
        }
    }
    let watching = settings.watch.then(|| crate::watch::Watching::start(plugins));
    server.wait_telling(|| tell(&server));
    announce();
    let hangs = watching.and_then(crate::watch::Watching::stop);
    end(server, hangs)
}

fn tell(server: &server::Server) {
    // Whoever reads may be gone: the server goes on.
    let _ = writeln!(std::io::stdout(), "{}", server.how_to_connect());
}

fn announce() {
    crate::say(format_args!("Unloading. Ctrl-C again ends at once."));
}

/// Unloads everything. `problem` is one that is known already.
fn end(server: server::Server, problem: Option<String>) -> ExitCode {
    let mut problems = server.stop();
    problems.extend(problem);
    for problem in &problems {
        crate::say(format_args!("xivmcp-mock-host: {problem}"));
    }
    if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn fail(what: &str) -> ExitCode {
    crate::say(format_args!("xivmcp-mock-host: {what}"));
    ExitCode::FAILURE
}

fn read(arguments: Vec<OsString>) -> Result<Settings, lexopt::Error> {
    use lexopt::ValueExt;
    use lexopt::prelude::{Long, Value};

    let mut settings = Settings { options: Options::new().log(LogLevel::Information), libraries: vec![], watch: false };
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        let options = settings.options.clone();
        settings.options = match argument {
            Long("port") => options.port(parser.value()?.parse()?),
            Long("token") => options.token(token(&parser.value()?.string()?)?),
            Long("no-token") => options.without_token(),
            Long("enable-all") => options.enable_all(),
            Long("answer") => options.answer(parser.value()?.parse_with(answer)?),
            Long("state") => options.state(parser.value()?),
            Long("log") => options.log(parser.value()?.parse_with(level)?),
            Long("watch") => {
                settings.watch = true;
                options
            }
            Value(library) => {
                settings.libraries.push(library.into());
                options
            }
            other => return Err(other.unexpected()),
        };
    }
    Ok(settings)
}

fn answer(word: &str) -> Result<Answer, &'static str> {
    match word {
        "once" => Ok(Answer::Once),
        "session" => Ok(Answer::Session),
        "always" => Ok(Answer::Always),
        "deny" => Ok(Answer::Denied),
        _ => Err("it must be once, session, always or deny"),
    }
}

fn level(word: &str) -> Result<LogLevel, &'static str> {
    match word {
        "verbose" => Ok(LogLevel::Verbose),
        "debug" => Ok(LogLevel::Debug),
        "information" => Ok(LogLevel::Information),
        "warning" => Ok(LogLevel::Warning),
        "error" => Ok(LogLevel::Error),
        _ => Err("it must be verbose, debug, information, warning or error"),
    }
}

/// A token goes into a header: anything else could not be sent.
fn token(text: &str) -> Result<String, String> {
    let fits = text.len() >= 8 && text.bytes().all(|byte| byte.is_ascii_graphic());
    if fits { Ok(text.to_owned()) } else { Err("--token needs at least 8 visible ASCII characters".to_owned()) }
}
