//! The catalogue.

use serde::{Deserialize, Serialize};

use crate::Object;

/// A game that can be played here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct GameInfo {
    /// The key in addresses and logs.
    pub id: String,
    /// The name that people read.
    pub name: String,
    /// Rises when a stored log could replay differently.
    pub rules_version: u32,
    /// So many must sit down.
    pub seats_min: u8,
    /// So many can sit down.
    pub seats_max: u8,
    /// Does a seat know anything that another does not?
    pub hidden_information: bool,
    /// Can all agree on a draw while a match runs?
    #[serde(default)]
    pub draw_by_agreement: bool,
    /// Options with a name, the usual ones first.
    pub presets: Vec<Preset>,
    /// The levels of its bots, the weakest first.
    #[serde(default)]
    pub bots: Vec<BotInfo>,
    /// The formats that a finished match can be had in: `json`, and the game's own.
    pub formats: Vec<String>,
}

/// A level of a game's bots.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BotInfo {
    /// From 1 to 8.
    pub level: u8,
    /// What it lacks besides skill, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
}

/// Options with a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Preset {
    /// The name.
    pub name: String,
    /// The game's own options.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub options: Object,
}
