use super::super::block::{Block, Layer, Sort};
use super::super::placement::Placement;
use super::super::preset::preset;
use super::super::rules::{Places, Seconds};
use super::*;

/// Every letter is a block: capitals are the head, small letters messages. The number is the tokens of each.
fn prompt(words: &str, tokens: u64) -> Prompt {
    let mut prompt = Prompt::new(Settings::default());
    for word in words.chars() {
        let (layer, sort) =
            if word.is_uppercase() { (Layer::System, Sort::System) } else { (Layer::Messages, Sort::User) };
        prompt.push(Block::new(layer, sort, &word.to_string(), Tokens(tokens)));
    }
    prompt
}

fn rules(name: &str) -> Rules {
    preset(name).unwrap().rules
}

fn send(cache: &mut Simulator, words: &str, second: i64, marks: &[(usize, Life)]) -> Outcome {
    let prompt = prompt(words, 1_000);
    let marks: Vec<Breakpoint> = marks.iter().map(|&(blocks, life)| Breakpoint { blocks, life }).collect();
    cache.send(&Request::new(Millis(second * 1_000), &prompt, &marks))
}

fn split(outcome: Outcome) -> [u64; 4] {
    let Split { read, write, write_long, plain } = outcome.split;
    [read.0, write.0, write_long.0, plain.0]
}

const SHORT: Life = Life::Short;
const LONG: Life = Life::Long;

#[test]
fn lifetimes_may_be_mixed() {
    let mut cache = Simulator::new(rules("anthropic-5m"));
    // A = 0, B = 2 blocks for an hour, C = 4 blocks for five minutes, the fifth is plain.
    assert_eq!(split(send(&mut cache, "SHabc", 0, &[(2, LONG), (4, SHORT)])), [0, 2_000, 2_000, 1_000]);
    // After ten minutes the head alone lives.
    let later = send(&mut cache, "SHabc", 600, &[(2, LONG), (4, SHORT)]);
    assert_eq!(split(later), [2_000, 2_000, 0, 1_000]);
    let missed = later.missed.unwrap();
    assert_eq!((missed.reason, missed.lost, missed.lifetime), (BreakReason::Expired, Tokens(2_000), Tokens(2_000)));
    // A small change beside a death is not the reason.
    let mut other = Simulator::new(rules("anthropic-5m"));
    send(&mut other, "SHabc", 0, &[(4, SHORT), (5, SHORT)]);
    assert_eq!(send(&mut other, "SHabx", 600, &[(4, SHORT), (5, SHORT)]).missed.unwrap().reason, BreakReason::Expired);
    // After an hour more, nothing does.
    assert_eq!(split(send(&mut cache, "SHabc", 4_300, &[(2, LONG), (4, SHORT)])), [0, 2_000, 2_000, 1_000]);
}

#[test]
fn a_breakpoint_looks_back_twenty_blocks_its_own_included() {
    let run = |added: usize, second: &[usize]| {
        let mut cache = Simulator::new(Rules { minimum: Tokens(1_000), ..rules("anthropic-5m") });
        send(&mut cache, "Sa", 0, &[(1, SHORT), (2, SHORT)]);
        let words: String = "Sa".chars().chain(('b'..).take(added)).collect();
        let mut marks = vec![(1, SHORT)];
        marks.extend(second.iter().map(|&at| (at, SHORT)));
        marks.push((2 + added, SHORT));
        send(&mut cache, &words, 10, &marks)
    };
    assert_eq!(split(run(19, &[]))[0], 2_000);
    let far = run(20, &[]);
    assert_eq!((split(far)[0], far.missed.unwrap().reason), (1_000, BreakReason::LookBack));
    assert_eq!(far.missed.unwrap().placement, Tokens(1_000));
    // Another breakpoint on the way opens its own window.
    assert_eq!(split(run(25, &[15]))[0], 2_000);
}

#[test]
fn below_the_minimum_nothing_is_cached() {
    let mut cache = Simulator::new(Rules { minimum: Tokens(4_096), ..rules("anthropic-5m") });
    assert_eq!(split(send(&mut cache, "Sabc", 0, &[(4, SHORT)])), [0, 0, 0, 4_000]);
    assert_eq!(split(send(&mut cache, "Sabcd", 1, &[(5, SHORT)])), [0, 5_000, 0, 0]);
    assert_eq!(split(send(&mut cache, "Sabcde", 2, &[(6, SHORT)])), [5_000, 1_000, 0, 0]);
}

#[test]
fn a_read_restarts_the_timer_or_not() {
    let run = |refresh| {
        let mut cache = Simulator::new(Rules { refresh, ..rules("anthropic-5m") });
        [0, 200, 400, 600, 950].map(|second| split(send(&mut cache, "Sa", second, &[(2, SHORT)]))[0] > 0)
    };
    assert_eq!(run(Refresh::Marked), [false, true, true, true, false]);
    assert_eq!(run(Refresh::Hit), [false, true, true, true, false]);
    assert_eq!(run(Refresh::Never), [false, true, false, true, false]);
}

#[test]
fn steps_are_whole_and_a_shared_part_of_a_block_counts() {
    let mut cache = Simulator::new(rules("openai-legacy"));
    assert_eq!(split(send(&mut cache, "Sab", 0, &[])), [0, 0, 0, 3_000]);
    // 3,000 shared tokens are 23 steps of 128.
    let grown = send(&mut cache, "Sabc", 10, &[]);
    assert_eq!((split(grown), grown.missed), ([2_944, 0, 0, 1_056], None));
    // The third block differs behind its first 500 tokens: 2,500 shared tokens are 19 steps.
    let changed = prompt("Saxy", 1_000);
    let request = Request { shared: Some(Tokens(2_500)), ..Request::new(Millis(20_000), &changed, &[]) };
    let outcome = cache.send(&request);
    assert_eq!(outcome.split.read, Tokens(2_432));
    let missed = outcome.missed.unwrap();
    // 4,000 were sent before, 31 steps: 3,968 were cached, 1,468 of them differ, 68 lie in no whole step.
    assert_eq!(
        (missed.reason, missed.content, missed.granularity),
        (BreakReason::BlockChanged, Tokens(1_468), Tokens(68))
    );
    assert_eq!(send(&mut cache, "Saxy", 1_000, &[]).missed.unwrap().reason, BreakReason::Expired);
}

#[test]
fn the_last_token_is_computed_anew() {
    let mut cache = Simulator::new(rules("vllm"));
    send(&mut cache, "Sabcdefghijklmno", 0, &[]);
    // 16,000 tokens are 1,000 whole blocks; the last is not reused when the same prompt comes again.
    let again = send(&mut cache, "Sabcdefghijklmno", 1, &[]);
    assert_eq!((again.split.read, again.missed), (Tokens(15_984), None));
    // The answer is stored with its prompt: 2,000 tokens and 1,000 more, in whole blocks.
    let (first, grown) = (prompt("Sa", 1_000), prompt("Sarq", 1_000));
    let answer = [grown.links()[2].block.digest];
    cache.send(&Request { answer: &answer, ..Request::new(Millis(2), &first, &[]) });
    assert_eq!(cache.send(&Request::new(Millis(3), &grown, &[])).split.read, Tokens(2_992));
    let capacity = Some(Tokens(2_000));
    let mut small = Simulator::new(Rules { capacity, ..rules("sglang") });
    send(&mut small, "Sab", 0, &[]);
    let evicted = send(&mut small, "Sabc", 1, &[]);
    assert_eq!((evicted.split.read, evicted.missed.unwrap().reason), (Tokens(2_000), BreakReason::Evicted));
}

#[test]
fn a_stored_breakpoint_has_no_shorter_fallback() {
    let mut cache = Simulator::new(rules("openai-5.6"));
    assert_eq!(split(send(&mut cache, "SHab", 0, &[])), [0, 4_000, 0, 0]);
    assert_eq!(split(send(&mut cache, "SHabcd", 1, &[])), [4_000, 2_000, 0, 0]);
    // A compaction keeps the head; no entry ends there.
    let after = prompt("SHsx", 1_000);
    let request = Request { cause: Some(Cause::Compaction), ..Request::new(Millis(2_000), &after, &[]) };
    let outcome = cache.send(&request);
    assert_eq!(split(outcome), [0, 4_000, 0, 0]);
    let missed = outcome.missed.unwrap();
    assert_eq!(
        (missed.reason, missed.content, missed.placement),
        (BreakReason::Compaction, Tokens(4_000), Tokens(2_000))
    );
    // With a breakpoint of its own it is read.
    let mut cache = Simulator::new(rules("openai-5.6-head"));
    let head = [(2, SHORT)];
    send(&mut cache, "SHab", 0, &head);
    assert_eq!(split(send(&mut cache, "SHsx", 1, &head)), [2_000, 2_000, 0, 0]);
}

#[test]
fn only_the_newest_entries_are_considered() {
    let matching = Matching::Stored { latest: Some(2), prompt_end: true, answer_end: false, common_prefix: false };
    let mut cache = Simulator::new(Rules { matching, ..rules("openai-5.6") });
    for words in ["Sa", "Sb", "Sc"] {
        send(&mut cache, words, 0, &[]);
    }
    assert_eq!(split(send(&mut cache, "Sbx", 1, &[]))[0], 2_000);
    assert_eq!(split(send(&mut cache, "Sax", 1, &[]))[0], 0);
}

#[test]
fn a_noticed_prefix_serves_the_third_request() {
    let mut cache = Simulator::new(rules("deepseek-v4"));
    assert_eq!(split(send(&mut cache, "Sabc", 0, &[])), [0, 0, 0, 4_000]);
    assert_eq!(split(send(&mut cache, "Sabx", 1, &[])), [0, 0, 0, 4_000]);
    assert_eq!(split(send(&mut cache, "Saby", 2, &[])), [3_000, 0, 0, 1_000]);
    // The end of an answer is stored as well.
    let first = prompt("Sabc", 1_000);
    let grown = prompt("Sabcrq", 1_000);
    let answer = [grown.links()[4].block.digest];
    cache.send(&Request { answer: &answer, ..Request::new(Millis(3_000), &first, &[]) });
    assert_eq!(cache.send(&Request::new(Millis(4_000), &grown, &[])).split.read, Tokens(5_000));
}

#[test]
fn a_run_of_tool_blocks_may_count_once() {
    let matching = |places| Matching::Breakpoints { look_back: Some(20), places, most: 4 };
    let read = |places| {
        let mut cache = Simulator::new(Rules { matching: matching(places), ..rules("anthropic-5m") });
        let mut prompt = Prompt::new(Settings::default());
        prompt.push(Block::new(Layer::System, Sort::System, "head", Tokens(4_096)));
        prompt.push(Block::new(Layer::Messages, Sort::User, "go", Tokens(4_904)));
        cache.send(&Request::new(Millis(0), &prompt, &Placement::PI.place(&prompt)));
        for index in 0..26 {
            let sort = if index < 13 { Sort::Call } else { Sort::Result };
            prompt.push(Block::new(Layer::Messages, sort, &index.to_string(), Tokens(100)));
        }
        cache.send(&Request::new(Millis(0), &prompt, &Placement::PI.place(&prompt))).split.read
    };
    assert_eq!((read(Places::Blocks), read(Places::Runs)), (Tokens(4_096), Tokens(9_000)));
}

#[test]
fn an_entry_can_be_read_only_when_it_has_spread() {
    let mut cache = Simulator::new(Rules { propagation: Seconds(5), ..rules("anthropic-5m") });
    let read = [0, 4, 6].map(|second| split(send(&mut cache, "Sab", second, &[(3, SHORT)]))[0]);
    // The second request writes again, and its own entry is not there at 6 s either.
    assert_eq!(read, [0, 0, 0]);
    assert_eq!(split(send(&mut cache, "Sab", 11, &[(3, SHORT)]))[0], 3_000);
}

/// The head of every request is that of another session too, whether it is the one of the request before or not.
#[test]
fn a_head_that_others_store_is_read() {
    for name in ["anthropic-5m", "ideal"] {
        let mut cache = Simulator::new(Rules { minimum: Tokens(1_000), ..rules(name) });
        let mut of = |words: &str, second: i64| {
            let prompt = prompt(words, 1_000);
            cache.warm(&prompt, 2, LONG, Millis(second * 1_000));
            let marks = [Breakpoint { blocks: 2, life: SHORT }, Breakpoint { blocks: prompt.len(), life: SHORT }];
            cache.send(&Request::new(Millis(second * 1_000), &prompt, &marks)).split.read.0
        };
        // Another head, the first one again behind it, and one that was read long ago.
        let reads = [of("SHab", 0), of("STab", 1), of("SHab", 2), of("SHabc", 3), of("SHx", 9_000)];
        assert_eq!(reads, [2_000, 2_000, 4_000, 4_000, 2_000], "{name}");
    }
}
