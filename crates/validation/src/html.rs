//! The run on one page that opens from disk.

use std::fmt::{self, Write};

use crate::claims::{Claim, Verdict};
use crate::report::Sheet;
use crate::run::Outcome;
use crate::value::Value;

const STYLE: &str = include_str!("report.css");

/// The page; `pictures` holds the SVG of each figure of each outcome.
pub(crate) fn page(outcomes: &[Outcome], pictures: &[Vec<String>]) -> String {
    let mut page = String::new();
    write_page(&mut page, outcomes, pictures).expect("writing into a string cannot fail");
    page
}

fn write_page(page: &mut String, outcomes: &[Outcome], pictures: &[Vec<String>]) -> fmt::Result {
    let claims = outcomes.iter().flat_map(|outcome| &outcome.claims);
    let (total, ok) = (
        claims.clone().count(),
        claims.filter(|claim| claim.ok).count(),
    );
    let failed = outcomes
        .iter()
        .filter(|outcome| outcome.failure.is_some())
        .count();
    writeln!(
        page,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Signorini: the papers, reproduced</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header><h1>The papers, reproduced</h1>\n<p><strong>{ok}</strong> of <strong>{total}</strong> \
         claims came out as expected, in {} experiments{}.</p>\n\
         <p class=\"quiet\">A claim is reproduced if our value agrees with the printed one within the \
         tolerance, which was fixed before the first run unless a note says otherwise. Claims that are wrong in print are expected \
         not to be reproduced, and must meet the exact value instead.</p>",
        outcomes.len(),
        if failed == 0 {
            String::new()
        } else {
            format!("; <strong>{failed} failed to run</strong>")
        },
    )?;
    overview(page, outcomes)?;
    writeln!(page, "</header>")?;
    for (outcome, pictures) in outcomes.iter().zip(pictures) {
        section(page, outcome, pictures)?;
    }
    writeln!(page, "</body>\n</html>")
}

fn overview(page: &mut String, outcomes: &[Outcome]) -> fmt::Result {
    writeln!(
        page,
        "<div class=\"scroll\"><table>\n<thead><tr><th>experiment</th><th>source</th><th>shows</th>\
         <th>claims ok</th><th>seconds</th></tr></thead>\n<tbody>"
    )?;
    for outcome in outcomes {
        let (id, source) = (escape(outcome.experiment.id()), outcome.experiment.source());
        let ok = outcome.claims.iter().filter(|claim| claim.ok).count();
        let count = match outcome.failure {
            Some(_) => "failed".to_owned(),
            None => format!("{ok} of {}", outcome.claims.len()),
        };
        writeln!(
            page,
            "<tr><td><a href=\"#{id}\">{id}</a></td><td>{} {}</td><td>{}</td><td class=\"{}\">{count}</td>\
             <td class=\"number\">{:.2}</td></tr>",
            escape(source.paper),
            escape(source.item),
            escape(outcome.experiment.title()),
            if outcome.ok() { "good" } else { "bad" },
            outcome.seconds,
        )?;
    }
    writeln!(page, "</tbody></table></div>")
}

fn section(page: &mut String, outcome: &Outcome, pictures: &[String]) -> fmt::Result {
    let (id, source) = (escape(outcome.experiment.id()), outcome.experiment.source());
    writeln!(
        page,
        "<section id=\"{id}\">\n<h2>{} <code>{id}</code></h2>\n<p class=\"quiet\">{}, {}. {}</p>",
        escape(outcome.experiment.title()),
        escape(source.paper),
        escape(source.item),
        escape(source.citation),
    )?;
    if let Some(failure) = &outcome.failure {
        return writeln!(
            page,
            "<p class=\"bad\">Failed: {}</p>\n</section>",
            escape(failure)
        );
    }
    for remark in &outcome.report.remarks {
        writeln!(page, "<p>{}</p>", escape(remark))?;
    }
    claim_table(page, &outcome.claims)?;
    for sheet in &outcome.report.sheets {
        text_table(page, sheet)?;
    }
    for (plate, picture) in outcome.report.plates.iter().zip(pictures) {
        let name = escape(&plate.name);
        writeln!(
            page,
            "<figure id=\"{id}-{name}\">\n{picture}\n<figcaption>{} \
             <a href=\"{id}/{name}.svg\">SVG</a> <a href=\"{id}/{name}.png\">PNG</a></figcaption>\n</figure>",
            escape(&plate.caption),
        )?;
    }
    for (name, caption, _) in &outcome.report.animations {
        let (name, caption) = (escape(name), escape(caption));
        writeln!(
            page,
            "<p>Animation: <a href=\"{id}/{name}.html\">{caption}</a></p>"
        )?;
    }
    let tables: Vec<_> = outcome
        .report
        .tables
        .iter()
        .map(|t| escape(&t.name))
        .collect();
    if !tables.is_empty() {
        let links = tables
            .iter()
            .map(|t| format!("<a href=\"{id}/{t}.csv\">{t}.csv</a>"));
        writeln!(
            page,
            "<p>Data: {}</p>",
            links.collect::<Vec<_>>().join(", ")
        )?;
    }
    writeln!(page, "</section>")
}

fn claim_table(page: &mut String, claims: &[Claim]) -> fmt::Result {
    writeln!(
        page,
        "<div class=\"scroll\"><table class=\"claims\">\n<thead><tr><th>claim</th><th>unit</th>\
         <th>printed</th><th>exact</th><th>ours</th><th>tolerance</th><th>verdict</th><th>ok</th>\
         <th>notes</th></tr></thead>\n<tbody>"
    )?;
    for claim in claims {
        let value = |v: &Option<Value>| {
            v.as_ref()
                .map_or("–".to_owned(), |v| escape(&v.to_string()))
        };
        let class = match claim.verdict {
            Verdict::Reproduced => "reproduced",
            Verdict::NotReproduced => "refuted",
            Verdict::Conditional => "conditional",
            Verdict::Information => "information",
        };
        let verdict = if claim.verdict == claim.expected_verdict {
            claim.verdict.to_string()
        } else {
            format!("{} (expected: {})", claim.verdict, claim.expected_verdict)
        };
        let tolerance = claim.tolerance.map_or("–".to_owned(), |t| {
            format!(
                "<span title=\"{}\">±{}</span>",
                escape(&claim.reason),
                short(t)
            )
        });
        let reason = if claim.reason.is_empty() {
            String::new()
        } else {
            format!(
                "<span class=\"quiet\">Tolerance: {}.</span> ",
                escape(&claim.reason)
            )
        };
        writeln!(
            page,
            "<tr><td>{}</td><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td>\
             <td class=\"number\">{}</td><td class=\"number\">{tolerance}</td>\
             <td><span class=\"badge {class}\">{verdict}</span></td><td class=\"{}\">{}</td>\
             <td class=\"note\">{reason}{}</td></tr>",
            escape(&claim.name),
            escape(&claim.unit),
            value(&claim.printed),
            value(&claim.exact),
            escape(&claim.measured_text()),
            if claim.ok { "good" } else { "bad" },
            if claim.ok { "✓" } else { "✗" },
            escape(&claim.note),
        )?;
    }
    writeln!(page, "</tbody></table></div>")
}

fn text_table(page: &mut String, sheet: &Sheet) -> fmt::Result {
    writeln!(
        page,
        "<div class=\"scroll\"><table>\n<caption>{}</caption>\n<thead><tr>",
        escape(&sheet.caption)
    )?;
    for heading in &sheet.header {
        write!(page, "<th>{}</th>", escape(heading))?;
    }
    writeln!(page, "</tr></thead>\n<tbody>")?;
    for row in &sheet.rows {
        page.push_str("<tr>");
        for cell in row {
            write!(page, "<td class=\"number\">{}</td>", escape(cell))?;
        }
        page.push_str("</tr>\n");
    }
    writeln!(page, "</tbody></table></div>")
}

/// A tolerance with three digits.
fn short(tolerance: f64) -> Value {
    let text = format!("{tolerance:.2e}");
    Value::from(text.parse().unwrap_or(tolerance))
}

/// Text for use in elements and in quoted attributes.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tolerances_are_short() {
        assert_eq!(short(0.287_591_999_999_999_96).to_string(), "0.288");
        assert_eq!(short(5e-7).to_string(), "5e-7");
    }

    #[test]
    fn text_cannot_leave_its_element() {
        assert_eq!(
            escape("a < b & 'c' > \"d\""),
            "a &lt; b &amp; &#39;c&#39; &gt; &quot;d&quot;"
        );
    }
}
