//! A saved and loaded state continues the run bit for bit.

use signorini_dynamics::{
    Amplitude, AppliedWrench, ContactId, ContactMemory, ContactQuery, Contacts, Rotation, State,
    System, World,
};

use crate::support::rod_world;

/// A step that uses everything a state holds: time (a humming force), q, v, and the remembered impulses as start
/// values of two sweeps over the normal impulses, which is too few to forget them.
fn step(world: &World<2>, state: &mut State, h: f64) {
    let mut v = vec![0.0; world.nv()];
    world.free_velocity(state.t, &state.q, &state.v, h, &mut v);
    let include: Vec<ContactId> = state.memory.iter().map(|m| m.id).collect();
    let mut contacts = Contacts::default();
    let query = ContactQuery {
        margin: 0.02,
        include: &include,
    };
    world
        .contacts(state.t, &state.q, &query, &mut contacts)
        .unwrap();
    let mut impulses: Vec<f64> = contacts
        .id
        .iter()
        .flat_map(|&id| {
            state
                .remembered(id)
                .map_or(vec![0.0; 2], |m| m.impulse.clone())
        })
        .collect();
    let mass = [1.0, 1.0, 0.002];
    let push = |v: &mut [f64], p: &[f64]| {
        let mut momentum = vec![0.0; v.len()];
        contacts.rows.transpose_mul_add(p, &mut momentum);
        v.iter_mut()
            .zip(&momentum)
            .zip(mass)
            .for_each(|((v, p), m)| *v += p / m);
    };
    push(&mut v, &impulses);
    for _ in 0..2 {
        for k in 0..contacts.len() {
            let mut u = vec![0.0; impulses.len()];
            contacts.rows.mul_into(&v, &mut u);
            let row = &contacts.rows.block(k, 1)[..3];
            let response: f64 = row.iter().zip(mass).map(|(r, m)| r * r / m).sum();
            let wanted = impulses[2 * k] - (u[2 * k] + contacts.gap[k] / h) / response;
            let mut change = vec![0.0; impulses.len()];
            change[2 * k] = wanted.max(0.0) - impulses[2 * k];
            impulses[2 * k] += change[2 * k];
            push(&mut v, &change);
        }
    }
    let mut q = vec![0.0; world.nq()];
    world.retract(&state.q, &v, h, Rotation::Printed, &mut q);
    let memory = contacts
        .id
        .iter()
        .zip(impulses.chunks_exact(2))
        .zip(&contacts.gap);
    state.memory = memory
        .map(|((&id, p), &gap)| ContactMemory {
            impulse: p.to_vec(),
            active: gap <= 0.0,
            ..ContactMemory::new(id, 2)
        })
        .collect();
    (state.t, state.q, state.v) = (state.t + h, q, v);
}

fn world() -> World<2> {
    let mut world = rod_world();
    let rod = world.body("rod").unwrap();
    let hum = Amplitude::Sinusoid {
        frequency: 7.0,
        phase: 0.1,
    };
    let shake = AppliedWrench::constant(rod, vec![0.3, 0.1, 0.01]);
    world
        .apply(AppliedWrench {
            amplitude: hum,
            ..shake
        })
        .unwrap();
    world
}

fn bits(state: &State) -> Vec<u64> {
    let memory = state.memory.iter().flat_map(|m| &m.impulse);
    [&state.t]
        .into_iter()
        .chain(&state.q)
        .chain(&state.v)
        .chain(memory)
        .map(|x| x.to_bits())
        .collect()
}

#[test]
fn saved_in_the_middle_of_an_impact_a_run_goes_on_bit_for_bit() {
    let h = 0.0025;
    let mut state = world().initial_state();
    let (mut saved, mut pressed) = (Vec::new(), 0);
    for k in 0..400 {
        // In flight, then before the steps that follow the first two with a contact impulse.
        if k == 90 || (1..=2).contains(&pressed) {
            saved.push((k, serde_json::to_string(&state).unwrap()));
        }
        step(&world(), &mut state, h);
        pressed += usize::from(state.memory.iter().any(|m| m.impulse[0] > 0.0));
    }
    assert!(
        saved.len() >= 3 && pressed >= 2,
        "{} saved, {pressed} with impulses",
        saved.len()
    );
    for (start, text) in saved {
        let mut restored: State = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_string(&restored).unwrap(), text);
        assert_eq!(restored.validate(&world()), Ok(()));
        for _ in start..400 {
            step(&world(), &mut restored, h);
        }
        assert_eq!(bits(&restored), bits(&state), "saved before step {start}");
    }
}

#[test]
fn another_format_is_refused_by_name() {
    let text = serde_json::to_string(&State::default()).unwrap();
    insta::assert_snapshot!(text, @r#"{"format":"signorini-state-1","t":0.0,"q":[],"v":[],"memory":[]}"#);
    let other = text.replace("state-1", "state-9");
    let error = serde_json::from_str::<State>(&other).unwrap_err();
    insta::assert_snapshot!(error, @"state format `signorini-state-9` is not readable here, expected `signorini-state-1`");
    let more = text.replace("\"t\"", "\"u\":1.0,\"t\"");
    assert!(
        serde_json::from_str::<State>(&more)
            .unwrap_err()
            .to_string()
            .starts_with("unknown field `u`")
    );
}
