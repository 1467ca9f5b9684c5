import type { JSONObject } from '@ai-sdk/provider';

export type ScriptPiece =
  | { type: 'think'; text: string }
  | { type: 'say'; text: string }
  | { type: 'call'; tool: string; input: JSONObject };

/** What the demo model does in one call. */
export interface Script {
  pieces: readonly ScriptPiece[];
  /** Duration in milliseconds, at any pace. */
  lastsMs?: number;
  fillsContext?: boolean;
  /** How the first calls with this prompt fail, in order. */
  failures?: readonly Failing[];
}

export interface Failing {
  error: Error;
  /** Text before the failure. Empty: the call is refused. */
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
