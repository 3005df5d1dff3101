// SPDX-License-Identifier: GPL-2.0
//! The lowest gear that suffices for a load (Thereska, Donnelly and Narayanan 2011, section 3.4).

/// The lowest of `gears` whose members are used by at most `limit` percent. `load` is in percent of what
/// all members can do; the fewer members share it, the more of it each gets. The top gear, if none
/// suffices.
pub fn sufficient(load: f64, gears: &[u32], limit: u32) -> Option<u32> {
    let top = *gears.last()?;
    let work = load * f64::from(top);
    let suffices = |gear: &u32| work <= f64::from(*gear) * f64::from(limit);
    Some(gears.iter().copied().find(suffices).unwrap_or(top))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_load_gets_the_gear_that_keeps_its_members_under_the_limit() {
        let gears = [3, 5, 8];
        // 26.25 % of eight members are 70 % of three.
        assert_eq!(sufficient(0.0, &gears, 70), Some(3));
        assert_eq!(sufficient(26.25, &gears, 70), Some(3));
        assert_eq!(sufficient(26.26, &gears, 70), Some(5));
        assert_eq!(sufficient(43.75, &gears, 70), Some(5));
        assert_eq!(sufficient(43.76, &gears, 70), Some(8));
        assert_eq!(sufficient(400.0, &gears, 70), Some(8));
        assert_eq!(sufficient(1.0, &[], 70), None);
    }

    proptest! {
        #[test]
        fn the_gear_suffices_and_the_next_lower_one_does_not(
            load in 0.0..200.0f64, limit in 1u32..=100,
            gears in prop::collection::btree_set(2u32..=28, 1..5),
        ) {
            let gears: Vec<_> = gears.into_iter().collect();
            let gear = sufficient(load, &gears, limit).unwrap();
            let at = gears.iter().position(|one| *one == gear).unwrap();
            let top = f64::from(*gears.last().unwrap());
            let used = |gear: u32| load * top / f64::from(gear);
            let margin = 1e-9;
            prop_assert!(at == gears.len() - 1 || used(gear) <= f64::from(limit) + margin);
            prop_assert!(at == 0 || used(gears[at - 1]) > f64::from(limit) - margin);
        }
    }
}
