import type { AnswerPart } from './parts.ts';

export type Finish = 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'pause';

/** Counts of tokens. The prompt is the sum of `input`, `cacheRead` and `cacheWrite`. */
export interface Usage {
  /** Prompt tokens that no cache served or stored. */
  input: number;
  cacheRead: number;
  cacheWrite: number;
  /** All generated tokens, those of the reasoning included. */
  output: number;
  reasoning: number;
}

/** What a model answers, said in no provider's words. */
export interface Answer {
  kind: 'answer';
  parts: readonly AnswerPart[];
  finish: Finish;
  usage: Usage;
  /** Added to the usage object on the wire, which is what provider packages hand on whole. */
  metadata: Record<string, unknown>;
  responseId?: string;
  model?: string;
  /** Milliseconds before each event. For demos and benchmarks; a test uses gates. */
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

export function answer(parts: readonly AnswerPart[], options: AnswerOptions = {}): Answer {
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
