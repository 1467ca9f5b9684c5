import { Query } from 'pg';
import { type ParamsOf, type Statement, valuesOf } from './statement.ts';

/** The parts of the driver that its types leave out. */
interface DriverConnection {
  describe(message: object): void;
}
interface DriverQuery {
  prepare(connection: DriverConnection): void;
  handleRowDescription(message: object): void;
}
const driver = Query.prototype as unknown as DriverQuery;

interface KnownStatements {
  /** The connection without `describe`. */
  readonly silent: DriverConnection;
  /** Descriptions of rows, by statement. */
  readonly descriptions: Map<string, object>;
}
const knownBy = new WeakMap<DriverConnection, KnownStatements>();

function knownStatements(connection: DriverConnection): KnownStatements {
  const known = knownBy.get(connection) ?? {
    silent: Object.assign(Object.create(connection) as DriverConnection, {
      describe: () => undefined,
    }),
    descriptions: new Map<string, object>(),
  };
  knownBy.set(connection, known);
  return known;
}

/**
 * A prepared statement whose columns PostgreSQL describes once per connection. They cannot change: PostgreSQL refuses to
 * run a prepared statement whose result would have other types.
 */
export class PreparedQuery<Params, Row> extends Query {
  readonly name: string;
  #descriptions: KnownStatements['descriptions'] | undefined;

  constructor(statement: Statement<Params, Row>, params: ParamsOf<Params>) {
    // The driver copies a config object property by property.
    super(statement.text, valuesOf(statement, ...params));
    this.name = statement.name;
  }

  prepare(connection: DriverConnection): void {
    const { silent, descriptions } = knownStatements(connection);
    const known = descriptions.get(this.name);
    if (known !== undefined) driver.handleRowDescription.call(this, known);
    this.#descriptions = descriptions;
    driver.prepare.call(this, known === undefined ? connection : silent);
  }

  handleRowDescription(message: object): void {
    driver.handleRowDescription.call(this, message);
    this.#descriptions?.set(this.name, message);
  }
}
