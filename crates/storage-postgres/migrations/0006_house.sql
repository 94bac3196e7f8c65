-- Values of the house as a whole, such as the fingerprint of its token key.
CREATE TABLE house (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
);
