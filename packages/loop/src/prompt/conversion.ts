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
  if (to.family !== 'openai-responses') return false;
  const { finish_reason, unstored } = message.meta ?? {};
  // Items refer to each other, and only together: all of them are stored, or none. An interrupted response never is.
  return finish_reason === 'interrupted' || to.stored === (unstored === true);
}
