import type { ScriptedAnswer, Finish } from '../answer.ts';
import type { EncodeContext } from '../dialect.ts';
import type { EventFrame, StreamFrame } from '../frame.ts';
import type { JsonObject } from '../json.ts';
import type { AnswerPart, ReasoningPart, TextPart, ToolCallPart } from '../parts.ts';
import { joined, piecesToFrames } from '../frame.ts';
import { asObject, isJson } from '../json.ts';
import { frame } from './chunk.ts';
import { groundingOf } from './grounding.ts';
import { isGemini3, modelOf } from './model.ts';
import { usageOf } from './usage.ts';

const FINISH_REASONS: Record<Finish, string> = {
  stop: 'STOP',
  'tool-calls': 'STOP',
  length: 'MAX_TOKENS',
  'content-filter': 'SAFETY',
  pause: 'STOP',
};

type ToChunk = (part: JsonObject, candidate?: JsonObject) => EventFrame;

export function encode(answer: ScriptedAnswer, context: EncodeContext): StreamFrame[] {
  const modelVersion = answer.model ?? modelOf(context.request);
  const responseId = answer.responseId ?? context.ids('response');
  const chunk: ToChunk = (part, candidate = {}) =>
    frame({
      candidates: [{ content: { parts: [part], role: 'model' }, index: 0, ...candidate }],
      usageMetadata: usageOf(answer),
      modelVersion,
      responseId,
    });
  const signed = isGemini3(modelVersion);
  const first = answer.parts.find((part) => part.type === 'tool-call');
  const frames = answer.parts.flatMap((part) => {
    const made = part === first && signed ? context.ids('thought_signature') : undefined;
    return encodePart(part, chunk, made);
  });
  const grounding = groundingOf(answer);
  const ending = { finishReason: FINISH_REASONS[answer.finish], ...grounding };
  return [...frames, chunk({ text: '' }, ending)];
}

function encodePart(
  part: AnswerPart,
  chunk: ToChunk,
  signature: string | undefined,
): StreamFrame[] {
  if (part.type === 'gate') return [part];
  if (part.type === 'raw') return [frame(asObject(part.data))];
  if (part.type === 'text' || part.type === 'reasoning') return words(part, chunk);
  if (part.type === 'tool-call') return call(part, chunk, signature);
  if (part.type === 'file') {
    return [chunk({ inlineData: { mimeType: part.mediaType, data: part.data } })];
  }
  // A search appears only in the metadata of the last chunk.
  return [];
}

/** The signature of a text follows on an empty part. */
function words(part: TextPart | ReasoningPart, chunk: ToChunk): StreamFrame[] {
  const thought = part.type === 'reasoning' ? { thought: true } : {};
  const frames = piecesToFrames(part.pieces, (piece) => chunk({ text: piece, ...thought }));
  const { signature } = part;
  return signature
    ? [...frames, chunk({ text: '', ...thought, thoughtSignature: signature })]
    : frames;
}

/** A call is sent whole: its deltas are joined, and gates among them come first. */
function call(part: ToolCallPart, chunk: ToChunk, made: string | undefined): StreamFrame[] {
  const json = joined(part.pieces);
  if (!isJson(json)) throw new TypeError(`Google cannot send arguments that are no JSON: ${json}`);
  const gates = part.pieces.filter((piece) => typeof piece !== 'string');
  const args: unknown = JSON.parse(json);
  const signature = part.signature === undefined ? made : part.signature;
  const functionCall = { ...(part.id !== undefined && { id: part.id }), name: part.name, args };
  return [...gates, chunk({ functionCall, ...(signature && { thoughtSignature: signature }) })];
}
