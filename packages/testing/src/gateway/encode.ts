import type { ScriptedAnswer, Finish } from '../answer.ts';
import type { EncodeContext } from '../dialect.ts';
import type { EventFrame, StreamFrame } from '../frame.ts';
import type { JsonObject } from '../json.ts';
import type { Vendor } from './vendor.ts';
import { frame } from './part.ts';
import { encodePart } from './parts.ts';
import { modelOf, vendorOf } from './vendor.ts';

const FINISH_REASONS: Record<Finish, string> = {
  stop: 'stop',
  'tool-calls': 'tool-calls',
  length: 'length',
  'content-filter': 'content-filter',
  pause: 'other',
};

export const DONE: EventFrame = { type: 'event', data: '[DONE]', part: false };

export function encode(answer: ScriptedAnswer, context: EncodeContext): StreamFrame[] {
  const model = answer.model ?? modelOf(context.request);
  const vendor = vendorOf(modelOf(context.request));
  const first = answer.parts.find((part) => part.type === 'tool-call');
  const timestamp = new Date(context.created * 1000).toISOString();
  const id = answer.responseId ?? context.ids('gen');
  return [
    frame({ type: 'stream-start', warnings: [] }),
    frame({ type: 'response-metadata', id, modelId: model, timestamp }),
    ...answer.parts.flatMap((part) =>
      encodePart(part, { vendor, isFirstCall: part === first, context }),
    ),
    frame(finish(answer, vendor, id)),
    DONE,
  ];
}

function finish(
  { finish, usage, metadata }: ScriptedAnswer,
  vendor: Vendor,
  id: string,
): JsonObject {
  const { input, cacheRead, cacheWrite, output, reasoning } = usage;
  const total = input + cacheRead + cacheWrite;
  const raw = { input_tokens: total, output_tokens: output, ...metadata };
  // OpenAI's stream has no raw finish reason for an ordinary end.
  const reason = vendor === 'openai' ? {} : { raw: FINISH_REASONS[finish] };
  return {
    type: 'finish',
    finishReason: { unified: FINISH_REASONS[finish], ...reason },
    usage: {
      inputTokens: { total, noCache: input, cacheRead, cacheWrite },
      outputTokens: { total: output, text: output - reasoning, reasoning },
      raw,
    },
    providerMetadata: {
      [vendor]: { usage: raw },
      gateway: {
        routing: { resolvedProvider: vendor, attempts: [{ provider: vendor, success: true }] },
        cost: '0.00042',
        generationId: id,
      },
    },
  };
}
