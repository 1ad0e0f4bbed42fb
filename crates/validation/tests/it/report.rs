//! The files of a report, with a small experiment.

use std::error::Error;
use std::fs;

use signorini_plot::{Figure, LinePlot, Series, Style};
use signorini_validation::{
    ClaimTable, Column, Effort, Experiment, OutputError, Progress, Report, Source, Staged, Table,
    run, write_report,
};

/// Measures one claim, or something that is not in the table.
#[derive(Debug)]
struct Small {
    claim: &'static str,
    value: f64,
}

impl Experiment for Small {
    fn id(&self) -> &'static str {
        "small"
    }

    fn source(&self) -> Source {
        Source {
            paper: "P2000",
            item: "Fig. 1",
            citation: "A <b> & \"c\"",
        }
    }

    fn title(&self) -> &'static str {
        "a < b & c"
    }

    fn run(&self, _: Effort, _: &dyn Progress) -> Result<Report, Box<dyn Error + Send + Sync>> {
        let mut report = Report::default();
        report.measure(self.claim, self.value).note("<script>");
        let series = vec![Series::new(
            "y",
            vec![[0.0, 0.0], [1.0, self.value]],
            Style::nth(0),
        )];
        let plot = LinePlot {
            series,
            ..LinePlot::default()
        };
        report.plate("fig1", "Fig. 1", Figure::new("", 300, 200).with(plot));
        report.tables.push(Table {
            name: "data".into(),
            golden: false,
            columns: vec![Column::new("t", "s", 0.0), Column::new("n", "", 0.0)],
            rows: vec![vec![0.1, 3.0]],
        });
        Ok(report)
    }
}

static GOOD: Small = Small {
    claim: "height",
    value: 2.0,
};
static WRONG: Small = Small {
    claim: "height",
    value: 3.0,
};
static UNLISTED: Small = Small {
    claim: "width",
    value: 2.0,
};

fn outcomes(experiment: &'static Small) -> Vec<signorini_validation::Outcome> {
    let table = ClaimTable::parse(
        "[[claim]]\nexperiment = \"small\"\nname = \"height\"\nunit = \"m\"\nprinted = 2.0\ntolerance = 0.5\n\
         reason = \"half a unit\"\nexpected_verdict = \"reproduced\"\n",
    );
    run(
        &[experiment],
        &table.expect("runs"),
        Effort::Quick,
        1,
        &|_| Box::new(()),
    )
    .expect("runs")
}

#[test]
fn report_has_all_its_files() {
    let temp = tempfile::tempdir().unwrap();
    let out = temp.path().join("a/report");
    let folder = Staged::beside(&out).unwrap();
    write_report(&folder, &outcomes(&GOOD)).unwrap();
    assert!(!out.exists(), "nothing may be seen before it is complete");
    folder.publish().unwrap();

    let mut summary: serde_json::Value =
        serde_json::from_slice(&fs::read(out.join("summary.json")).unwrap()).unwrap();
    let entry = &mut summary["experiments"][0];
    assert!(entry["seconds"].as_f64().unwrap() >= 0.0);
    entry["seconds"] = 0.into();
    for file in entry["files"].as_array().unwrap() {
        assert!(out.join(file.as_str().unwrap()).is_file(), "{file}");
    }
    insta::assert_snapshot!(
        summary,
        @r#"{"experiments":[{"claims":[{"exact":null,"expected_verdict":"reproduced","measured":2.0,"name":"height","note":"<script>","ok":true,"printed":2.0,"reason":"half a unit","tolerance":0.5,"unit":"m","verdict":"reproduced"}],"failure":null,"files":["small/fig1.svg","small/fig1.png","small/data.csv"],"id":"small","item":"Fig. 1","ok":true,"paper":"P2000","seconds":0,"title":"a < b & c"}],"ok":true}"#
    );
    let data = fs::read_to_string(out.join("small/data.csv")).unwrap();
    assert_eq!(
        data,
        "t [s],n\n1.0000000000000001e-1,3.0000000000000000e0\n"
    );
    let left: Vec<_> = fs::read_dir(out.parent().unwrap()).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn page_is_one_file_and_escapes_what_it_shows() {
    let temp = tempfile::tempdir().unwrap();
    let folder = Staged::beside(&temp.path().join("report")).unwrap();
    write_report(&folder, &outcomes(&GOOD)).unwrap();
    let page = fs::read_to_string(folder.publish().unwrap().join("index.html")).unwrap();
    assert!(page.contains("&lt;script&gt;") && !page.contains("<script"));
    assert!(page.contains("<svg") && page.contains("a &lt; b &amp; c"));
    // Namespaces are the only addresses in it.
    assert!(!page.replace("http://www.w3.org/", "").contains("http"));
    assert!(page.contains("prefers-color-scheme: dark"));
}

#[test]
fn report_replaces_an_earlier_one_but_nothing_else() {
    let temp = tempfile::tempdir().unwrap();
    let out = temp.path().join("report");
    for _ in 0..2 {
        let folder = Staged::beside(&out).unwrap();
        write_report(&folder, &outcomes(&GOOD)).unwrap();
        folder.publish().unwrap();
    }
    fs::remove_file(out.join("summary.json")).unwrap();
    assert!(matches!(
        Staged::beside(&out),
        Err(OutputError::Foreign { .. })
    ));
    assert!(out.join("index.html").is_file());
}

#[test]
fn dropped_report_leaves_nothing() {
    let temp = tempfile::tempdir().unwrap();
    let folder = Staged::beside(&temp.path().join("report")).unwrap();
    folder.write("small/data.csv", b"t\n").unwrap();
    drop(folder);
    assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 0);
}

#[test]
fn wrong_claim_and_unlisted_claim_are_not_ok() {
    let wrong = &outcomes(&WRONG)[0];
    assert!(!wrong.ok() && wrong.failure.is_none());
    let unlisted = &outcomes(&UNLISTED)[0];
    insta::assert_snapshot!(
        unlisted.failure.as_ref().unwrap(),
        @"experiment `small` measured `width`, which is not in the table of claims"
    );
    assert!(!unlisted.ok());
}

#[test]
fn figure_that_cannot_be_drawn_is_named() {
    static BROKEN: Small = Small {
        claim: "height",
        value: f64::INFINITY,
    };
    let outcome = &outcomes(&BROKEN)[0];
    insta::assert_snapshot!(
        outcome.failure.as_ref().unwrap(),
        @"experiment `small` measured `height` as inf"
    );
}
