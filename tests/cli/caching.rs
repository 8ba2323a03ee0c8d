//! `cutpoint cache`.

use crate::{absolute, good, names, run, run_in};

fn requests(name: &str) -> String {
    absolute(&format!("tests/field-cases/{name}.requests.json"))
}

/// The simulated reads of a table of requests.
fn reads(printed: &str) -> Vec<u64> {
    let rows = printed.lines().skip_while(|line| !line.starts_with("request")).skip(1);
    rows.map(|row| row.split_whitespace().nth(4).unwrap().parse().unwrap()).collect()
}

#[test]
fn request_bodies_of_a_file_share_a_cache() {
    let printed = good(&["cache", &requests("cache-clock-in-system")]);
    assert_eq!(printed.matches("system_changed").count(), 2, "{printed}");
    assert!(printed.lines().all(|line| line.chars().count() <= 80), "{printed}");
    assert!(good(&["cache", &requests("cache-moved-block")]).contains("block_moved"));
    assert_eq!(good(&["cache", &requests("cache-tool-order")]).matches("tool_order").count(), 3);
    let hits = |lifetime: &str, refresh: &str, name: &str| -> Vec<bool> {
        let rules = ["--provider", "anthropic-5m", "--minimum", "1", "--lifetime", lifetime, "--refresh", refresh];
        let file = requests(name);
        let mut arguments = vec!["cache", &*file];
        arguments.extend(rules);
        reads(&good(&arguments)).iter().map(|&read| read > 0).collect()
    };
    assert_eq!(hits("300", "marked", "cache-ttl"), [false, false, true, false]);
    assert_eq!(hits("3600", "marked", "cache-ttl"), [false, true, true, true]);
    assert_eq!(hits("300", "marked", "cache-ttl-refresh"), [false, true, true, true, false]);
    assert_eq!(hits("300", "never", "cache-ttl-refresh"), [false, true, false, true, false]);
}

#[test]
fn recorded_usage_is_compared_and_priced() {
    let case = absolute("tests/field-cases/cost-1h-writes.claude.jsonl");
    let folder = tempfile::tempdir().unwrap();
    let prices = folder.path().join("prices.toml");
    let row = "[[row]]\nname = 'case'\nmodels = ['model-b']\ninput = 3.0\nread = 0.3\nwrite = 3.75\nwrite_long = 6.0\n\
               output = 15.0\nsource = 'the case'\ndate = '2026-01-05'\n";
    std::fs::write(&prices, row).unwrap();
    let arguments =
        ["cache", &case, "--provider", "anthropic-5m", "--prices", prices.to_str().unwrap(), "--out", "out"];
    let done = run_in(folder.path(), &arguments);
    assert_eq!((done.code, done.stderr.as_str()), (0, ""), "{}", done.stdout);
    assert!(done.stdout.contains("$2.5500 by recorded usage"), "{}", done.stdout);
    assert!(done.stdout.contains("prices: case"), "{}", done.stdout);
    let written = names(&folder.path().join("out"));
    assert!(["cache-requests.csv", "cache-sessions.csv"].iter().all(|file| written.iter().any(|name| name == file)));
}

#[test]
fn a_latency_is_chosen_on_the_command_line_and_called_a_model() {
    let case = absolute("tests/field-cases/cost-1h-writes.claude.jsonl");
    let printed = good(&["cache", &case, "--provider", "anthropic-5m", "--latency", "400,60,1.5"]);
    let told = "MODEL 400 ms + 60 ms/k uncached + 1.5 ms/k cached, not measured";
    let flat = printed.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains(told), "{printed}");
    assert!(!good(&["cache", &case, "--provider", "anthropic-5m"]).contains("MODEL"), "off unless it is chosen");
    let session = "embedded:debug-flaky-cache";
    let printed = good(&["replay", session, "--strategy", "none", "--latency", "0,1000,1000"]);
    let rows: Vec<Vec<&str>> = printed.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[1].last(), Some(&"model_ms"), "{printed}");
    // A token is a millisecond, read or not: the time is the size.
    assert!(rows[2..30].iter().all(|row| row[3] == row[7]), "{printed}");
    let flat = printed.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("ms, mean; MODEL 0 ms + 1000 ms/k uncached + 1000 ms/k cached, not measured"), "{printed}");
    assert!(!good(&["replay", session, "--strategy", "none"]).contains("model_ms"));
    let folder = tempfile::tempdir().unwrap();
    let arguments =
        ["run", "--transcripts", session, "--strategy", "none", "--latency", "0,1000,1000", "--name", "timed"];
    let done = run_in(folder.path(), &arguments);
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(done.stdout.contains("Time to the first token, mean over requests; MODEL 0 ms"), "{}", done.stdout);
    // Each model of times has its own heading, and a run without bills has none.
    let rows = "cache.latency=[\"0,1000,1000\", \"0,2000,2000\"]";
    let done = run_in(folder.path(), &["run", "--transcripts", session, "--strategy", "none", "--set", rows]);
    let flat = done.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("MODEL 0 ms + 1000 ms/k") && flat.contains("MODEL 0 ms + 2000 ms/k"), "{}", done.stdout);
    let config = "name = 'plain'\nstrategies = ['none']\nmeters = ['structure']\n[cache]\nlatency = '0,1,1'\n";
    std::fs::write(folder.path().join("x.toml"), config).unwrap();
    let done = run_in(folder.path(), &["run", "--config", "x.toml"]);
    assert!(done.code == 0 && !done.stdout.contains("MODEL"), "{}{}", done.stdout, done.stderr);
    let cells = std::fs::read_to_string(folder.path().join("reports/plain/cells.jsonl")).unwrap();
    assert!(!cells.contains("latency"), "{cells}");
    let done = run(&["cache", &case, "--provider", "anthropic-5m", "--latency", "400,60"]);
    assert_eq!(done.code, 2, "{}", done.stderr);
    assert!(
        done.stderr.contains("no latency is called \"400,60\"") && done.stderr.contains("hint: "),
        "{}",
        done.stderr
    );
}

#[test]
fn a_protocol_has_a_cache_where_its_model_is_not_known() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["cache-lookback-26-blocks", "cost-1h-writes"] {
        let case = absolute(&format!("tests/field-cases/{name}.claude.jsonl"));
        let done = run_in(folder.path(), &["cache", &case, "--out", "out"]);
        assert_eq!(done.code, 0, "{}", done.stderr);
        let told = |printed: &str| printed.contains("the default of the protocol of the replies");
        assert!(done.stdout.contains("anthropic-5m: ") && told(&done.stdout), "{}", done.stdout);
        let basis = || {
            let sessions = std::fs::read_to_string(folder.path().join("out/cache-sessions.csv")).unwrap();
            let row: std::collections::HashMap<String, String> =
                csv::Reader::from_reader(sessions.as_bytes()).deserialize().next().unwrap().unwrap();
            row["provider_basis"].clone()
        };
        assert_eq!(basis(), "protocol");
        let chosen = run_in(folder.path(), &["cache", &case, "--provider", "anthropic-5m", "--out", "out"]);
        assert!(!told(&chosen.stdout), "{}", chosen.stdout);
        assert_eq!(basis(), "chosen");
    }
}

#[test]
fn what_is_not_known_is_said() {
    let other = absolute("tests/field-cases/anchor-aborted.pi.jsonl");
    let done = run(&["cache", &other]);
    assert_eq!(done.code, 2, "{}", done.stdout);
    assert!(done.stderr.contains("no cache is known for the model \"model-a\""), "{}", done.stderr);
    assert!(done.stderr.contains("hint: choose one with --provider"), "{}", done.stderr);
    let case = absolute("tests/field-cases/cost-1h-writes.claude.jsonl");
    let done = run(&["cache", &case, "--provider", "nobody"]);
    assert_eq!(done.code, 2);
    assert!(done.stderr.contains("there are anthropic-5m"), "{}", done.stderr);
    let printed = good(&["cache", &case, "--provider", "anthropic-5m"]);
    assert!(printed.contains("none: no price of \"model-b\" is known"), "{printed}");
    let bad = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(bad.path(), "[[row]]\nname = 'x'\n").unwrap();
    let done = run(&["cache", &case, "--provider", "anthropic-5m", "--prices", bad.path().to_str().unwrap()]);
    assert_eq!(done.code, 2);
    assert!(done.stderr.contains("hint: a row has name, models"), "{}", done.stderr);
}

#[test]
fn a_threshold_is_swept() {
    let folder = tempfile::tempdir().unwrap();
    let sweep = ["cache", "embedded:debug-flaky-cache", "--sweep", "30000,60000", "--price", "claude-opus-4-5"];
    let done = run_in(folder.path(), &[&sweep[..], &["--provider", "anthropic-5m", "--out", "out"]].concat());
    assert_eq!((done.code, done.stderr.as_str()), (0, ""), "{}", done.stdout);
    assert!(done.stdout.contains("MOCK") && done.stdout.contains("never"), "{}", done.stdout);
    assert_eq!(done.stdout.matches(" *\n").count(), 1, "{}", done.stdout);
    assert!(
        names(&folder.path().join("out")).starts_with(&["break-even-1.svg".to_owned(), "cache-sweep.csv".to_owned()])
    );
    let unpriced = run(&["cache", "embedded:debug-flaky-cache", "--sweep", "30000", "--price", "nobody"]);
    assert_eq!(unpriced.code, 2);
    assert!(unpriced.stderr.contains("no price is called \"nobody\""), "{}", unpriced.stderr);
}

#[test]
fn caches_are_listed() {
    assert!(good(&["list", "caches"]).contains("openai-5.6"));
}

/// A log of requests with their answers: seconds, messages and usage (read, write) of each; the last message is marked.
fn marked_log(requests: &[(u64, usize, [u64; 2])], ttl: &str) -> tempfile::NamedTempFile {
    let control = format!(r#"{{"type":"ephemeral"{ttl}}}"#);
    let line = |&(second, messages, [read, write]): &(u64, usize, [u64; 2])| {
        let message = |at: usize| {
            let mark = if at + 1 == messages { format!(r#","cache_control":{control}"#) } else { String::new() };
            let role = if at.is_multiple_of(2) { "user" } else { "assistant" };
            format!(r#"{{"role":"{role}","content":[{{"type":"text","text":"message {at}"{mark}}}]}}"#)
        };
        let list: Vec<String> = (0..messages).map(message).collect();
        let body = format!(
            r#"{{"model":"claude-sonnet-4-5","system":[{{"type":"text","text":"Be kind."}}],"tools":[],"messages":[{}]}}"#,
            list.join(",")
        );
        let answer = format!(
            r#"{{"id":"r{second}","type":"message","role":"assistant","model":"claude-sonnet-4-5","stop_reason":"end_turn","content":[{{"type":"text","text":"message {messages}"}}],"usage":{{"input_tokens":4,"cache_read_input_tokens":{read},"cache_creation_input_tokens":{write},"output_tokens":9}}}}"#
        );
        format!(
            r#"{{"request":{{"timestamp":{second},"method":"POST","url":"https://api.example.com/v1/messages","headers":{{}},"body":{body}}},"response":{{"status_code":200,"body":{answer}}},"logged_at":"t"}}"#
        )
    };
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), requests.iter().map(line).collect::<Vec<_>>().join("\n")).unwrap();
    file
}

#[test]
fn recorded_marks_are_the_breakpoints_of_their_request() {
    // 9,996 tokens are written; twenty minutes later they are read, and 61 minutes after that they are gone.
    let requests = [(0, 1, [0, 9_996]), (1_200, 3, [9_996, 1_000]), (4_860, 5, [0, 11_200])];
    let print = |ttl: &str| good(&["cache", marked_log(&requests, ttl).path().to_str().unwrap(), "--requests"]);
    let hour = print(r#","ttl":"1h""#);
    assert_eq!(reads(&hour), [0, 10_000, 0], "{hour}");
    assert!(hour.contains("3 with recorded breakpoints"), "{hour}");
    assert!(hour.contains("expired") && hour.contains("1: 1 known"), "{hour}");
    // Marks of five minutes: the read at twenty minutes is not simulated.
    assert_eq!(reads(&print("")), [0, 0, 0]);
    // A log that marks nothing, and records no use: nothing is simulated in vain, and nothing compared.
    let none = marked_log(&[(0, 1, [0, 0]), (10, 3, [0, 0])], "");
    let text = std::fs::read_to_string(none.path()).unwrap();
    std::fs::write(none.path(), text.replace(r#","cache_control":{"type":"ephemeral"}"#, "")).unwrap();
    let printed = good(&["cache", none.path().to_str().unwrap()]);
    assert!(printed.contains("0 compared") && printed.contains("no cache use is recorded"), "{printed}");
}

/// A sequence of request bodies, each one message longer: seconds, and the fields of the body beside its messages.
fn bodies(requests: &[(u64, &str)]) -> tempfile::NamedTempFile {
    let body = |(at, &(second, fields)): (usize, &(u64, &str))| {
        let message = |at: usize| format!(r#"{{"role":"user","content":"{}"}}"#, format!("word{at} ").repeat(2_000));
        let messages: Vec<String> = (0..=at).map(message).collect();
        let system = r#"{"role":"system","content":"Be kind."}"#;
        format!(r#"{{"at_s":{second},{fields},"messages":[{system},{}]}}"#, messages.join(","))
    };
    let list: Vec<String> = requests.iter().enumerate().map(body).collect();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), format!(r#"{{"requests":[{}]}}"#, list.join(","))).unwrap();
    file
}

/// The share of its prompt that each request reads, in whole quarters, and all that is printed.
fn quarters(requests: &[(u64, &str)], options: &[&str]) -> (Vec<u64>, String) {
    let file = bodies(requests);
    let printed = good(&[&["cache", file.path().to_str().unwrap()], options].concat());
    let rows = printed.lines().skip_while(|line| !line.starts_with("request")).skip(1);
    let number = |row: &str, at: usize| row.split_whitespace().nth(at).unwrap().parse::<u64>().unwrap();
    (rows.map(|row| number(row, 4) * 4 / number(row, 2)).collect(), printed)
}

#[test]
fn lifetimes_models_and_settings_of_bodies_decide() {
    let model = r#""model":"m-1""#;
    let hour = ["--provider", "anthropic-1h"];
    // Written for an hour: read at 59 minutes, which restarts the hour, and at 60 more; gone 61 minutes later.
    let (reads, printed) = quarters(&[(0, model), (3_540, model), (7_140, model), (10_801, model)], &hour);
    assert_eq!(reads, [0, 2, 2, 0], "{printed}");
    assert!(printed.contains("expired"), "{printed}");
    // Another model and back within the lifetime: its own prefix is still there, two messages of three and a half ago.
    let (reads, printed) = quarters(&[(0, model), (10, r#""model":"m-2""#), (20, model)], &["--provider", "ideal"]);
    assert_eq!((reads, printed.matches("model_switch").count()), (vec![0, 0, 1], 2), "{printed}");
    // Another tool choice is another prefix from the messages on; the same again reads what it left.
    let (auto, any) = (r#""model":"m-1","tool_choice":"auto""#, r#""model":"m-1","tool_choice":"required""#);
    let (reads, printed) = quarters(&[(0, auto), (10, any), (20, any)], &["--provider", "ideal"]);
    assert_eq!((reads, printed.matches("settings").count()), (vec![0, 0, 2], 1), "{printed}");
    // A tool more is another prefix from the first token on.
    let tool = |name: &str| format!(r#"{{"type":"function","function":{{"name":"{name}","parameters":{{}}}}}}"#);
    let one = format!(r#"{model},"tools":[{}]"#, tool("read"));
    let two = format!(r#"{model},"tools":[{},{}]"#, tool("write"), tool("read"));
    let (reads, printed) = quarters(&[(0, &one), (10, &two), (20, &two)], &["--provider", "ideal"]);
    assert_eq!((reads, printed.matches("tools_changed").count()), (vec![0, 0, 2], 1), "{printed}");
    // Below the minimum nothing is cached, and nothing is said to have broken.
    let (reads, printed) = quarters(&[(0, model), (10, model)], &["--provider", "anthropic-5m", "--minimum", "100000"]);
    assert_eq!((reads, printed.contains("below_minimum")), (vec![0, 0], false), "{printed}");
    // A model that is known brings its cache along.
    let (_, printed) = quarters(&[(0, r#""model":"claude-opus-4-5""#)], &[]);
    assert!(printed.contains("anthropic-5m"), "{printed}");
}

/// A file of bodies, and what each reads of the cache.
fn reads_of(bodies: &[String]) -> Vec<u64> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), format!(r#"{{"requests":[{}]}}"#, bodies.join(","))).unwrap();
    reads(&good(&["cache", file.path().to_str().unwrap()]))
}

/// The system prompt is marked for an hour, the last message for five minutes.
#[test]
fn bodies_in_anthropics_form_have_their_head_and_their_marks() {
    let text = |count: usize, mark: &str| format!(r#"[{{"type":"text","text":"{}"{mark}}}]"#, "seed ".repeat(count));
    let mark = |ttl: &str| format!(r#","cache_control":{{"type":"ephemeral"{ttl}}}"#);
    let (hour, short) = (mark(r#","ttl":"1h""#), mark(""));
    let message = |mark: &str| format!(r#"{{"role":"user","content":{}}}"#, text(300, mark));
    let list = |count: usize| [vec![message(""); count - 1], vec![message(&short)]].concat().join(",");
    let fields = r#""model":"claude-sonnet-4-6","max_tokens":9"#;
    let anthropic = |(second, count): (u64, usize)| {
        format!(r#"{{"at_s":{second},{fields},"system":{},"messages":[{}]}}"#, text(1_200, &hour), list(count))
    };
    let openai = |(second, count): (u64, usize)| {
        let system = format!(r#"{{"role":"system","content":{}}}"#, text(1_200, &hour));
        format!(r#"{{"at_s":{second},{fields},"messages":[{system},{}]}}"#, list(count))
    };
    // Exactly five minutes later both are read; a second more, and an hour, the system prompt alone; an hour and a second,
    // nothing.
    let times = [(0, 1), (300, 2), (601, 3), (4_201, 4), (7_802, 5)];
    let read = reads_of(&times.map(anthropic));
    assert_eq!((read[0], read[4]), (0, 0), "{read:?}");
    assert_eq!((read[1] - read[2], read[2]), (301, read[3]), "{read:?}");
    assert_eq!(reads_of(&times.map(openai)), read);
}

#[test]
fn a_setting_of_openai_is_before_the_whole_prompt_whatever_its_shape() {
    let body = |(second, setting): (usize, &str)| {
        let head = format!(r#"{{"role":"system","content":"{}"}}"#, "seed ".repeat(1_500));
        let messages = format!(r#"[{head},{{"role":"user","content":"hello"}}]"#);
        format!(r#"{{"at_s":{second},"model":"gpt-5",{setting},"messages":{messages}}}"#)
    };
    let settings = [
        r#""response_format":{"type":"text"}"#,
        r#""response_format":{"type":"text"}"#,
        r#""response_format":{"type":"json_object"}"#,
        r#""reasoning":{"effort":"low"}"#,
        r#""reasoning":{"effort":"high"}"#,
        // Which tool may be called stands behind the system prompt.
        r#""reasoning":{"effort":"high"},"tool_choice":{"type":"function","function":{"name":"a"}}"#,
    ];
    let bodies: Vec<String> = settings.into_iter().enumerate().map(body).collect();
    assert_eq!(reads_of(&bodies), [0, 1_408, 0, 0, 0, 1_408]);
}

/// Requests of 2,002 tokens, by second and model, and what each reads.
fn alike(requests: &[(u64, &str)]) -> Vec<u64> {
    let body = |&(second, model): &(u64, &str)| {
        let head = format!(r#"{{"role":"system","content":"{}"}}"#, "seed ".repeat(2_000));
        format!(r#"{{"at_s":{second},"model":"{model}","messages":[{head},{{"role":"user","content":"q"}}]}}"#)
    };
    reads_of(&requests.iter().map(body).collect::<Vec<_>>())
}

#[test]
fn each_body_meets_the_cache_of_its_own_model() {
    // The first model stores nothing below 4,096 tokens, the second from 512 on.
    let (large, small) = ("anthropic/claude-opus-4.5", "claude-opus-5");
    let read = alike(&[(0, large), (1, large), (2, small), (3, small), (4, large)]);
    assert_eq!(read.iter().map(|&read| read > 0).collect::<Vec<_>>(), [false, false, false, true, false], "{read:?}");
    // Another provider reads whole prefixes, the first one steps of 128.
    let read = alike(&[(0, "gpt-5"), (1, "gpt-5"), (2, small), (3, small), (4, "gpt-5")]);
    assert_eq!((read[1], read[2], read[4]), (1_920, 0, 1_920), "{read:?}");
    assert!(read[3] > 2_000, "{read:?}");
}

#[test]
fn requests_that_start_together_do_not_read_from_each_other() {
    let model = "claude-opus-5";
    let read = alike(&[(0, model), (0, model), (0, model), (1, model), (1, model)]);
    assert_eq!((read[0], read[1], read[2]), (0, 0, 0), "{read:?}");
    assert!(read[3] > 0 && read[3] == read[4], "{read:?}");
}
