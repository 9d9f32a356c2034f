-- Run once, in the new database, by the role that will write the indexes.
\getenv password READER_PASSWORD
CREATE EXTENSION IF NOT EXISTS vector;
CREATE ROLE headnote_reader LOGIN PASSWORD :'password';
-- What this role makes later can be read, too.
ALTER DEFAULT PRIVILEGES GRANT USAGE ON SCHEMAS TO headnote_reader;
ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO headnote_reader;
