import { APICallError, type LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { ProviderError } from '../errors/provider-error.ts';
import { type Model, type PushModel, pushModel, type Sink } from '../push-model.ts';
import { isLate, yieldToEventLoop } from '../yield-to-event-loop.ts';
import type { Codec, Decoder, EncodedCall } from './codec.ts';
import { EventReader } from './event-reader.ts';
import { mergedDeltas } from './merged-deltas.ts';
import { type FailedResponse, fetchTransport, type Transport } from './transport.ts';

/** Where and how the calls of a codec are sent. */
export interface Endpoint {
  readonly codec: Codec;
  /** The URL of a path such as `/chat/completions`. */
  url(path: string): string;
  /** Includes the key. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * A model that calls its provider through a codec. Calls outside the codec's subset go to `model`, which is the model
 * of the provider's package.
 */
export function codecModel(
  model: Model,
  endpoint: Endpoint,
  transport: Transport = fetchTransport(),
): PushModel {
  const { provider, modelId } = model;
  const packaged = pushModel(model);
  return {
    provider,
    modelId,
    push(options, sink) {
      const perform = (call: EncodedCall | undefined) =>
        call === undefined
          ? packaged.push(options, sink)
          : send(endpoint, call, options, sink, transport);
      const encoded = endpoint.codec.encode(modelId, options);
      return encoded instanceof Promise ? encoded.then(perform) : perform(encoded);
    },
  };
}

async function send(
  endpoint: Endpoint,
  call: EncodedCall,
  { headers, abortSignal }: LanguageModelV4CallOptions,
  sink: Sink,
  transport: Transport,
): Promise<void> {
  const url = endpoint.url(call.path);
  const deltas = mergedDeltas(sink);
  let decoder: Decoder | undefined;
  let reader: EventReader | undefined;
  let received: Record<string, string> | undefined;
  let own: { error: unknown } | undefined;
  /** Errors of the decoder and the sink are not errors of the connection. */
  const perform = (work: () => void) => {
    try {
      work();
      return deltas.flush();
    } catch (error) {
      own = { error };
      throw error;
    }
  };
  const canceling = new AbortController();
  const fail = (error: unknown) => {
    own ??= { error };
    canceling.abort(error);
  };
  const request = {
    url,
    headers: {
      'content-type': 'application/json',
      ...endpoint.headers,
      ...call.headers,
      ...defined(headers),
    },
    body: call.body,
    signal: abortSignal ? AbortSignal.any([abortSignal, canceling.signal]) : canceling.signal,
  };
  let failed: FailedResponse | undefined;
  try {
    failed = await transport(
      request,
      (responseHeaders) => {
        received = responseHeaders;
        const flush = () => deltas.flush();
        decoder = call.decoder(deltas.emit, { headers: responseHeaders, flush, fail });
        reader = new EventReader(decoder);
        const { warnings = [] } = call;
        void perform(() => deltas.emit({ type: 'stream-start', warnings }));
      },
      (bytes) =>
        perform(() => reader?.push(bytes)) ??
        decoder?.ready?.() ??
        (isLate() ? yieldToEventLoop() : undefined),
    );
  } catch (error) {
    decoder?.cancel?.();
    if (own !== undefined) throw own.error;
    if (abortSignal?.aborted === true || error instanceof ProviderError) throw error;
    throw received === undefined ? unreachable(url, error) : broken(url, received, error);
  }
  if (failed !== undefined) throw failure(url, failed, endpoint.codec);
  await reader?.end();
  await deltas.flush();
}

const defined = (headers: LanguageModelV4CallOptions['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers ?? {}).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    ),
  );

/** As the packages report it. The request is left out: it contains the whole prompt. */
function failure(url: string, failed: FailedResponse, codec: Codec): APICallError {
  const { status: statusCode, statusText, headers: responseHeaders, body: responseBody } = failed;
  const data = json(responseBody);
  const message = codec.errorMessage(data);
  return new APICallError({
    message: message ?? statusText,
    url,
    requestBodyValues: {},
    statusCode,
    responseHeaders,
    responseBody,
    ...(message !== undefined && { data }),
  });
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unreachable(url: string, error: unknown): unknown {
  if (!(error instanceof TypeError) || !(error.cause instanceof Error)) return error;
  const { cause } = error;
  const message = `Cannot connect to API: ${cause.message}`;
  return new APICallError({ message, cause, url, requestBodyValues: {}, isRetryable: true });
}

const broken = (url: string, responseHeaders: Record<string, string>, cause: unknown) =>
  new APICallError({
    message: 'Failed to process successful response',
    cause,
    statusCode: 200,
    url,
    responseHeaders,
    requestBodyValues: {},
    isRetryable: true,
  });
