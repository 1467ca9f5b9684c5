import type { Json } from '@chatd/protocol';
import { cleanJson, cleanText } from '../clean-text.ts';
import { legalCallId } from '../history/call-ids.ts';
import type { HistoryCall } from '../history/message.ts';

/** A call whose arguments are still streaming. */
interface CallBlock {
  part: HistoryCall;
  raw: string;
  /** The arguments are complete. */
  complete: boolean;
}

const MAX_BASE = 34;

/**
 * Makes IDs unique within a message and, for calls that run here, within the history: some servers number the calls of
 * each response from the start, and others reject repeated IDs. A duplicate gets a number, a missing ID a name.
 */
export class CallBlocks {
  /** As providers see them. */
  readonly #own = new Set<string>();
  readonly #usedBefore: () => ReadonlySet<string>;
  #before: ReadonlySet<string> | undefined;
  /** By the provider's ID, latest first. */
  readonly #latest = new Map<string, CallBlock>();
  readonly all: CallBlock[] = [];

  /** Used IDs are computed once, and only if there is a call. */
  constructor(usedBefore: () => ReadonlySet<string>) {
    this.#usedBefore = usedBefore;
  }

  get(providerId: string): CallBlock | undefined {
    return this.#latest.get(providerId);
  }

  open(providerId: string, toolName: string, providerExecuted: boolean): CallBlock {
    const base = providerId === '' ? 'call' : cleanText(providerId);
    let id = base;
    for (let n = 2; this.#isUsed(id, providerExecuted); n++) id = `${base.slice(0, MAX_BASE)}-${n}`;
    this.#own.add(legalCallId(id));
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

  #isUsed(id: string, providerExecuted: boolean): boolean {
    const legal = legalCallId(id);
    if (this.#own.has(legal)) return true;
    if (providerExecuted) return false;
    this.#before ??= this.#usedBefore();
    return this.#before.has(legal);
  }
}

/** Missing arguments become an empty object. Invalid JSON is kept as raw text. */
export function readArgs(raw: string): { args: Json; raw_args?: string } {
  if (raw.trim() === '') return { args: {} };
  try {
    return { args: cleanJson(JSON.parse(raw)) };
  } catch {
    return { args: {}, raw_args: cleanText(raw) };
  }
}
