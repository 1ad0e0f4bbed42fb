//! The program's answers to bad input.

use std::process::{Command, Output};

fn validate(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_signorini-validate"))
        .args(arguments)
        .output()
        .expect("runs")
}

#[test]
fn unknown_experiment_lists_the_known_ones() {
    let temp = tempfile::tempdir().unwrap();
    let out = temp.path().join("report");
    let output = validate(&["--only", "st2000-rot", "--out", out.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).unwrap();
    insta::assert_snapshot!(message.trim(), @"error: no experiment `st2000-rot`; there are: st2000-rod, st2000-balls, ha2003-ellipse, ha2003-disks21, ha2003-brazil-nut, ha2003-joints, ha2003-relaxation, a2003-ball-wall, a2003-disks66, a2003-stiff-limit, a2003-gamma, a2003-energy, cbat2007-disc, cbat2007-spinning-sphere, cbat2007-two-spheres, cbat2007-ellipsoid, cbat2007-intersection, cbat2007-tippe-top, cbat2007-rattleback, cbat2007-euler-disc, cbat2007-superquadric, cbat2007-facets, cbat2007-work-precision, lcp-problems, lcp-random, lcp-infeasible, lcp-warm, lcp-scaling, lcp-batch, mcp-problems, mcp-features, mcp-batch, geometry-pairs, geometry-exact, geometry-pictures, polytopes, friction-pyramids, friction-collection, friction-random");
    assert!(!out.exists());
}

#[test]
fn path_that_cannot_be_written_is_refused_before_the_work() {
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("file");
    std::fs::write(&file, "mine").unwrap();
    let inside = file.join("report");
    for out in [&file, &inside] {
        let output = validate(&["--out", out.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(2));
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.starts_with("error: cannot write "), "{message}");
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
    assert_eq!(std::fs::read_dir(temp.path()).unwrap().count(), 1);
}

#[test]
fn list_shows_every_experiment() {
    let output = validate(&["--list"]);
    assert!(output.status.success());
    insta::assert_snapshot!(String::from_utf8(output.stdout).unwrap(), @r"
    st2000-rod       ST2000 section 4.1, Figs. 2–5: A falling, spinning rod
    st2000-balls     ST2000 section 4.2, Figs. 6–8, Table 1: A ball thrown at three balls in a line
    ha2003-ellipse   HA2003 section 3, Figs. 1, 2: An ellipse that rocks on a table
    ha2003-disks21   HA2003 section 3, Figs. 3–6, 8: A pile of 21 discs collapses
    ha2003-brazil-nut HA2003 section 3, Figs. 7, 9: A large disc rises in a shaken container
    ha2003-joints    HA2003 section 2, (2.8): Pendulums and chains whose joints do not drift
    ha2003-relaxation HA2003 section 2, (2.10): The optimisation form against the LCP
    a2003-ball-wall  A2003 section 4, Fig. 1: A ball and a wall at every step size
    a2003-disks66    A2003 section 4, Figs. 2–4: 66 discs bounce between two slopes
    a2003-stiff-limit A2003 section II: Penalty forces and their stiff limit
    a2003-gamma      A2003 section 3: How fast penetration is put right
    a2003-energy     A2003 section 3: Energy of random impacts under each law
    cbat2007-disc    CBAT2007 section V.A, Fig. 1: A disc rolls on a line, and polygons that stand for it
    cbat2007-spinning-sphere CBAT2007 section V.B, Figs. 3, 4: Torsion stops a spinning sphere
    cbat2007-two-spheres CBAT2007 section V.C, Figs. 6–8: A sphere in the groove between two larger ones
    cbat2007-ellipsoid CBAT2007 sections IV and VI: general surfaces, not shown there: An ellipsoid rolls on a plane and on an ellipsoid
    cbat2007-intersection CBAT2007 appendix: intersections of surfaces, not shown there: Intersections of surfaces tip over their edges
    cbat2007-tippe-top CBAT2007 section VI: not in the paper: A tippe top turns over
    cbat2007-rattleback CBAT2007 section VI: not in the paper: A rattleback turns round when spun one way
    cbat2007-euler-disc CBAT2007 section VI: not in the paper: Euler's disc
    cbat2007-superquadric CBAT2007 sections IV and VI: general surfaces, not shown there: A superquadric slides, and tumbles over a plane
    cbat2007-facets  CBAT2007 Figs. 1, 6: as a sweep: What facets cost
    cbat2007-work-precision CBAT2007 section VI: announced, not in the paper: Error against time over schemes, pyramids and facets
    lcp-problems     CPS1992 chapters 3 and 4: Public linear complementarity problems
    lcp-random       CPS1992 chapters 3 and 4: Random problems of every class, by the thousand
    lcp-infeasible   CPS1992 sections 1.2 and 4.4: Proofs that there is no solution, and games of two players
    lcp-warm         CPS1992 section 4.4: Problems of friction from the last basis
    lcp-scaling      CPS1992 section 4.4: Heaps of spheres of up to 20 000 unknowns
    lcp-batch        CPS1992 chapter 4: Ten thousand small problems over threads
    mcp-problems     DF1995 section 4: Public nonlinear complementarity problems
    mcp-features     DF1995 sections 2 and 3: What each part of the nonlinear solver is good for
    mcp-batch        DF1995 section 4: Public nonlinear problems over threads
    geometry-pairs   CBAT2007 appendix: Closest points of random pairs, by the hundred thousand
    geometry-exact   CBAT2007 appendix: Closest points known to fifty digits, and degenerate pairs
    geometry-pictures CBAT2007 sections 3 and 5: Closest points drawn; work over poses; facets beside round bodies
    polytopes        CC1986 sections 2 and 3: Random pairs of polytopes beside parry's answers
    friction-pyramids ABH2018 section 2: Friction pyramids with 4 to 32 directions against the cone
    friction-collection ABH2018 sections 5 and 6: Public problems of frictional contact
    friction-random  ABH2018 section 3: Small hostile problems of frictional contact, by the thousand
    ");
}

#[test]
fn one_experiment_gives_a_report() {
    let temp = tempfile::tempdir().unwrap();
    let out = temp.path().join("report");
    let output = validate(&[
        "--only",
        "st2000-rod",
        "--quick",
        "--out",
        out.to_str().unwrap(),
    ]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}");
    let counts = "22 of 22 claims as expected: ";
    let line = text.lines().find(|line| line.starts_with(counts));
    let line = line.unwrap_or_else(|| panic!("{text}"));
    // What the paper states and does not come out is said, with its reason, and not lost in the sum.
    insta::assert_snapshot!(line, @"22 of 22 claims as expected: 19 held as the paper states them, 1 held under a condition that the paper does not state, 1 not reproduced as the paper states it, 1 for information.");
    let claim = |line: &&str| line.starts_with("  st2000-rod, tip after the impact: ");
    let claim = text.lines().find(claim).unwrap_or_default();
    assert!(
        claim.contains(": not reproduced; no sliding to the right after the impact"),
        "{text}"
    );
    let progress = String::from_utf8_lossy(&output.stderr);
    assert!(
        progress.contains("st2000-rod started") && progress.contains("st2000-rod done in "),
        "{progress}"
    );
    for name in [
        "index.html",
        "summary.json",
        "st2000-rod/fig2.svg",
        "st2000-rod/fig2.png",
    ] {
        assert!(out.join(name).is_file(), "{name}");
    }
}
