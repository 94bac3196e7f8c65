//! Between the house's values and SQLite's columns.

use std::str::FromStr;

use domain::{AuditId, BadId, LobbyId, MatchId, PlayerId, SessionId};
use rusqlite::Row;

use crate::error::{Result, corrupt};

/// A time or a count as SQLite keeps it; no clock reaches the end of the range.
pub(crate) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A column that must not be negative, or not above what its type holds.
pub(crate) fn number<T: TryFrom<i64>>(row: &Row<'_>, column: &str) -> Result<T> {
    let found: i64 = row.get(column)?;
    T::try_from(found).map_err(|_| corrupt(format_args!("{column} is out of range")))
}

/// A column that holds a word or a text with one spelling.
pub(crate) fn parsed<T: FromStr>(row: &Row<'_>, column: &str) -> Result<T> {
    let text = row.get_ref(column)?.as_str().map_err(|_| corrupt(column))?;
    text.parse().map_err(|_| corrupt(format_args!("{column} cannot be read")))
}

/// An id of the house.
pub(crate) trait Id: Sized {
    fn from_number(number: i64) -> std::result::Result<Self, BadId>;
}

macro_rules! ids {
    ($($name:ident)*) => { $(impl Id for $name {
        fn from_number(number: i64) -> std::result::Result<Self, BadId> {
            $name::from_number(number)
        }
    })* };
}

ids!(AuditId LobbyId MatchId PlayerId SessionId);

pub(crate) fn id<T: Id>(row: &Row<'_>, column: &str) -> Result<T> {
    optional_id(row, column)?.ok_or_else(|| corrupt(format_args!("{column} is empty")))
}

pub(crate) fn optional_id<T: Id>(row: &Row<'_>, column: &str) -> Result<Option<T>> {
    let number: Option<i64> = row.get(column)?;
    let id = number.map(T::from_number).transpose();
    id.map_err(|_| corrupt(format_args!("{column} is no id")))
}
