-- Values of the house as a whole, such as the fingerprint of its token key.
CREATE TABLE house (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- "Prlr": tells this file from another program's.
PRAGMA application_id = 0x50726c72;
