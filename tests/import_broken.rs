//! What damaged, doubled or unusual records become, format by format: nothing is lost without a word, and nothing that is not
//! known is a number.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its file has failed")]

mod common;

use common::imported::{blocks, messages, prompts, roles, said, usages};
use cutpoint::import::{FindingKind, Imported, read_all};
use cutpoint::transcript::{Block, EntryKind, Message, Transcript};

fn one(text: &str) -> Imported {
    read_all(text.as_bytes()).unwrap().1.remove(0)
}

/// Kind, line and column of each finding.
fn found(imported: &Imported) -> Vec<(FindingKind, usize, Option<usize>)> {
    imported.findings.iter().map(|finding| (finding.kind, finding.line, finding.column)).collect()
}

/// What is said on the branch that is in force.
fn path(transcript: &Transcript) -> Vec<String> {
    let entries = transcript.path().into_iter().map(|at| &transcript.entry(at).kind);
    let said =
        entries.filter_map(|kind| if let EntryKind::Message(message) = kind { Some(said(message)) } else { None });
    said.collect()
}

/// A log entry of a gateway with this reply and usage.
fn chat(message: &str, usage: &str) -> Imported {
    one(&format!(
        r#"{{"model":"m","messages":[{{"role":"system","content":"s"}},{{"role":"user","content":"q"}}],
            "response":{{"choices":[{{"message":{message},"finish_reason":"stop"}}],"usage":{usage}}}}}"#
    ))
}

const HI: &str = r#"{"role":"assistant","content":"hi"}"#;

#[test]
fn a_usage_without_a_count_of_the_prompt_is_none() {
    let prompts = ["-5", "1e30", "12.5", "\"120\"", "null"];
    let all = prompts.into_iter().flat_map(|prompt| {
        [
            chat(HI, &format!(r#"{{"prompt_tokens":{prompt},"completion_tokens":5}}"#)),
            one(&format!(
                r#"{{"sessionId":"s","projectHash":"h","startTime":"t","messages":[{{"id":"1","type":"user","content":"q"}},
                {{"id":"2","type":"gemini","content":"a","tokens":{{"input":{prompt},"output":5,"cached":0}}}}]}}"#
            )),
            one(&format!(
                r#"{{"schema_version":"ATIF-v1.4","session_id":"s","agent":{{"name":"a"}},"steps":[
                {{"step_id":1,"source":"user","message":"q"}},{{"step_id":2,"source":"agent","message":"a",
                "metrics":{{"prompt_tokens":{prompt},"completion_tokens":5}}}}]}}"#
            )),
            one(&format!(
                r#"{{"version":2,"status":"success","eval":{{"model":"m"}},"plan":{{}},"samples":[{{"id":1,"epoch":1,"messages":[],
                "events":[{{"event":"model","input":[{{"role":"user","content":"q"}}],"output":{{"choices":[{{"message":{HI}}}],
                "usage":{{"input_tokens":{prompt},"output_tokens":5}}}}}}]}}]}}"#
            )),
            one(&format!(
                r#"{{"instance_id":"i","history":[{{"id":0,"source":"user","action":"message","args":{{"content":"q"}}}},
                {{"id":1,"source":"agent","action":"run","args":{{}},"tool_call_metadata":{{"function_name":"f","tool_call_id":"c",
                "model_response":{{"id":"r","choices":[]}}}}}}],"metrics":{{"token_usages":[{{"response_id":"r",
                "prompt_tokens":{prompt},"completion_tokens":5}}]}}}}"#
            )),
        ]
    });
    let thoughts =
        one(r#"{"sessionId":"s","projectHash":"h","startTime":"t","messages":[{"id":"1","type":"user","content":"q"},
        {"id":"2","type":"gemini","content":"a","tokens":{"thoughts":20}}]}"#);
    for imported in all.chain([thoughts]) {
        assert_eq!(usages(&imported.transcript), [], "{:?}", imported.findings);
        let told = |finding: &cutpoint::import::Finding| finding.message.contains("without a count of the prompt");
        assert_eq!(imported.findings.iter().filter(|finding| told(finding)).count(), 1, "{:?}", imported.findings);
        assert_eq!(roles(&imported.transcript), ["user", "assistant"]);
    }
}

#[test]
fn names_and_total_tell_whether_a_prompt_includes_the_cache() {
    // Usage; uncached, read, context after the reply.
    let rows = [
        // The names of Anthropic: exclusive, whether the cached part is larger or not.
        (r#"{"input_tokens":7,"cache_read_input_tokens":9000,"output_tokens":300}"#, 7, 9_000, 9_307),
        (r#"{"input_tokens":12000,"cache_read_input_tokens":9000,"output_tokens":300}"#, 12_000, 9_000, 21_300),
        // The Responses API, and a gateway that adds Anthropic's names to OpenAI's: inclusive.
        (
            r#"{"input_tokens":12000,"input_tokens_details":{"cached_tokens":9000},"output_tokens":300}"#,
            3_000,
            9_000,
            12_300,
        ),
        (r#"{"prompt_tokens":12000,"cache_read_input_tokens":9000,"completion_tokens":300}"#, 3_000, 9_000, 12_300),
        // A total that is larger by the cached part: exclusive. 10,000 + 9,000 + 300 = 19,300.
        (
            r#"{"prompt_tokens":10000,"cache_read_input_tokens":9000,"completion_tokens":300,"total_tokens":19300}"#,
            10_000,
            9_000,
            19_300,
        ),
    ];
    for (usage, input, read, context) in rows {
        let imported = chat(HI, usage);
        let counted = usages(&imported.transcript)[0];
        assert_eq!((counted.input, counted.cache_read, counted.context().0), (input, read, context), "{usage}");
        assert_eq!(imported.findings, [], "{usage}");
    }
    // 7 + 9,000 + 300: the total was made without the cache and is no size of the context.
    let lang = one(
        r#"{"values":{"messages":[{"type":"human","content":"q","id":"h"},{"type":"ai","content":"a","id":"a","usage_metadata":
        {"input_tokens":7,"output_tokens":300,"total_tokens":307,"input_token_details":{"cache_read":9000}}}]},"checkpoint":{}}"#,
    );
    assert_eq!(usages(&lang.transcript)[0].context().0, 9_307);
}

#[test]
fn all_that_a_reply_says_beside_its_content_is_kept() {
    let thoughts = |message: &str| {
        let imported = chat(message, "{}");
        assert_eq!(imported.findings, [], "{message}");
        let mut all = Vec::new();
        for block in messages(&imported.transcript)[1].blocks() {
            all.push(match block {
                Block::Thinking { text, signature, .. } => {
                    (text.as_str().to_owned(), signature.as_deref().map(str::to_owned))
                }
                Block::Text(text) => (format!("said {}", text.as_str()), None),
                other => panic!("{other:?}"),
            });
        }
        all.into_iter().map(|(text, signature)| format!("{text}/{}", signature.unwrap_or_default())).collect::<Vec<_>>()
    };
    let blocks = r#""thinking_blocks":[{"type":"thinking","thinking":"a","signature":"S"},
        {"type":"thinking","thinking":"b","signature":"T"},{"type":"redacted_thinking","data":"R"}]"#;
    assert_eq!(thoughts(&format!(r#"{{"role":"assistant","content":"x",{blocks}}}"#)), ["a/S", "b/T", "/R", "said x/"]);
    let details = r#""reasoning":"a","reasoning_details":[{"type":"reasoning.encrypted","data":"R"}]"#;
    assert_eq!(thoughts(&format!(r#"{{"role":"assistant","content":"x",{details}}}"#)), ["a/", "/R", "said x/"]);
    let details = r#""reasoning":"a","reasoning_details":[{"type":"reasoning.text","text":"a","signature":"S"}]"#;
    assert_eq!(thoughts(&format!(r#"{{"role":"assistant","content":"x",{details}}}"#)), ["a/S", "said x/"]);
    let twice = r#"{"role":"assistant","content":[{"type":"thinking","thinking":"a","signature":"S"},{"type":"text","text":"x"}],
        "reasoning_content":"a"}"#;
    assert_eq!(thoughts(twice), ["a/S", "said x/"], "said in both places");
    assert_eq!(thoughts(r#"{"role":"assistant","content":null,"refusal":"no"}"#), ["said no/"]);
    assert_eq!(
        thoughts(r#"{"role":"assistant","content":null,"audio":{"id":"a","data":"QUJD","transcript":"t"}}"#),
        ["said t/"]
    );
}

#[test]
fn sound_films_and_documents_are_no_text() {
    let parts = [
        r#"{"type":"input_audio","input_audio":{"data":"QUJD","format":"wav"}}"#,
        r#"{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,QUJD"}}"#,
        r#"{"type":"file","file":{"file_id":"f-1"}}"#,
        r#"{"type":"input_file","file_url":"https://x.test/a.pdf"}"#,
        r#"{"type":"video_url","video_url":{"url":"data:video/mp4;base64,QUJD"}}"#,
        // LangChain, then Inspect.
        r#"{"type":"media","mime_type":"audio/wav","data":"QUJD"}"#,
        r#"{"type":"file","source_type":"base64","mime_type":"application/pdf","data":"QUJD"}"#,
        r#"{"type":"audio","audio":"data:audio/wav;base64,QUJD","format":"wav"}"#,
        r#"{"type":"document","document":"data:application/pdf;base64,QUJD"}"#,
    ];
    let list = format!(r#"[{{"role":"system","content":"s"}},{{"role":"user","content":[{}]}}]"#, parts.join(","));
    let imported = one(&list);
    assert_eq!(imported.findings, []);
    let kept: Vec<_> = messages(&imported.transcript)[0]
        .blocks()
        .iter()
        .map(
            |block| {
                if let Block::Image(image) = block { (&*image.media_type, &*image.data) } else { panic!("{block:?}") }
            },
        )
        .collect();
    let (pdf, wav) = (("application/pdf", "QUJD"), ("audio/wav", "QUJD"));
    let address = |at| ("text/uri-list", at);
    assert_eq!(kept[..5], [wav, pdf, address("f-1"), address("https://x.test/a.pdf"), ("video/mp4", "QUJD")]);
    assert_eq!(kept[5..], [wav, pdf, wav, pdf]);
    let past = cutpoint::export::Past::Full;
    let body = cutpoint::export::body(&imported.transcript, past, &mut cutpoint::export::Report::default());
    let kinds: Vec<_> =
        body["messages"][1]["content"].as_array().unwrap().iter().map(|part| part["type"].as_str().unwrap()).collect();
    let address = "image_url";
    assert_eq!(kinds[..5], ["input_audio", "file", address, address, "video_url"], "as they came, but for addresses");
    let text = r#"[{"role":"system","content":"s"},{"role":"user","content":[{"type":"document","source":{"type":"text","data":"t"}}]}]"#;
    assert_eq!(
        blocks(&one(text).transcript, |block| matches!(block, Block::Image(_))),
        0,
        "a document of text is none"
    );
}

#[test]
fn schemas_count_once_and_what_is_no_list_is_not_known() {
    let body = |fields: &str| {
        one(&format!(r#"{{"messages":[{{"role":"system","content":"s"}},{{"role":"user","content":"q"}}],{fields}}}"#))
    };
    let tool = r#"{"name":"f","description":"d","parameters":{}}"#;
    let both = body(&format!(r#""tools":[{{"type":"function","function":{tool}}}],"functions":[{tool}]"#));
    assert_eq!(both.transcript.head.tools.map(|tools| tools.len()), Some(1));
    for odd in [r#""tools":{"a":1}"#, r#""tools":"none""#] {
        let imported = body(odd);
        assert_eq!((imported.transcript.head.tools.is_none(), imported.findings.len()), (true, 1), "{odd}");
    }
}

#[test]
fn one_line_may_have_two_faults_of_two_kinds() {
    let header = r#"{"type":"session","version":3,"id":"s","cwd":"/"}"#;
    let line = r#"{"type":"message","id":"1","parentId":null,"message":{"role":"user","content":"q","weight":NaN,"note":"a	b"}}"#;
    let imported = one(&format!("{header}\n{line}\n"));
    assert_eq!(path(&imported.transcript), ["q"]);
    let at = |mark: &str| (FindingKind::MalformedLine, 2, line.find(mark).map(|at| at + 1));
    assert_eq!(found(&imported), [at("NaN"), at("\t")]);
}

#[test]
fn what_python_writes_for_no_number_costs_one_value() {
    let document = r#"{"trajectory_format":"mini-swe-agent-1.1","info":{},"messages":[{"role":"user","content":"NaN"},
{"role":"assistant","content":"a","extra":{"cost":NaN,"response":{"usage":{"prompt_tokens":10,"completion_tokens":Infinity}}}}]}"#;
    let imported = one(document);
    assert_eq!((roles(&imported.transcript), prompts(&imported.transcript)), (vec!["user", "assistant"], 10));
    assert_eq!(said(messages(&imported.transcript)[0]), "NaN", "in a string it is text");
    // `{"role":"assistant","content":"a","extra":{"cost":` are 50 characters.
    assert_eq!(found(&imported), [(FindingKind::MalformedLine, 2, Some(51))]);

    let pi = r#"{"type":"session","version":3,"id":"s","timestamp":"t","cwd":"/"}
{"type":"message","id":"1","parentId":null,"timestamp":"t","message":{"role":"assistant","content":[],"api":"a","provider":"p","model":"m","usage":{"input":5,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":6,"cost":{"total":-Infinity}},"stopReason":"stop","timestamp":1}}"#;
    let imported = one(pi);
    assert_eq!((prompts(&imported.transcript), imported.lines.left_out), (5, 0));
    assert_eq!(imported.findings[0].kind, FindingKind::MalformedLine);
    assert_eq!(imported.findings[0].column, pi.lines().nth(1).unwrap().find("-Infinity").map(|at| at + 1));
}

/// A line of a Codex rollout with one message.
fn item(role: &str, text: &str) -> String {
    let part = if role == "assistant" { "output_text" } else { "input_text" };
    let content = format!(r#"[{{"type":"{part}","text":"{text}"}}]"#);
    format!(
        r#"{{"timestamp":"t","type":"response_item","payload":{{"type":"message","role":"{role}","content":{content}}}}}"#
    )
}

#[test]
fn codex_turns_that_were_taken_back_are_a_branch_that_was_left() {
    let header = r#"{"timestamp":"t","type":"session_meta","payload":{"id":"s","timestamp":"t"}}"#.to_owned();
    let back = |turns: &str| {
        format!(
            r#"{{"timestamp":"t","type":"event_msg","payload":{{"type":"thread_rolled_back","num_turns":{turns}}}}}"#
        )
    };
    let session = |turns: &str| {
        let lines = [
            header.clone(),
            item("user", "<environment_context>e"),
            item("user", "one"),
            item("assistant", "a"),
            item("user", "two"),
            item("user", "<turn_aborted>"),
            item("assistant", "b"),
            back(turns),
            item("user", "three"),
            item("assistant", "c"),
        ];
        one(&lines.join("\n"))
    };
    let start = "<environment_context>e";
    assert_eq!(path(&session("1").transcript), [start, "one", "a", "three", "c"]);
    assert_eq!(path(&session("2").transcript), [start, "three", "c"]);
    let more = session("5");
    assert_eq!(path(&more.transcript), [start, "three", "c"], "all of them");
    assert_eq!(found(&more), [(FindingKind::MissingTarget, 8, Some(1))]);
    let unknown = session("null");
    assert_eq!((path(&unknown.transcript).len(), found(&unknown)), (8, vec![(FindingKind::BadField, 8, Some(1))]));
    // A file that ends with it: the turn is gone all the same.
    let end = [header.clone(), item("user", "one"), item("assistant", "a"), item("user", "two"), back("1")];
    assert_eq!(path(&one(&end.join("\n")).transcript), ["one", "a"]);
}

#[test]
fn gemini_messages_that_a_new_list_lacks_are_left() {
    let session = |list: &str| {
        let patch = format!(r#"{{"$set":{{"messages":[{list}]}}}}"#);
        let lines = [
            r#"{"sessionId":"s","projectHash":"h","startTime":"t"}"#,
            r#"{"id":"1","type":"user","content":"one"}"#,
            r#"{"id":"2","type":"gemini","content":"a"}"#,
            r#"{"id":"3","type":"user","content":"two"}"#,
            r#"{"id":"4","type":"gemini","content":"b"}"#,
            &patch,
            r#"{"id":"5","type":"user","content":"three"}"#,
        ];
        one(&lines.join("\n"))
    };
    let message = |id: u8, kind: &str, text: &str| format!(r#"{{"id":"{id}","type":"{kind}","content":"{text}"}}"#);
    let (one, two) = (message(1, "user", "one"), message(2, "gemini", "A"));
    let shorter = session(&[one.clone(), two.clone()].join(","));
    assert_eq!((path(&shorter.transcript), found(&shorter)), (["one", "A", "three"].map(String::from).into(), vec![]));
    let all = [one.clone(), two.clone(), message(3, "user", "two"), message(4, "gemini", "b")].join(",");
    let whole = session(&all);
    assert_eq!((path(&whole.transcript).len(), found(&whole)), (5, vec![]));
    // Left by one list, and in the next one again.
    let again = session(&format!("{one},{two}]}}}}\n{{\"$set\":{{\"messages\":[{all}"));
    assert_eq!(path(&again.transcript), ["one", "A", "three"]);
    assert_eq!(found(&again), [(FindingKind::MissingTarget, 7, Some(1))]);
    let torn = session(&[one, message(3, "user", "two")].join(","));
    assert_eq!(path(&torn.transcript), ["one", "three"]);
    assert_eq!(found(&torn), [(FindingKind::MissingTarget, 6, Some(1))]);
    // What cannot be told apart takes nothing back, and says so.
    let nameless = session(&[message(6, "user", "new"), r#"{"type":"user","content":"one"}"#.to_owned()].join(","));
    assert_eq!((path(&nameless.transcript).len(), found(&nameless)), (6, vec![(FindingKind::BadField, 6, Some(1))]));
}

#[test]
fn a_record_that_is_written_twice_counts_once() {
    let step = r#"{"step_id":2,"source":"agent","message":"a","metrics":{"prompt_tokens":100,"completion_tokens":3}}"#;
    let other = step.replace("\"a\"", "\"other\"");
    let atif = |second: &str| {
        one(&format!(
            r#"{{"schema_version":"ATIF-v1.4","session_id":"s","agent":{{"name":"a"}},"steps":[
            {{"step_id":1,"source":"user","message":"q"}},{step},{second}]}}"#
        ))
    };
    let copied = atif(step);
    assert_eq!((prompts(&copied.transcript), copied.findings[0].kind), (100, FindingKind::DuplicateId));
    assert_eq!(prompts(&atif(&other).transcript), 200, "another step of the same number is no copy");

    let event = r#"{"kind":"MessageEvent","id":"1","source":"user","llm_message":{"role":"user","content":[{"type":"text","text":"q"}]}}"#;
    let answer = event.replace("\"1\"", "\"2\"").replace("\"user\"", "\"agent\"");
    let copied = one(&[event, event, &answer].join("\n"));
    assert_eq!(roles(&copied.transcript), ["user", "assistant"]);
    assert_eq!(found(&copied), [(FindingKind::DuplicateId, 2, Some(1))]);
}

#[test]
fn an_attachment_that_is_not_there_is_reported() {
    let log = |attachments: &str, content: &str| {
        one(&format!(
            r#"{{"version":2,"status":"success","eval":{{"model":"m"}},"plan":{{}},"samples":[{{"id":1,"epoch":1,"events":[],
            "attachments":{attachments},"messages":[{{"role":"user","content":"{content}"}},{HI}]}}]}}"#
        ))
    };
    let there = log(r#"{"ab12":"text"}"#, "attachment://ab12");
    assert_eq!((said(messages(&there.transcript)[0]), found(&there)), ("text".to_owned(), vec![]));
    let missing = log("{}", "attachment://ab12");
    assert_eq!(missing.findings.len(), 1);
    assert!(missing.findings[0].message.contains("`ab12`"), "{:?}", missing.findings);
    // A text that speaks of attachments names none.
    assert_eq!(found(&log("{}", "attachment://ab12 is how logs name it")), []);
    assert_eq!(found(&log("{}", r#"see \"attachment://x\" there"#)), []);
}

#[test]
fn a_response_among_the_messages_of_mini_swe_agent_is_a_reply() {
    let imported = one(
        r#"{"trajectory_format":"mini-swe-agent-1.1","info":{},"messages":[{"role":"user","content":"q"},
        {"object":"response","model":"m","output":[{"type":"reasoning","summary":[{"type":"summary_text","text":"t"}],"encrypted_content":"E"},
         {"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]},
         {"type":"function_call","name":"bash","arguments":"{\"command\":\"ls\"}","call_id":"c"}],
         "usage":{"input_tokens":100,"input_tokens_details":{"cached_tokens":40},"output_tokens":5},"extra":{"cost":0.5}},
        {"type":"function_call_output","call_id":"c","output":"o"}]}"#,
    );
    assert_eq!((roles(&imported.transcript), found(&imported)), (vec!["user", "assistant", "result"], vec![]));
    let usage = usages(&imported.transcript)[0];
    assert_eq!(
        (usage.input, usage.cache_read, usage.output, usage.cost.map(|cost| cost.total)),
        (60, 40, 5, Some(0.5))
    );
    let replies = messages(&imported.transcript);
    assert!(
        matches!(replies[1].blocks(), [Block::Thinking { .. }, Block::Text(_), Block::ToolCall(call)] if &*call.id == "c")
    );
    assert!(matches!(replies[2], Message::ToolResult(result) if &*result.tool == "bash"));
}

#[test]
fn pi_says_which_compactions_keep_nothing_and_where_a_field_is_missing() {
    let header = r#"{"type":"session","version":3,"id":"s","timestamp":"t","cwd":"/"}"#;
    let user = |id: &str, parent: &str| {
        format!(
            r#"{{"type":"message","id":"{id}","parentId":{parent},"timestamp":"t","message":{{"role":"user","content":"q"}}}}"#
        )
    };
    let session = |kept: &str| {
        let compaction = format!(
            r#"{{"type":"compaction","id":"c","parentId":"a","timestamp":"t","summary":"s","firstKeptEntryId":"{kept}","tokensBefore":5}}"#
        );
        one(&[header, &user("a", "null"), &user("b", "\"a\""), &compaction, &user("d", "\"c\"")].join("\n"))
    };
    for (kept, expected) in [("a", vec![]), ("c", vec![]), ("b", vec![4]), ("d", vec![4]), ("none", vec![4])] {
        let lines: Vec<_> = session(kept).findings.iter().map(|finding| finding.line).collect();
        assert_eq!(lines, expected, "{kept}");
    }
    let line = r#"{"type":"message","id":"a","parentId":null,"timestamp":"t","message":{"role":"user","content":[{"type":"text","text":"q"},{"type":"image","data":"QUJD"}]}}"#;
    let column = line.find(r#"{"type":"image""#).map(|at| at + 1);
    assert_eq!(found(&one(&[header, line].join("\n"))), [(FindingKind::BadField, 2, column)]);
    let body = r#"{"model":"m","max_tokens":9,"system":"s","messages":[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"tool_use","name":"f","input":{}}]}]}"#;
    let column = body.find(r#"{"type":"tool_use""#).map(|at| at + 1);
    assert_eq!(found(&one(body)), [(FindingKind::BadField, 1, column)]);
}

#[test]
fn text_of_two_bytes_a_character_is_named_without_a_mark() {
    let text = r#"{"type":"session","version":3,"id":"s"}"#;
    for bytes in [
        text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>(),
        text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
    ] {
        let error = read_all(&bytes).unwrap_err().to_string();
        assert!(error.contains("UTF-16"), "{error}");
    }
}

#[test]
fn the_leaf_that_openclaw_names_is_the_end_of_the_branch() {
    let header = r#"{"type":"session","version":3,"id":"s","timestamp":"t","cwd":"/"}"#;
    let user = |id: &str, parent: &str| {
        format!(
            r#"{{"type":"message","id":"{id}","parentId":{parent},"timestamp":"t","message":{{"role":"user","content":"{id}"}}}}"#
        )
    };
    let session = |target: &str, more: &str| {
        let leaf = format!(
            r#"{{"type":"leaf","id":"l","parentId":"c","timestamp":"t","targetId":"{target}","appendMode":"side"}}"#
        );
        one([header, &user("a", "null"), &user("b", "\"a\""), &user("c", "\"b\""), &leaf, more].join("\n").trim_end())
    };
    let there = session("b", "");
    assert_eq!((path(&there.transcript), found(&there)), (vec!["a".to_owned(), "b".to_owned()], vec![]));
    let missing = session("none", "");
    assert_eq!((path(&missing.transcript).len(), found(&missing)), (3, vec![(FindingKind::MissingTarget, 5, Some(1))]));
    // What follows says itself where it hangs.
    assert_eq!(path(&session("b", &user("d", "\"a\"")).transcript), ["a", "d"]);
    let mut bytes = Vec::new();
    cutpoint::import::pi::write(&there.transcript, &mut bytes).unwrap();
    assert_eq!(path(&one(std::str::from_utf8(&bytes).unwrap()).transcript), ["a", "b"], "written and read again");
}

#[test]
fn states_of_a_thread_that_fork_are_branches() {
    let state = |messages: &[(&str, &str)], time: u8| {
        let messages =
            messages.iter().map(|(id, text)| format!(r#"{{"type":"human","content":"{text}","id":"{id}"}}"#));
        let messages = messages.collect::<Vec<_>>().join(",");
        format!(
            r#"{{"values":{{"messages":[{messages}]}},"thread_id":"t","checkpoint":{{}},"created_at":"2026-01-01T00:00:0{time}Z"}}"#
        )
    };
    let history = |states: &[String]| one(&format!("[{}]", states.join(",")));
    let (h, a, b) = (("h", "one"), ("a", "left"), ("b", "taken"));
    // Newest first, as servers give them.
    let fork = history(&[state(&[h, b], 3), state(&[h, a], 2), state(&[h], 1)]);
    assert_eq!(
        (path(&fork.transcript), fork.transcript.entries.len()),
        (vec!["one".to_owned(), "taken".to_owned()], 3)
    );
    let back = history(&[state(&[h, a, ("c", "more")], 4), state(&[h, b], 3), state(&[h, a], 2)]);
    assert_eq!(path(&back.transcript), ["one", "left", "more"], "the first branch goes on");
    let empty = history(&[state(&[h, a, b], 3), state(&[], 2), state(&[h, a], 1)]);
    assert_eq!(path(&empty.transcript), ["one", "left", "taken"], "a state without messages takes nothing back");
    // A fork behind a compaction has its summary before it, whether a message that it kept is shared or none.
    let (summary, other) = (("s", "summary"), ("c", "other"));
    for kept in [&[a][..], &[]] {
        let with = |more: &[(&'static str, &'static str)]| [&[summary], kept, more].concat();
        let states = [state(&with(&[other]), 4), state(&with(&[b]), 3), state(&with(&[]), 2), state(&[h, a], 1)];
        let forked = history(&states);
        let is_compaction = |at| matches!(forked.transcript.entry(at).kind, EntryKind::Compaction(_));
        assert!(forked.transcript.path().into_iter().any(is_compaction), "{kept:?}");
        assert_eq!(path(&forked.transcript).last().map(String::as_str), Some("other"));
        assert!(!path(&forked.transcript).contains(&"taken".to_owned()));
    }
    let trimmed = history(&[state(&[a, b], 2), state(&[h, a], 1)]);
    assert_eq!(path(&trimmed.transcript), ["one", "left", "taken"], "what lacks the start is no fork");
    let twice = history(&[state(&[h, a, ("a", "again")], 1)]);
    assert_eq!(path(&twice.transcript), ["one", "again"], "of two with one id the later one counts");
    assert_eq!(twice.findings.iter().map(|finding| finding.kind).collect::<Vec<_>>(), [FindingKind::DuplicateId]);
}

#[test]
fn an_answer_that_was_logged_twice_is_one_call() {
    let chat = |id: &str, said: &str| {
        format!(
            r#"{{"model":"m","messages":[{{"role":"system","content":"s"}},{{"role":"user","content":"q"}}],"response":{{"id":"{id}",
            "choices":[{{"message":{{"role":"assistant","content":"{said}"}}}}],"usage":{{"prompt_tokens":10,"completion_tokens":2}}}}}}"#
        )
        .replace('\n', "")
    };
    let messages = |id: &str, said: &str| {
        format!(
            r#"{{"request":{{"url":"https://api.anthropic.com/v1/messages","body":{{"model":"m","max_tokens":9,"system":"s",
            "messages":[{{"role":"user","content":"q"}}]}}}},"response":{{"status_code":200,"body":{{"id":"{id}","role":"assistant",
            "content":[{{"type":"text","text":"{said}"}}],"usage":{{"input_tokens":10,"output_tokens":2}}}}}}}}"#
        )
        .replace('\n', "")
    };
    let prompts_of = |lines: [String; 2]| {
        let read = read_all(lines.join("\n").as_bytes()).unwrap().1;
        let found: Vec<_> = read.iter().flat_map(found).collect();
        (read.iter().map(|one| prompts(&one.transcript)).sum::<u64>(), found)
    };
    for log in [&chat as &dyn Fn(&str, &str) -> String, &messages] {
        let copied = prompts_of([log("1", "a"), log("1", "a")]);
        assert_eq!(copied, (10, vec![(FindingKind::DuplicateId, 2, Some(1))]));
        assert_eq!(prompts_of([log("1", "a"), log("2", "a")]), (20, vec![]), "asked twice");
        assert_eq!(prompts_of([log("1", "a"), log("1", "b")]), (20, vec![]), "an id that a server gives again");
        assert_eq!(prompts_of([log("", "a"), log("", "a")]), (20, vec![]), "an empty id is none");
    }
}

#[test]
fn an_answer_of_tau2_has_the_id_of_its_call() {
    let imported =
        one(r#"{"simulations":[{"id":"x","messages":[{"role":"user","content":"q"},{"role":"assistant","content":null,
        "tool_calls":[{"id":"c","name":"f","arguments":{"a":1},"requestor":"assistant"}]},
        {"id":"c","role":"tool","content":"r","requestor":"assistant","error":true}]}]}"#);
    assert_eq!(found(&imported), []);
    let Message::ToolResult(result) = messages(&imported.transcript)[2] else { panic!() };
    assert_eq!((&*result.call_id, &*result.tool, result.is_error), ("c", "f", true));
}

#[test]
fn a_first_message_that_stands_behind_its_reply_is_first() {
    let row = |uuid: &str, parent: &str, role: &str, time: u8| {
        format!(
            r#"{{"parentUuid":{parent},"sessionId":"s","type":"{role}","uuid":"{uuid}","timestamp":"2026-01-01T00:00:0{time}Z","message":{{"id":"{uuid}","role":"{role}","content":[{{"type":"text","text":"{uuid}"}}]}}}}"#
        )
    };
    let (q, a) = (row("q", "null", "user", 1), row("a", "\"q\"", "assistant", 2));
    let (more, last) = (row("more", "\"a\"", "user", 3), row("last", "\"more\"", "assistant", 4));
    let imported = one(&[a, q, more, last].join("\n"));
    assert_eq!(path(&imported.transcript), ["q", "a", "more", "last"]);
    assert_eq!(found(&imported), [(FindingKind::MissingParent, 1, Some(16))]);
}
