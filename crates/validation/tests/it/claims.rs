//! One snapshot of each experiment's claims, and its golden data.

use std::sync::LazyLock;

use signorini_validation::{ClaimTable, EXPERIMENTS, Effort, Outcome, golden, run};

static OUTCOMES: LazyLock<Vec<Outcome>> = LazyLock::new(|| {
    let table = ClaimTable::ours().expect("the table of this repository");
    run(EXPERIMENTS, &table, Effort::Quick, 0, &|_| Box::new(())).expect("runs")
});

fn outcome(id: &str) -> &'static Outcome {
    let outcome = OUTCOMES
        .iter()
        .find(|o| o.experiment.id() == id)
        .expect("registered");
    assert_eq!(outcome.failure, None);
    outcome
}

/// Claim, paper's value, ours, verdict.
fn table(id: &str) -> String {
    let row = |claim: &signorini_validation::Claim| {
        let printed = claim
            .printed
            .as_ref()
            .map_or("–".to_owned(), ToString::to_string);
        let ok = if claim.ok { "" } else { " (FAIL)" };
        format!(
            "{}: {printed} | {} | {}{ok}\n",
            claim.name,
            claim.measured_rounded(),
            claim.verdict
        )
    };
    outcome(id).claims.iter().map(row).collect()
}

#[test]
fn every_claim_is_as_expected() {
    for outcome in OUTCOMES.iter() {
        let failed: Vec<_> = outcome.claims.iter().filter(|c| !c.ok).collect();
        assert!(outcome.ok(), "{}: {failed:#?}", outcome.experiment.id());
    }
}

#[test]
fn every_listed_claim_has_an_experiment() {
    for claim in ClaimTable::ours().unwrap().all() {
        let known = EXPERIMENTS.iter().any(|e| e.id() == claim.experiment);
        assert!(
            known,
            "no experiment `{}` for `{}`",
            claim.experiment, claim.name
        );
    }
}

#[test]
fn golden_data_has_not_moved() {
    for outcome in OUTCOMES.iter() {
        let id = outcome.experiment.id();
        for table in outcome.report.tables.iter().filter(|table| table.golden) {
            let name = golden::file_name(id, table);
            let text = std::fs::read_to_string(golden::folder().join(&name)).expect(&name);
            assert_eq!(golden::compare(&text, table), Ok(()), "{name}");
        }
    }
}

#[test]
fn st2000_rod() {
    insta::assert_snapshot!(table("st2000-rod"));
}

#[test]
fn st2000_balls() {
    insta::assert_snapshot!(table("st2000-balls"));
}

/// Whether a number below 1e-9 is in the line.
fn is_rounding(line: &str) -> bool {
    let mut exponents = line.split("e-").skip(1);
    exponents.any(|rest| {
        rest.starts_with(|c: char| c.is_ascii_digit())
            && rest[1..].starts_with(|c: char| c.is_ascii_digit())
    })
}

/// Without numbers of the size of rounding, and without the iterations, which differ by one where a residual is near its limit.
#[test]
fn cbat2007() {
    let ids = [
        "disc",
        "spinning-sphere",
        "two-spheres",
        "ellipsoid",
        "intersection",
        "tippe-top",
        "rattleback",
        "euler-disc",
        "superquadric",
        "facets",
        "work-precision",
    ];
    insta::assert_snapshot!(steady_tables("cbat2007", &ids));
}

/// Without numbers of the size of rounding, without pivots and iterations, and without the piles, which are chaotic.
#[test]
fn ha2003() {
    let ids = ["ellipse", "joints", "relaxation"];
    insta::assert_snapshot!(steady_tables("ha2003", &ids));
}

/// The tables of a group without the lines that rounding moves.
fn steady_tables(group: &str, ids: &[&str]) -> String {
    let tables = ids.iter().map(|id| {
        let id = format!("{group}-{id}");
        let table = table(&id);
        let counts = |line: &str| line.starts_with("iterations") || line.starts_with("pivots");
        // What is rounding on one machine may be nothing on another.
        let vanishes = |line: &str| line.starts_with("largest") && line.contains("| 0 |");
        let stays = |line: &&str| !counts(line) && !is_rounding(line) && !vanishes(line);
        let lines = table.lines().filter(stays);
        format!("{id}\n{}", lines.collect::<Vec<_>>().join("\n"))
    });
    tables.collect::<Vec<_>>().join("\n\n")
}

#[test]
fn lcp() {
    let ids = [
        "lcp-problems",
        "lcp-random",
        "lcp-infeasible",
        "lcp-warm",
        "lcp-scaling",
        "lcp-batch",
    ];
    let tables = ids.map(|id| format!("{id}\n{}", table(id)));
    insta::assert_snapshot!(tables.join("\n"));
}

#[test]
fn mcp() {
    let ids = ["mcp-problems", "mcp-features", "mcp-batch"];
    let tables = ids.map(|id| format!("{id}\n{}", table(id)));
    insta::assert_snapshot!(tables.join("\n"));
}

#[test]
fn geometry() {
    let ids = ["geometry-pairs", "geometry-exact", "geometry-pictures"];
    let tables = ids.map(|id| format!("{id}\n{}", table(id)));
    insta::assert_snapshot!(tables.join("\n"));
}

/// Without the part on which parry agrees, which is its own.
#[test]
fn polytopes() {
    let table = table("polytopes");
    let ours = table.lines().filter(|line| !line.starts_with("part of"));
    insta::assert_snapshot!(ours.collect::<Vec<_>>().join("\n"), @r"
    pairs without an answer: – | 0 | reproduced
    every answer certified to 1e-12: – | yes | reproduced
    pairs on which nothing is decided: – | 0 | reproduced
    a wall of 50 bricks stands: – | yes | reproduced
    ");
}

#[test]
fn friction() {
    let ids = [
        "friction-pyramids",
        "friction-collection",
        "friction-random",
    ];
    let tables = ids.map(|id| format!("{id}\n{}", table(id)));
    insta::assert_snapshot!(tables.join("\n"));
}

#[test]
fn results_do_not_depend_on_the_threads() {
    let table = ClaimTable::ours().unwrap();
    let rod = &EXPERIMENTS[..1];
    let one = run(rod, &table, Effort::Quick, 1, &|_| Box::new(())).unwrap();
    assert_eq!(one[0].claims, outcome("st2000-rod").claims);
    assert_eq!(one[0].report, outcome("st2000-rod").report);
}
