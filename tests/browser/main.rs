//! The report in a browser: a Python script uses it as a reader would. Without Chromium or Python the test says so and does
//! nothing, unless `CUTPOINT_REQUIRE_BROWSER` is `1`, as in `.ci/run`. `CUTPOINT_AXE` names `axe.min.js` of axe-core.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use std::path::Path;
use std::process::Command;

/// The exit code of the script when there is no browser.
const NO_BROWSER: i32 = 3;

fn skip(why: &str) {
    let required = std::env::var("CUTPOINT_REQUIRE_BROWSER").is_ok_and(|value| value == "1");
    assert!(!required, "CUTPOINT_REQUIRE_BROWSER is set, but {why}");
    #[expect(clippy::print_stderr, reason = "a skipped test must say so")]
    {
        eprintln!("SKIPPED: {why}");
    }
}

const PROGRAM: &str = env!("CARGO_BIN_EXE_cutpoint");

fn cutpoint(folder: &Path, arguments: &[&str]) {
    let done = Command::new(PROGRAM).args(arguments).current_dir(folder).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// Runs a script of this folder; what it said, or `None` where it cannot run, which is then told.
fn script(name: &str, arguments: &[&std::ffi::OsStr]) -> Option<String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser").join(name);
    let Ok(done) = Command::new("python3").arg(script).args(arguments).output() else {
        skip("there is no python3");
        return None;
    };
    if done.status.code() == Some(NO_BROWSER) {
        skip("there is no Chromium (Debian: apt-get install chromium)");
        return None;
    }
    let said = format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{said}");
    Some(said)
}

#[test]
fn no_text_of_a_run_can_attack_its_reader() {
    let folder = tempfile::tempdir().unwrap();
    let money = ["--cache", "anthropic-5m", "--price", "claude-sonnet-5-5"];
    for (name, loss) in [("hostile", "0.5"), ("base", "0")] {
        let run = ["run", "--strategy", "pi,ralph", "--name", name, "--mock-loss", loss, "--probes"];
        cutpoint(folder.path(), &[&run[..], &["--transcripts", "embedded:debug-flaky-cache"], &money].concat());
    }
    let [run, base] = ["hostile", "base"].map(|name| folder.path().join("reports").join(name));
    script("hostile.py", &[run.as_os_str(), base.as_os_str(), PROGRAM.as_ref()]);
}

#[test]
fn a_reader_can_use_the_report() {
    let folder = tempfile::tempdir().unwrap();
    let cutpoint = |arguments: &[&str]| cutpoint(folder.path(), arguments);
    // The head's mock forgets more than the base's, so that something is newly lost.
    for (name, loss) in [("base", "0"), ("browser", "0.5")] {
        let strategies = "pi,pi-three-part,tail-only,none,ralph";
        let sessions = ["--transcripts", "embedded:debug-flaky-cache", "embedded:feature-offline-mode"];
        let money = ["--cache", "anthropic-5m", "--price", "claude-sonnet-5-5"];
        let run = ["run", "--strategy", strategies, "--name", name, "--mock-loss", loss];
        cutpoint(&[&run[..], &money, &sessions].concat());
    }
    cutpoint(&["report", "reports/browser", "--against", "reports/base"]);
    let axe = std::env::var_os("CUTPOINT_AXE");
    let page = folder.path().join("reports/browser/index.html");
    let arguments: Vec<&std::ffi::OsStr> = std::iter::once(page.as_os_str()).chain(axe.as_deref()).collect();
    let Some(said) = script("report.py", &arguments) else { return };
    if said.contains("SKIPPED") {
        skip("CUTPOINT_AXE names no axe-core, so accessibility was not checked");
    }
}
