import type { EventFrame, StreamFrame } from '../frame.ts';
import type { Ids } from '../ids.ts';
import type { JsonObject } from '../json.ts';
import type { AnswerPart, ReasoningPart, ToolCallPart } from '../parts.ts';
import { piecesToFrames } from '../frame.ts';
import { asObject } from '../json.ts';
import { frame } from './event.ts';

/** The content block of one part. Gates and raw events have none. */
export function encodeBlock(part: AnswerPart, index: number, ids: Ids): StreamFrame[] {
  if (part.type === 'gate') return [part];
  if (part.type === 'raw') return [frame(asObject(part.data))];
  // Only calls have a start event: everything else starts with its first delta.
  if (part.type === 'text') {
    return [...piecesToFrames(part.pieces, (text) => delta(index, { text })), stop(index)];
  }
  if (part.type === 'reasoning') return [...reasoning(part, index, ids), stop(index)];
  if (part.type === 'tool-call') return [...toolUse(part, index, ids), stop(index)];
  throw new TypeError(`Bedrock has no wire form for a ${part.type} part`);
}

function delta(contentBlockIndex: number, delta: JsonObject): EventFrame {
  return frame({ contentBlockDelta: { contentBlockIndex, delta } });
}

function stop(contentBlockIndex: number): EventFrame {
  return frame({ contentBlockStop: { contentBlockIndex } });
}

function reasoning(part: ReasoningPart, index: number, ids: Ids): StreamFrame[] {
  const thought = (content: JsonObject) => delta(index, { reasoningContent: content });
  if (part.redacted !== undefined) return [thought({ redactedContent: part.redacted })];
  const frames = piecesToFrames(part.pieces, (text) => thought({ text }));
  const signature = part.signature === undefined ? ids('signature') : part.signature;
  return signature === null ? frames : [...frames, thought({ signature })];
}

function toolUse(part: ToolCallPart, contentBlockIndex: number, ids: Ids): StreamFrame[] {
  const start = { toolUse: { toolUseId: part.id ?? ids('tooluse'), name: part.name } };
  const deltas = piecesToFrames(part.pieces, (input) =>
    delta(contentBlockIndex, { toolUse: { input } }),
  );
  return [frame({ contentBlockStart: { contentBlockIndex, start } }), ...deltas];
}
