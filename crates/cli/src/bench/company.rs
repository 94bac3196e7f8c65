//! Players at their sockets, and the tables that they sit at.

use std::rc::Rc;

use game_api::AnyGame;

use super::floor::{Round, Table};
use super::house::House;
use super::message::Message;
use super::net::Net;
use super::people;
use super::script::{self, Script};

/// The players of all tables, in order of tables and seats; the socket of each has its number.
pub(super) struct Company<'h> {
    pub(super) house: &'h House,
    pub(super) game: &'static dyn AnyGame,
    pub(super) seats: u8,
    pub(super) scripts: Vec<Rc<Script>>,
    pub(super) tokens: Vec<String>,
    pub(super) net: Net,
}

impl<'h> Company<'h> {
    /// As many guests as so many tables seat, all connected.
    pub(super) fn gather(game: &str, house: &'h House, tables: usize) -> anyhow::Result<Self> {
        let mut company = Company::invite(game, house, tables)?;
        let Company { net, tokens, .. } = &mut company;
        net.open_all(tokens, |_, _| {}, |_, message| *message == Message::Welcome)?;
        Ok(company)
    }

    /// As many guests as so many tables seat, who are not connected yet.
    pub(super) fn invite(game: &str, house: &'h House, tables: usize) -> anyhow::Result<Self> {
        let game = script::find(game)?;
        let seats = *game.meta().seats.start();
        let scripts = script::write(game, seats)?.into_iter().map(Rc::new).collect();
        let tokens = people::guests(house.address, tables * usize::from(seats))?;
        Ok(Company { house, game, seats, scripts, tokens, net: Net::new(house.address)? })
    }

    /// Makes so many matches for each table, of each of which at most so many actions are played.
    pub(super) fn tables(&self, rounds: usize, plies: u32) -> anyhow::Result<Vec<Table>> {
        let seats = usize::from(self.seats);
        let game = self.game.meta().id;
        let made = people::make_matches(self.house.address, &self.tokens, seats, game, rounds)?;
        let mut scripts = self.scripts.iter().cycle();
        let mut tables = Vec::new();
        for (number, matches) in made.into_iter().enumerate() {
            let mut rounds = Vec::new();
            for (match_id, script) in matches.into_iter().zip(scripts.by_ref()) {
                let plies = plies.min(script.len());
                rounds.push(Round { match_id, script: script.clone(), plies });
            }
            tables.push(Table::new(number, self.seats, rounds));
        }
        Ok(tables)
    }
}
