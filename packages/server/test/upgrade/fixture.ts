import type { Observed } from './observe.ts';

/** What is known of a dump. */
export interface Expectations {
  /** The commit whose program made it, and how far its migrations went. */
  readonly revision: string;
  readonly schema: number;
  /** Whose tokens they are; the admin's is given at the start, as an operator does. */
  readonly tokens: { readonly admin: string; readonly member: string };
  readonly password: { readonly username: string; readonly password: string };
  /** What encrypts the keys in it. */
  readonly secretKey: string;
  /** Chats by what they are an example of; absent where the version could not have one. */
  readonly chats: Readonly<Record<string, string>>;
  readonly files: readonly string[];
  readonly range: string;
  /** What the version's own API said, just before it was killed. */
  readonly said: { readonly admin: Observed; readonly member: Observed };
  /** Cursors of viewers who had seen everything, by chat; absent where there were no streams. */
  readonly cursors: Readonly<Record<string, string>>;
}

/** In a dump and its expectations it stands for the address of the model. */
export const MODEL_URL = 'http://model.invalid';
