import type { JSONObject } from '@ai-sdk/provider';

export type ScriptPiece =
  | { type: 'think'; text: string }
  | { type: 'say'; text: string }
  | { type: 'call'; tool: string; input: JSONObject };

/** What the demo model is going to do with one call. */
export interface Script {
  pieces: readonly ScriptPiece[];
  /** Spread over so many milliseconds, at any pace. */
  lastsMs?: number;
  /** Claims to have read nearly as much as fits. */
  fillsContext?: boolean;
  /** How the first calls with this very prompt fail, one after another. */
  failures?: readonly Failing[];
}

export interface Failing {
  error: Error;
  /** Said before it fails; nothing means that the call is refused outright. */
  after?: string;
}

export const think = (text: string): ScriptPiece => ({ type: 'think', text });
export const say = (text: string): ScriptPiece => ({ type: 'say', text });
export const call = (tool: string, input: JSONObject): ScriptPiece => ({
  type: 'call',
  tool,
  input,
});
export const script = (...pieces: readonly ScriptPiece[]): Script => ({ pieces });
