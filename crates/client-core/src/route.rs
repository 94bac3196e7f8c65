//! M8: the routing table, and who may go where.

use std::fmt;

use domain::Role;

/// A page, by its address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route {
    /// What is played, and with whom one can play.
    Home,
    /// Log in, sign up, or come as a guest; then on to where one wanted to go.
    Login {
        /// That address.
        next: Option<String>,
    },
    /// An open offer to play, by its link.
    Lobby {
        /// Its id.
        id: String,
    },
    /// A match, to play or to watch.
    Match {
        /// Its id.
        id: String,
    },
    /// A finished match, move by move.
    Replay {
        /// Its id.
        id: String,
    },
    /// A match on this screen alone, which no server knows.
    Practice {
        /// The game's key.
        game: String,
    },
    /// How things look and sound.
    Settings,
    /// M14: the own profile.
    Profile,
    /// What all may see of somebody.
    Player {
        /// The name.
        name: String,
    },
    /// Which rules and tutorials there are.
    Rules,
    /// The rules of a game.
    RulesOf {
        /// Its key.
        game: String,
    },
    /// The tutorial of a game.
    Learn {
        /// Its key.
        game: String,
    },
}

/// No page has this address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouteNotFound;

impl fmt::Display for RouteNotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("there is no page at this address")
    }
}

impl std::error::Error for RouteNotFound {}

/// Who sits in front of the screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Who {
    /// The server was not heard yet.
    #[default]
    Unknown,
    /// Nobody is logged in.
    Nobody,
    /// A guest or a player.
    User {
        /// The name that others see.
        name: String,
        /// A guest has no profile.
        role: Role,
    },
}

impl Who {
    /// The name, if somebody is logged in.
    pub fn name(&self) -> Option<&str> {
        match self {
            Who::User { name, .. } => Some(name),
            Who::Unknown | Who::Nobody => None,
        }
    }
}

impl Route {
    /// The page of an address: a path, perhaps with a query.
    pub fn parse(address: &str) -> Result<Route, RouteNotFound> {
        let address = address.split_once('#').map_or(address, |(address, _)| address);
        let (path, query) = address.split_once('?').unwrap_or((address, ""));
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        let owned = |text: &str| text.to_owned();
        Ok(match *parts.as_slice() {
            [] => Route::Home,
            ["login"] => Route::Login { next: query.strip_prefix("next=").map(owned) },
            ["lobby", id] => Route::Lobby { id: owned(id) },
            ["match", id] => Route::Match { id: owned(id) },
            ["replay", id] => Route::Replay { id: owned(id) },
            ["practice", game] => Route::Practice { game: owned(game) },
            ["settings"] => Route::Settings,
            ["profile"] => Route::Profile,
            ["player", name] => Route::Player { name: owned(name) },
            ["rules"] => Route::Rules,
            ["rules", game] => Route::RulesOf { game: owned(game) },
            ["learn", game] => Route::Learn { game: owned(game) },
            _ => return Err(RouteNotFound),
        })
    }

    /// Its address.
    pub fn address(&self) -> String {
        match self {
            Route::Home => "/".to_owned(),
            Route::Login { next: None } => "/login".to_owned(),
            Route::Login { next: Some(next) } => format!("/login?next={next}"),
            Route::Lobby { id } => format!("/lobby/{id}"),
            Route::Match { id } => format!("/match/{id}"),
            Route::Replay { id } => format!("/replay/{id}"),
            Route::Practice { game } => format!("/practice/{game}"),
            Route::Settings => "/settings".to_owned(),
            Route::Profile => "/profile".to_owned(),
            Route::Player { name } => format!("/player/{name}"),
            Route::Rules => "/rules".to_owned(),
            Route::RulesOf { game } => format!("/rules/{game}"),
            Route::Learn { game } => format!("/learn/{game}"),
        }
    }

    /// Must somebody be logged in there?
    fn needs_user(&self) -> bool {
        matches!(self, Route::Lobby { .. } | Route::Match { .. })
    }
}

/// The page that is shown instead of `route`, if it is not for them: the log-in, which leads back.
pub fn gate(route: Route, who: &Who) -> Route {
    match who {
        Who::Nobody if route.needs_user() => Route::Login { next: Some(route.address()) },
        _ => route,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_and_its_page_name_each_other() {
        let next = Some("/match/06gt3xp9r0002".to_owned());
        for route in [
            Route::Home,
            Route::Login { next: None },
            Route::Login { next },
            Route::Lobby { id: "06gt3xp9r0001".to_owned() },
            Route::Match { id: "06gt3xp9r0002".to_owned() },
            Route::Replay { id: "06gt3xp9r0002".to_owned() },
            Route::Practice { game: "chess".to_owned() },
            Route::Settings,
            Route::Profile,
            Route::Player { name: "Ada-1".to_owned() },
            Route::Rules,
            Route::RulesOf { game: "crazy-tens".to_owned() },
            Route::Learn { game: "chess".to_owned() },
        ] {
            let address = route.address();
            assert_eq!(Route::parse(&address).as_ref(), Ok(&route));
            let path = address.split('?').next().unwrap_or_default();
            assert!(protocol::is_page(path), "the server knows {path}");
        }
        assert_eq!(Route::parse("/settings/#top"), Ok(Route::Settings));
        let rules = Route::RulesOf { game: "chess".to_owned() };
        assert_eq!(Route::parse("/rules/chess#R3.2"), Ok(rules));
    }

    #[test]
    fn an_unknown_address_is_no_page() {
        for address in ["/nothing", "/match", "/match/a/b", "/login/x", "/player", "/learn"] {
            assert_eq!(Route::parse(address), Err(RouteNotFound), "{address}");
            assert!(!protocol::is_page(address), "{address}");
        }
    }

    #[test]
    fn who_is_not_logged_in_is_led_to_the_log_in_and_back() {
        let wanted = Route::Match { id: "06gt3xp9r0002".to_owned() };
        let login = gate(wanted.clone(), &Who::Nobody);
        let Route::Login { next: Some(next) } = &login else { panic!("{login:?}") };
        assert_eq!(Route::parse(next), Ok(wanted.clone()));
        let guest = Who::User { name: "Guest".to_owned(), role: Role::Guest };
        assert_eq!(gate(wanted.clone(), &guest), wanted);
        assert_eq!(gate(wanted.clone(), &Who::Unknown), wanted);
        let rules = Route::RulesOf { game: "chess".to_owned() };
        // The profile itself says that it needs an account.
        for open in
            [Route::Home, Route::Settings, Route::Profile, rules, Route::Login { next: None }]
        {
            assert_eq!(gate(open.clone(), &Who::Nobody), open);
        }
    }
}
