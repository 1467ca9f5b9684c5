import { execute } from '@chatd/test-server/database';

/**
 * Replaces the clock of a test database: `now()`, `clock_timestamp()` and `pg_postmaster_start_time()` of all statements,
 * functions and column defaults. A transaction that began before a change keeps its `now()`.
 */
export async function replaceClock(url: string): Promise<void> {
  await execute(url, SCHEMA);
}

/** Sets both the current time and the start time of PostgreSQL. */
export const setClock = (at: Date): string =>
  `DELETE FROM clock.times; INSERT INTO clock.times VALUES ('-infinity', '${at.toISOString()}');
   DELETE FROM clock.starts; INSERT INTO clock.starts VALUES ('${at.toISOString()}')`;

export const moveClock = (at: Date): string =>
  `INSERT INTO clock.times VALUES (pg_catalog.clock_timestamp(), '${at.toISOString()}')`;

/** Sets the start time of PostgreSQL to the current time. */
export const restartNow = 'UPDATE clock.starts SET at = clock.clock_timestamp()';

const timeSince = (real: string) =>
  `SELECT at FROM clock.times WHERE since <= ${real} ORDER BY since DESC LIMIT 1`;

const SCHEMA = `
  CREATE SCHEMA clock;
  CREATE TABLE clock.times (since timestamptz PRIMARY KEY, at timestamptz NOT NULL);
  CREATE TABLE clock.starts (at timestamptz NOT NULL);
  CREATE FUNCTION clock.now() RETURNS timestamptz LANGUAGE sql STABLE AS '${timeSince('pg_catalog.now()')}';
  CREATE FUNCTION clock.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
    AS '${timeSince('pg_catalog.clock_timestamp()')}';
  CREATE FUNCTION clock.pg_postmaster_start_time() RETURNS timestamptz LANGUAGE sql STABLE
    AS 'SELECT at FROM clock.starts';
  DO $$
  DECLARE
    found record;
  BEGIN
    FOR found IN
      SELECT adrelid::regclass AS table_name, attname, pg_get_expr(adbin, adrelid) AS expression
        FROM pg_attrdef JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum
       WHERE pg_get_expr(adbin, adrelid) IN ('now()', 'clock_timestamp()')
    LOOP
      EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET DEFAULT clock.%s', found.table_name, found.attname,
                     found.expression);
    END LOOP;
    EXECUTE format('ALTER DATABASE %I SET search_path = clock, pg_catalog, public', current_database());
  END
  $$`;
