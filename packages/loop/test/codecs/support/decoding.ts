import {
  APICallError,
  type LanguageModelV4CallOptions,
  type LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import { codecModel } from '../../../src/codecs/codec-model.ts';
import { providerCodec } from '../../../src/codecs/provider-codec.ts';
import { fetchTransport } from '../../../src/codecs/transport.ts';
import { classify } from '../../../src/errors/classify.ts';
import { pushModel } from '../../../src/push-model.ts';
import { ManualClock } from '../../../src/testing/manual-clock.ts';
import { type Api, APIS, type ApiName, urlOf } from './apis.ts';

type Part = LanguageModelV4StreamPart;
type Options = Omit<LanguageModelV4CallOptions, 'prompt'>;

export interface Decoded {
  parts: unknown[];
  error?: unknown;
}

/** The chunks of a body, in order of arrival. */
export type Body = readonly (string | Uint8Array)[];

const PROMPT: LanguageModelV4CallOptions['prompt'] = [
  { role: 'user', content: [{ type: 'text', text: 'hi' }] },
];

const TOOLS: NonNullable<Options['tools']> = ['weather', 'search', 'cityAttractions'].map(
  (name) => ({
    type: 'function',
    name,
    inputSchema: { type: 'object', properties: {} },
  }),
);

export interface Call {
  readonly api: ApiName;
  readonly body: Body;
  readonly options?: Options;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: 200. */
  readonly status?: number;
  /** The connection is lost at the end. */
  readonly broken?: boolean;
}

/** Decodes a response with the provider's package and with the codec. */
export async function bothWays(
  call: Call,
): Promise<{ expected: Decoded; actual: Decoded; handedOver: boolean }> {
  const api: Api = APIS[call.api];
  const modelId = api.models[0] ?? '';
  const options = { tools: TOOLS, ...call.options, prompt: PROMPT };
  const answering = () => Promise.resolve(responseOf(call));
  const model = api.model(modelId, answering);
  let built = 0;
  const codec = providerCodec(
    api.codec,
    (fetch) => {
      built++;
      return Promise.resolve(api.model(modelId, fetch));
    },
    answering,
  );
  await codec.encode(modelId, options);
  built = 0;
  const coded = codecModel(
    { ...pushModel(model), push: () => Promise.reject(new Error('not encoded')) },
    { codec, url: urlOf, headers: api.headers },
    fetchTransport(answering),
  );
  const expected = await collect((sink) => pushModel(model).push(options, sink));
  const actual = await collect((sink) => coded.push(options, sink));
  return { expected, actual, handedOver: built > 0 };
}

async function collect(push: (sink: (part: Part) => undefined) => Promise<void>): Promise<Decoded> {
  const parts: Part[] = [];
  const sink = (part: Part) => void parts.push(part);
  try {
    await push(sink);
    return { parts: comparable(parts) };
  } catch (error) {
    return { parts: comparable(parts), error: errorOf(error) };
  }
}

const encoder = new TextEncoder();

function responseOf({ body, headers, broken, status = 200 }: Call): Response {
  const pieces = body.map((piece) => (typeof piece === 'string' ? encoder.encode(piece) : piece));
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = pieces.shift();
      if (piece !== undefined) controller.enqueue(piece);
      else if (broken === true)
        controller.error(new TypeError('terminated', { cause: socketError() }));
      else controller.close();
    },
  });
  return new Response(stream, {
    status,
    headers: { 'content-type': 'text/event-stream', ...headers },
  });
}

const socketError = () => Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' });

/** Numbers generated IDs, joins the deltas of a block, and reduces errors to their classification. */
function comparable(parts: readonly Part[]): unknown[] {
  const ids = new Map<string, string>();
  const known = (id: string) => {
    if (!/^(?:[A-Za-z0-9]{16}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.test(id)) return id;
    const name = ids.get(id) ?? `made-up-${ids.size}`;
    ids.set(id, name);
    return name;
  };
  const made: Record<string, unknown>[] = [];
  for (const part of parts) {
    const last = made.at(-1);
    if ('delta' in part && last?.['type'] === part.type && last['id'] === known(part.id)) {
      last['delta'] = `${String(last['delta'])}${part.delta}`;
      if (part.providerMetadata) last['providerMetadata'] = part.providerMetadata;
    } else {
      made.push({
        ...part,
        ...('id' in part && typeof part.id === 'string' && { id: known(part.id) }),
        ...('toolCallId' in part && { toolCallId: known(part.toolCallId) }),
        ...('error' in part && { error: errorOf(part.error) }),
      });
    }
  }
  return made;
}

const clock = new ManualClock();

function errorOf(error: unknown): unknown {
  const { kind, retryable, status_code, message } = classify(error, { provider: 'test', clock });
  const name = error instanceof Error ? error.name : 'object';
  const isRetryable = APICallError.isInstance(error) ? error.isRetryable : undefined;
  return { name, isRetryable, kind, retryable, status_code, message };
}
