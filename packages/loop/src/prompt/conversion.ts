import type { HistoryMessage } from '../history/message.ts';
import { type Family, originOf } from '../providers/family.ts';
import type { Storage } from '../providers/openai.ts';
import type { Files } from '../files.ts';
import type { ToolNames } from '../tools/names.ts';
import type { Fidelity } from './fidelity.ts';

/** The model that a history is converted for. */
export interface Conversion extends Storage {
  family: Family;
  provider: string;
  model: string;
  names: ToolNames;
  files: Files;
  fidelity: Fidelity;
}

/** Written for another provider, whose signatures and server blocks this one does not understand. */
export function isForeign(message: HistoryMessage, to: Conversion): boolean {
  const origin = originOf(message.meta?.provider, message.meta?.model);
  if (to.fidelity !== 'full' || origin !== originOf(to.provider, to.model)) return true;
  if (to.family !== 'openai-responses') return false;
  // Items refer to each other: a response is sent with all of its items, or without their IDs.
  return to.stored === (message.meta?.unstored === true) || !isWholeResponse(message, to);
}

/** OpenAI stores the items of a cut-off response as incomplete, and those of an interrupted one not at all. */
function isWholeResponse({ content, meta }: HistoryMessage, { stored }: Conversion): boolean {
  const reason = meta?.finish_reason;
  if (reason !== undefined && reason !== 'stop' && reason !== 'tool-calls') return false;
  return content.every((part) => {
    // Blank text and generated files are not part of a prompt.
    if (part.type === 'text') return part.custom_kind !== undefined || part.text.trim() !== '';
    if (part.type === 'file') return false;
    // The provider package sends a provider-executed call by its ID only.
    return part.type !== 'tool-call' || part.provider_executed !== true || stored;
  });
}
