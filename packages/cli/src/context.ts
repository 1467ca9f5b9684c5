import type { Client } from '@chatd/client';
import type { Style } from './output/style.ts';

/** Everything outside of the program that commands touch. */
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
  /** To stdout. */
  readonly print: (text: string) => void;
  /** A line to stderr: progress, warnings. */
  readonly say: (line: string) => void;
  /** Where the server is, as far as anybody said so. */
  readonly address: () => Promise<Address>;
  /** Fails with what to do when nobody has logged in. */
  readonly client: (options?: ClientWish) => Promise<Client>;
}

export interface ClientWish {
  /** How often a call that did not get through is made again. */
  readonly retries?: number;
}

export interface Address {
  readonly url: string;
  readonly token: string | undefined;
  /** Who said so, for people. */
  readonly source: string;
}
