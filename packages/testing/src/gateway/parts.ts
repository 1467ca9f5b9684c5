import type { EncodeContext } from '../dialect.ts';
import type { StreamFrame } from '../frame.ts';
import type { JsonObject } from '../json.ts';
import type { AnswerPart, FilePart, ReasoningPart, TextPart, ToolCallPart } from '../parts.ts';
import type { Vendor } from './vendor.ts';
import { joined, piecesToFrames } from '../frame.ts';
import { asObject } from '../json.ts';
import { frame } from './part.ts';
import { searchParts } from './search.ts';

export interface PartPosition {
  vendor: Vendor;
  /** The first call of a response carries Gemini's signature. */
  isFirstCall: boolean;
  context: EncodeContext;
}

export function encodePart(part: AnswerPart, place: PartPosition): StreamFrame[] {
  if (part.type === 'gate') return [part];
  if (part.type === 'raw') return [frame(asObject(part.data))];
  if (part.type === 'text') return textParts(part, place);
  if (part.type === 'reasoning') return reasoningParts(part, place);
  if (part.type === 'tool-call') return callParts(part, place);
  if (part.type === 'web-search') return searchParts(part, place.vendor, place.context.ids);
  return [frame(fileOf(part))];
}

function metadata(vendor: Vendor, values: JsonObject): JsonObject {
  return { providerMetadata: { [vendor]: values } };
}

function textParts(part: TextPart, { vendor, context: { ids } }: PartPosition): StreamFrame[] {
  const id = vendor === 'openai' ? ids('msg') : ids('text');
  const own = vendor === 'openai' ? metadata(vendor, { itemId: id }) : {};
  const sources = part.citations.map(({ url, title }) =>
    frame({ type: 'source', sourceType: 'url', id: ids('source'), url, title: title ?? '' }),
  );
  return [
    frame({ type: 'text-start', id, ...own }),
    ...piecesToFrames(part.pieces, (delta) => frame({ type: 'text-delta', id, delta })),
    ...sources,
    frame({ type: 'text-end', id, ...own }),
  ];
}

function reasoningParts(part: ReasoningPart, { vendor, context }: PartPosition): StreamFrame[] {
  const { ids } = context;
  const item = part.id ?? ids('rs');
  const id = vendor === 'openai' ? `${item}:0` : ids('reasoning');
  const deltas = piecesToFrames(part.pieces, (delta) =>
    frame({ type: 'reasoning-delta', id, delta }),
  );
  const around = (
    opening: JsonObject,
    filling: StreamFrame[],
    closing: JsonObject = {},
  ): StreamFrame[] => [
    frame({ type: 'reasoning-start', id, ...opening }),
    ...filling,
    frame({ type: 'reasoning-end', id, ...closing }),
  ];
  const signature = part.signature === undefined ? ids('signature') : part.signature;
  if (vendor === 'anthropic' && part.redacted !== undefined) {
    return around(metadata(vendor, { redactedData: part.redacted }), []);
  }
  if (vendor === 'anthropic') {
    const signed = metadata(vendor, { signature });
    const last =
      signature === null ? [] : [frame({ type: 'reasoning-delta', id, delta: '', ...signed })];
    return around({}, [...deltas, ...last]);
  }
  if (vendor === 'openai') {
    const stored = { itemId: item, reasoningEncryptedContent: null };
    const encrypted = part.encrypted ?? ids('encrypted_reasoning');
    const sealed = { ...stored, reasoningEncryptedContent: encrypted };
    return around(metadata(vendor, stored), deltas, metadata(vendor, sealed));
  }
  return around({}, deltas);
}

function callParts(
  part: ToolCallPart,
  { vendor, isFirstCall, context }: PartPosition,
): StreamFrame[] {
  const { ids } = context;
  const id = part.id ?? ids('call');
  const made = isFirstCall ? ids('thought_signature') : null;
  const thoughtSignature = part.signature === undefined ? made : part.signature;
  const own =
    vendor === 'openai'
      ? metadata(vendor, { itemId: ids('fc') })
      : vendor === 'google' && thoughtSignature !== null
        ? metadata(vendor, { thoughtSignature })
        : {};
  const input = joined(part.pieces);
  return [
    frame({ type: 'tool-input-start', id, toolName: part.name }),
    ...piecesToFrames(part.pieces, (delta) => frame({ type: 'tool-input-delta', id, delta })),
    frame({ type: 'tool-input-end', id }),
    frame({ type: 'tool-call', toolCallId: id, toolName: part.name, input, ...own }),
  ];
}

function fileOf({ mediaType, data }: FilePart): JsonObject {
  return { type: 'file', mediaType, data: { type: 'data', data } };
}
