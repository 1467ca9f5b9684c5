import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { providerCodec } from '../../../src/codecs/provider-codec.ts';
import { type Api, APIS, type ApiName, urlOf } from './apis.ts';

export interface SentRequest {
  url: string;
  headers: Record<string, string>;
  body: unknown;
  warnings: unknown;
}

/** The package's request for a call. Undefined if the package rejects the call. */
export async function packageRequest(
  name: ApiName,
  modelId: string,
  options: LanguageModelV4CallOptions,
): Promise<SentRequest | undefined> {
  let sent: Omit<SentRequest, 'warnings'> | undefined;
  const model = APIS[name].model(modelId, (input, init) => {
    const headers = Object.fromEntries(new Headers(init?.headers));
    // The package and the server send different user agents.
    delete headers['user-agent'];
    sent = { url: input as string, headers, body: JSON.parse(init?.body as string) };
    return Promise.resolve(new Response('', { headers: { 'content-type': 'text/event-stream' } }));
  });
  try {
    const { stream } = await model.doStream(options);
    const { value } = await stream.getReader().read();
    return sent && { ...sent, warnings: value?.type === 'stream-start' ? value.warnings : [] };
  } catch {
    return undefined;
  }
}

/** The codec's request for a call. Undefined if the codec does not support the call. */
export async function codecRequest(
  name: ApiName,
  modelId: string,
  options: LanguageModelV4CallOptions,
): Promise<SentRequest | undefined> {
  const api: Api = APIS[name];
  const codec = providerCodec(api.codec, (fetch) => Promise.resolve(api.model(modelId, fetch)));
  const call = await codec.encode(modelId, options);
  return (
    call && {
      url: urlOf(call.path),
      headers: { 'content-type': 'application/json', ...api.headers, ...call.headers },
      body: JSON.parse(Buffer.from(call.body).toString()),
      warnings: call.warnings ?? [],
    }
  );
}
