//! Agents from names, files and changes.

use super::*;

#[test]
fn ready_made_agents_are_agents() {
    for (name, _) in READY {
        let spec = ready(name).unwrap_or_else(|e| panic!("{name}: {e}"));
        let again = toml::to_string(&spec).unwrap();
        assert_eq!(AgentSpec::parse(&again).unwrap(), spec, "{name}");
        assert!(!spec.about.is_empty(), "{name}");
    }
    assert!(ready("par").unwrap().oracles().is_empty());
    assert_eq!(ready("par-oracle").unwrap().oracles(), ["planner", "actor"]);
    let e = ready("pars").unwrap_err().to_string();
    assert!(e.contains("did you mean par"), "{e}");
}

#[test]
fn parts_and_fields_are_changed_behind_a_name() {
    let spec = ready("predimem?planner=oracle&actor=oracle&clock.planner=[3, 5]").unwrap();
    assert_eq!(spec.oracles(), ["planner", "actor"]);
    assert_eq!(spec.clock.planner, crate::clock::Latency::Table(vec![3, 5]));
    let bank = |changes: &str| ready(&format!("predimem-recall?{changes}")).unwrap().memory;
    assert_eq!(bank("memory.bank=").bank, None);
    assert_eq!(bank("memory.bank.cap=4&memory.recent=2").bank.unwrap().cap, Some(4));
    assert_eq!(bank("memory.bank.by=shuffled").bank.unwrap().by, Nominator::Shuffled);
    for (changes, want) in [
        ("planner=oracel", "did you mean oracle?"),
        ("clock.planer=3", "did you mean planner?"),
        ("about.planner=3", "about has no fields"),
        ("bank", "TABLE.FIELD=VALUE"),
        ("reporter=none", "lives on reports"),
    ] {
        let e = ready(&format!("par?{changes}")).unwrap_err().to_string();
        assert!(e.contains(want), "{changes}: {e}");
    }
}

#[test]
fn prompts_stay_in_the_agents_folder() {
    let dir = std::env::temp_dir().join(format!("longarm-agent-{}", std::process::id()));
    std::fs::create_dir_all(dir.join("mine")).unwrap();
    std::fs::write(dir.join("secret"), "a secret").unwrap();
    std::fs::write(dir.join("mine/prompt.md"), "Plan.").unwrap();
    let agent = |prompt: &str| {
        let file = dir.join("mine/agent.toml");
        let planner = "kind = \"chat\"\nendpoint = \"http://gpu1:8000/v1\"\nmodel = \"m\"";
        let text = format!("[planner]\n{planner}\nprompt = {prompt:?}\n[actor]\nkind = \"words\"");
        std::fs::write(&file, text).unwrap();
        AgentSpec::read(file.to_str().unwrap())
    };
    let PlannerSpec::Chat(chat) = agent("prompt.md").unwrap().planner else { panic!() };
    assert_eq!(chat.prompt_text.as_deref(), Some("Plan."));
    let secret = dir.join("secret");
    for outside in ["../secret", secret.to_str().unwrap()] {
        let e = agent(outside).unwrap_err().to_string();
        assert!(e.contains("outside the agent's folder"), "{e}");
    }
    std::fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn mistakes_are_named() {
    let with = |planner: &str, more: &str| {
        let text = format!("[planner]\n{planner}\n[actor]\nkind = \"oracle\"\n{more}");
        AgentSpec::parse(&text).unwrap_err().to_string()
    };
    for (planner, more, want) in [
        ("kind = \"oracel\"", "", "did you mean oracle?"),
        ("kind = \"oracle\"\nsize = 3", "", "size"),
        ("kind = \"oracle\"", "[reportr]\nkind = \"none\"", "did you mean reporter?"),
        ("kind = \"oracle\"", "[clock]\nplaner = 3", "did you mean planner?"),
        ("kind = \"rules\"", "", "lives on reports"),
        ("kind = \"recall\"", "", "[memory]"),
        ("kind = \"oracle\"", "[memory]\nbank = { evict = \"eldest\" }", "oldest"),
        ("kind = \"socket\"\nserver = \"ws://a?timeout=3&api-key-file=k\"", "", "names no keys"),
    ] {
        let e = with(planner, more);
        assert!(e.contains(want), "{planner} {more}: {e}");
    }
}
