-- +goose Up
-- The Merkle tree over the hashes of the audit's rows (RFC 6962): leaf i is row base + 1 + i. Rows
-- up to base were removed before there was a tree. The first checkpoint is the newest signed one,
-- the second the newest one with signatures of witnesses.
CREATE TABLE audit_tree (
  one        INTEGER PRIMARY KEY CHECK (one = 1),
  origin     TEXT NOT NULL,
  base       INTEGER NOT NULL,
  size       INTEGER NOT NULL,
  signed     TEXT NOT NULL,
  signed_for INTEGER NOT NULL,
  seen       TEXT NOT NULL,
  seen_for   INTEGER NOT NULL
) STRICT;

INSERT INTO audit_tree (one, origin, base, size, signed, signed_for, seen, seen_for)
SELECT 1, '', target, 0, '', 0, '', 0 FROM audit_anchor WHERE one = 1;

-- The tree's hashes, up to 256 in a tile. They stay when their rows are removed.
CREATE TABLE audit_tiles (
  level  INTEGER NOT NULL,
  number INTEGER NOT NULL,
  hashes BLOB NOT NULL,
  PRIMARY KEY (level, number)
) STRICT;

-- +goose Down
DROP TABLE audit_tiles;
DROP TABLE audit_tree;
