import type { Json } from '@chatd/protocol';
import { cleanJson, cleanText } from '../clean-text.ts';
import type { HistoryCall } from '../history/message.ts';

/** A call while its arguments are still coming in. */
interface CallBlock {
  part: HistoryCall;
  raw: string;
  /** The model has said all of it. */
  complete: boolean;
}

/** Ids are unique within a message: a duplicate gets a number, a missing one a name. */
export class CallBlocks {
  readonly #used = new Set<string>();
  /** By the id that the provider uses, the latest one. */
  readonly #latest = new Map<string, CallBlock>();
  readonly all: CallBlock[] = [];

  get(providerId: string): CallBlock | undefined {
    return this.#latest.get(providerId);
  }

  open(providerId: string, toolName: string, providerExecuted: boolean): CallBlock {
    const base = providerId === '' ? 'call' : cleanText(providerId);
    let id = base;
    for (let n = 2; this.#used.has(id); n++) id = `${base}-${n}`;
    this.#used.add(id);
    const part: HistoryCall = {
      type: 'tool-call',
      tool_call_id: id,
      tool_name: cleanText(toolName),
      args: {},
    };
    if (providerExecuted) part.provider_executed = true;
    const block = { part, raw: '', complete: false };
    this.#latest.set(providerId, block);
    this.all.push(block);
    return block;
  }
}

/** No arguments at all are an empty object; what is not JSON is kept beside one. */
export function readArgs(raw: string): { args: Json; raw_args?: string } {
  if (raw.trim() === '') return { args: {} };
  try {
    return { args: cleanJson(JSON.parse(raw)) };
  } catch {
    return { args: {}, raw_args: cleanText(raw) };
  }
}
