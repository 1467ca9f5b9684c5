import type { AnswerPart } from './parts.ts';

export type Finish = 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'pause';

/** Token counts. The prompt is the sum of `input`, `cacheRead` and `cacheWrite`. */
export interface Usage {
  /** Prompt tokens that were neither read from nor written to a cache. */
  input: number;
  cacheRead: number;
  cacheWrite: number;
  /** All generated tokens, including reasoning. */
  output: number;
  reasoning: number;
}

/** A response of a model, independent of any provider's format. */
export interface ScriptedAnswer {
  kind: 'answer';
  parts: readonly AnswerPart[];
  finish: Finish;
  usage: Usage;
  /** Added to the usage object on the wire, which provider packages pass on. */
  metadata: Record<string, unknown>;
  responseId?: string;
  model?: string;
  /** Milliseconds before each event. For demos and benchmarks; tests use gates. */
  paceMs: number;
}

export interface AnswerOptions {
  finish?: Finish;
  usage?: Partial<Usage>;
  metadata?: Record<string, unknown>;
  responseId?: string;
  model?: string;
  paceMs?: number;
}

const USAGE: Usage = { input: 10, cacheRead: 0, cacheWrite: 0, output: 5, reasoning: 0 };

export function answer(parts: readonly AnswerPart[], options: AnswerOptions = {}): ScriptedAnswer {
  const { finish, usage, metadata = {}, paceMs = 0, ...names } = options;
  const calls = parts.some((part) => part.type === 'tool-call');
  return {
    kind: 'answer',
    parts,
    finish: finish ?? (calls ? 'tool-calls' : 'stop'),
    usage: { ...USAGE, ...usage },
    metadata,
    paceMs,
    ...names,
  };
}
