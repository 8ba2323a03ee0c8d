use super::{Heading, Parts, Purpose, Template};

const KINDS: [Purpose; 4] = [Purpose::Summary, Purpose::Update, Purpose::TurnPrefix, Purpose::Branch];

fn prints(template: &Template, purpose: Purpose) -> Vec<&str> {
    template.headings(purpose).iter().map(|heading| &*heading.print).collect()
}

fn error(toml: &str) -> String {
    Template::parse(toml, "my.toml").unwrap_err().to_string()
}

const HEAD: &str = "name = 'x'\nabout = 'x'\nsource = 'x'\n";

#[test]
fn every_built_in_template_loads_under_its_own_name() {
    for name in Template::names() {
        let template = Template::builtin(name).unwrap();
        assert_eq!(template.name(), name);
        assert!(!template.source().is_empty() && !template.about().is_empty());
        for purpose in KINDS {
            let parts = Parts { conversation: "CONV", previous_summary: Some("PREV"), focus: None };
            let Some(prompt) = template.render(purpose, &parts) else { continue };
            assert_eq!(prompt.matches("CONV").count(), 1, "{name} {purpose:?}");
            assert_eq!(prompt.contains("PREV"), purpose == Purpose::Update, "{name} {purpose:?}");
            for Heading { print, .. } in template.headings(purpose) {
                assert!(prompt.lines().any(|line| line == &**print), "{name} {purpose:?} lacks {print}");
            }
        }
    }
}

#[test]
fn headings_are_those_of_the_real_systems() {
    let nine = [
        "## Goal",
        "## Constraints & Preferences",
        "## Progress",
        "### Done",
        "### In Progress",
        "### Blocked",
        "## Key Decisions",
        "## Next Steps",
        "## Critical Context",
    ];
    for name in ["pi", "pi-0.58"] {
        let pi = Template::builtin(name).unwrap();
        assert_eq!(prints(&pi, Purpose::Summary), nine);
        assert_eq!(prints(&pi, Purpose::Update), nine);
        assert_eq!(prints(&pi, Purpose::Branch), nine[..8]);
    }
    let pi = Template::builtin("pi").unwrap();
    let prefix = ["## Original Request", "## Progress So Far", "## Context Needed to Continue"];
    assert_eq!(prints(&pi, Purpose::TurnPrefix), prefix);
    let classic = Template::builtin("pi-0.58").unwrap();
    let prefix = ["## Original Request", "## Early Progress", "## Context for Suffix"];
    assert_eq!(prints(&classic, Purpose::TurnPrefix), prefix);
    let deep = Template::builtin("deepagents").unwrap();
    assert_eq!(prints(&deep, Purpose::Summary), ["SESSION INTENT", "SUMMARY", "ARTIFACTS", "NEXT STEPS"]);
    assert!(deep.system().is_none() && !deep.has(Purpose::Update));
    assert_eq!(Template::builtin("pi-article").unwrap().headings(Purpose::Summary).len(), 4);
    let three = Template::builtin("pi-three-part").unwrap();
    let titles: Vec<_> = three.headings(Purpose::Update).iter().map(Heading::title).collect();
    assert_eq!(titles, ["Goal", "Progress", "Key Decisions"]);
    assert_eq!(three.system(), pi.system());
}

#[test]
fn the_parts_of_pi_stand_in_its_order() {
    let pi = Template::builtin("pi").unwrap();
    let parts = Parts { conversation: "[User]: hi", previous_summary: Some("OLD"), focus: Some("tests") };
    let update = pi.render(Purpose::Update, &parts).unwrap();
    let start = "<conversation>\n[User]: hi\n</conversation>\n\n<previous-summary>\nOLD\n</previous-summary>\n\nThe ";
    assert!(update.starts_with(start), "{update}");
    assert!(update.ends_with("\n\nAdditional focus: tests"), "{update}");
    let prefix = pi.render(Purpose::TurnPrefix, &parts).unwrap();
    assert!(prefix.starts_with("# Conversation\n\n[User]: hi\n\n# Instructions\n\nThese "), "{prefix}");
    let classic = Template::builtin("pi-0.58").unwrap().render(Purpose::TurnPrefix, &parts).unwrap();
    assert!(classic.starts_with("<conversation>\n[User]: hi\n</conversation>\n\nThese ") && !classic.contains("focus"));
    let progress = update.split_once("## Progress\n").unwrap().1;
    assert!(progress.starts_with("### Done\n- [x] "), "a heading without demands stands right above the next");
}

#[test]
fn text_that_looks_like_a_placeholder_stays() {
    let toml = format!(
        "{HEAD}[initial]\nprompt = '{{conversation}}|{{{{focus}}}}|{{\"a\": 1}}|{{headings}}{{focus}}'\n\
         [[heading]]\nprint = '## A'\nasks = 'b'"
    );
    let template = Template::parse(&toml, "my.toml").unwrap();
    let parts = Parts { conversation: "{focus} {conversation}", previous_summary: None, focus: Some("{headings}") };
    let expected = "{focus} {conversation}|{focus}|{\"a\": 1}|## A\nb{headings}";
    assert_eq!(template.render(Purpose::Summary, &parts).unwrap(), expected);
    assert_eq!(template.render(Purpose::Update, &parts), None);
}

#[test]
fn an_extension_changes_only_what_it_sets() {
    let toml = format!("{HEAD}extends = 'pi'\n[update]\ninstructions = 'Redo:\n{{headings}}'").replace('\'', "\"\"\"");
    let template = Template::parse(&toml, "my.toml").unwrap();
    let parts = Parts { conversation: "C", previous_summary: Some("P"), focus: None };
    let update = template.render(Purpose::Update, &parts).unwrap();
    assert!(update.contains("</previous-summary>\n\nRedo:\n## Goal\n"), "{update}");
    let pi = Template::builtin("pi").unwrap();
    assert_eq!(template.render(Purpose::Branch, &parts), pi.render(Purpose::Branch, &parts));
}

#[test]
fn errors_name_file_field_and_a_way_out() {
    let unknown = Template::builtin("pi-artcle").unwrap_err().to_string();
    assert!(unknown.contains("`pi-artcle`") && unknown.contains("did you mean `pi-article`?"), "{unknown}");
    let typo = error(&format!("{HEAD}sytem = 'x'"));
    assert!(typo.contains("my.toml:4: `sytem`") && typo.contains("did you mean `system`?"), "{typo}");
    let missing = error("name = 'x'\nabout = 'x'");
    assert!(missing.contains("my.toml") && missing.contains("`source`"), "{missing}");
    let empty = error(HEAD);
    assert!(empty.contains("`initial.prompt`: it is missing\nhint: "), "{empty}");
    let heading = "\n[[heading]]\nprint = 'A'";
    let cases = [
        ("prompt = '{conversation} {headings} {focsu}'", "did you mean {focus}?"),
        ("prompt = '{headings}'", "`initial.prompt`: it must hold {conversation} once"),
        ("prompt = '{conversation}'", "`initial.prompt`: it never asks for the headings"),
        ("prompt = '{conversation} {headings} {previous_summary}'", "only `[update]` has a previous summary"),
        ("prompt = '{conversation} {instructions}'", "`initial.instructions`"),
        ("instructions = '{headings}'", "`initial.prompt`: it is missing"),
    ];
    for (prompt, expected) in cases {
        let found = error(&format!("{HEAD}[initial]\n{prompt}{heading}"));
        assert!(found.contains(expected), "{prompt}: {found}");
    }
    let twice = error(&format!("{HEAD}[initial]\nprompt = '{{conversation}}{{headings}}'{heading}{heading}"));
    assert!(twice.contains("\"A\" is empty, longer than a line, or there twice"), "{twice}");
    let none = error(&format!("{HEAD}[initial]\nprompt = '{{conversation}}{{headings}}'"));
    assert!(none.contains("`initial.heading`: there is none"), "{none}");
    let base = error(&format!("{HEAD}extends = 'p'"));
    assert!(base.contains("`extends`: there is no such template\nhint: did you mean `pi`?"), "{base}");
}
