import type { Client } from '@chatd/client';
import type { Style } from './output/style.ts';

/** Everything outside of the program that commands use. */
export interface Context {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** For stdout. */
  readonly style: Style;
  /** For stderr. */
  readonly errorStyle: Style;
  readonly version: string;
  readonly now: () => number;
  /** Writes to stdout. */
  readonly print: (text: string) => void;
  /** Writes a line to stderr: progress, results of changes, warnings. */
  readonly log: (line: string) => void;
  /** The server that options, environment and login file select. */
  readonly address: () => Promise<Address>;
  /** Fails if there is no token. */
  readonly client: (options?: ClientOptions) => Promise<Client>;
}

interface ClientOptions {
  /** Retries of a call that did not reach the server. */
  readonly retries?: number;
}

export interface Address {
  readonly url: string;
  readonly token: string | undefined;
  readonly isDefault: boolean;
}
