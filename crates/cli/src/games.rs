//! `parlor games`: the catalogue as a table.

use std::io::Write;

/// Prints a line a game, and its presets.
pub(crate) fn list() -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    for game in catalog::games() {
        let meta = game.meta();
        let (least, most) = (meta.seats.start(), meta.seats.end());
        let seats = if least == most { least.to_string() } else { format!("{least}–{most}") };
        let secrets = if meta.hidden_information { "hidden cards" } else { "open" };
        writeln!(
            out,
            "{:<12} {} ({seats} seats, {secrets}, rules version {})",
            meta.id, meta.name, meta.rules_version
        )?;
        for (name, options) in game.presets() {
            writeln!(out, "{:<12} preset {name}: {options}", "")?;
        }
    }
    Ok(())
}
