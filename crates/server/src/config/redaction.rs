//! What is shown of an address that can hold a password.

pub(super) const HIDDEN: &str = "(hidden)";

/// Hides `USER:PASSWORD@` and `?password=`; rather too much than too little.
pub(super) fn hide_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return HIDDEN.to_owned();
    };
    let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
    // An unescaped `?` in a password ends in the query; a `@` there gives it away.
    if query.contains('@') {
        return format!("{scheme}://{HIDDEN}");
    }
    // The last `@`, since a password can hold one.
    let place = match place.rsplit_once('@') {
        Some((user, host)) => match user.split_once(':') {
            Some((name, _)) => format!("{name}:{HIDDEN}@{host}"),
            None => place.to_owned(),
        },
        None => place.to_owned(),
    };
    let hide = |pair: &str| match pair.split_once('=') {
        Some((key, _)) if key.to_ascii_lowercase().contains("password") => {
            format!("{key}={HIDDEN}")
        }
        _ => pair.to_owned(),
    };
    let pairs: Vec<String> = query.split('&').map(hide).collect();
    let mark = if query.is_empty() { "" } else { "?" };
    format!("{scheme}://{place}{mark}{}", pairs.join("&"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn passwords_in_database_addresses_are_hidden() {
        let check = |url, expected| assert_eq!(super::hide_password(url), expected);
        check("sqlite://data/parlor.db", "sqlite://data/parlor.db");
        check("postgres://host/db", "postgres://host/db");
        check("postgres://ada@host/db", "postgres://ada@host/db");
        check("postgres://ada:a@b/c@host/db", "postgres://ada:(hidden)@host/db");
        check("postgres://ada:a?b@host/db", "postgres://(hidden)");
        check(
            "postgres:///db?user=a&password=b&c=d",
            "postgres:///db?user=a&password=(hidden)&c=d",
        );
        check("hunter22", "(hidden)");
    }
}
