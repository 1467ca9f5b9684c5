import type { HistoryMessage } from '../history/message.ts';
import { type Family, originOf } from '../providers/family.ts';
import type { Storage } from '../providers/openai.ts';
import type { Files } from '../files.ts';
import type { ToolNames } from '../tools/names.ts';

/** For whom the history is turned into a prompt. */
export interface Conversion extends Storage {
  family: Family;
  provider: string;
  model: string;
  names: ToolNames;
  files: Files;
  /** Nothing may refer to what the provider keeps: it has forgotten. */
  selfContained: boolean;
}

/** Written for another provider: its signatures and server blocks mean nothing to this one. */
export function isForeign(message: HistoryMessage, to: Conversion): boolean {
  const origin = originOf(message.meta?.provider, message.meta?.model);
  if (to.selfContained || origin !== originOf(to.provider, to.model)) return true;
  // An interrupted response was never stored, so its items cannot be referred to.
  return to.family === 'openai-responses' && message.meta?.finish_reason === 'interrupted';
}

/** Characters and length that every provider takes. */
export const legalCallId = (id: string): string =>
  /^[a-zA-Z0-9_-]{1,64}$/.test(id) ? id : id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || '_';
