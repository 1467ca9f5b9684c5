import type { StreamFrame } from '../frame.ts';
import type { Ids } from '../ids.ts';
import type { JsonObject } from '../json.ts';
import type { ToDelta } from '../openai-chat/deltas.ts';
import type { ReasoningPart } from '../parts.ts';
import { joined, piecesToFrames } from '../frame.ts';

/** Reasoning of the model behind OpenRouter, which must be sent back unchanged. */
export function reasoningDeltas(
  part: ReasoningPart,
  model: string,
  delta: ToDelta,
  ids: Ids,
): StreamFrame[] {
  const detailed = (detail: JsonObject, reasoning: string | null) =>
    delta({ role: 'assistant', content: '', reasoning, reasoning_details: [detail] });
  if (model.startsWith('openai/')) return sealed(part, detailed, ids);
  if (!model.startsWith('anthropic/')) {
    const open = { type: 'reasoning.text', format: 'unknown', index: 0 };
    return piecesToFrames(part.pieces, (text) => detailed({ ...open, text }, text));
  }
  const claude = { format: 'anthropic-claude-v1', index: 0 };
  if (part.redacted !== undefined) {
    return [detailed({ ...claude, type: 'reasoning.encrypted', data: part.redacted }, null)];
  }
  const thought = { ...claude, type: 'reasoning.text' };
  const frames = piecesToFrames(part.pieces, (text) => detailed({ ...thought, text }, text));
  const signature = part.signature === undefined ? ids('signature') : part.signature;
  return signature === null ? frames : [...frames, detailed({ ...thought, signature }, null)];
}

type Detailed = (detail: JsonObject, reasoning: string | null) => ReturnType<ToDelta>;

/** A readable summary, and the encrypted reasoning. */
function sealed(part: ReasoningPart, detailed: Detailed, ids: Ids): StreamFrame[] {
  const common = { format: 'openai-responses-v1', index: 0 };
  const summary =
    joined(part.pieces) === ''
      ? []
      : piecesToFrames(part.pieces, (text) =>
          detailed({ ...common, type: 'reasoning.summary', summary: text }, text),
        );
  const data = part.encrypted ?? ids('encrypted_reasoning');
  const id = part.id ?? ids('rs');
  return [...summary, detailed({ ...common, type: 'reasoning.encrypted', id, data }, null)];
}
