import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
  SharedV4Warning,
} from '@ai-sdk/provider';
import { type Fields, isFields } from './fields.ts';

type Fetch = typeof globalThis.fetch;

/** A model of a provider's package that sends its requests with `fetch`. */
export type BuildModel = (fetch: Fetch) => Promise<LanguageModelV4>;

/** A request of the provider's package without its prompt. */
export interface RequestTemplate {
  /** The remaining fields of the body as JSON, without braces. */
  readonly fields: string;
  readonly headers: Headers;
  readonly warnings: SharedV4Warning[];
  /** The fields of the prompt: the probe as the package encodes it. */
  readonly probe: Fields;
}

/**
 * Lets the package encode the options of a call with a short prompt instead of the real one. Settings of models, tool
 * definitions, and beta headers are thus always those of the package.
 */
export async function requestTemplate(
  build: BuildModel,
  options: LanguageModelV4CallOptions,
  probe: LanguageModelV4Prompt,
  promptFields: readonly string[],
): Promise<RequestTemplate> {
  let sent: { headers: Headers; body: unknown } | undefined;
  const model = await build((_, init) => {
    const body: unknown = JSON.parse(init?.body as string);
    sent = { headers: new Headers(init?.headers), body };
    return Promise.resolve(new Response('', { headers: { 'content-type': 'text/event-stream' } }));
  });
  const { stream } = await model.doStream({ ...options, prompt: probe });
  const reader = stream.getReader();
  const { value: start } = await reader.read();
  void reader.cancel().catch(() => {});
  if (sent === undefined || !isFields(sent.body)) throw new Error('The package sent no request.');
  const entries = Object.entries(sent.body);
  const isPrompt = ([name]: [string, unknown]) => promptFields.includes(name);
  return {
    fields: JSON.stringify(Object.fromEntries(entries.filter((entry) => !isPrompt(entry)))).slice(
      1,
      -1,
    ),
    headers: sent.headers,
    warnings: start?.type === 'stream-start' ? start.warnings : [],
    probe: Object.fromEntries(entries.filter(isPrompt)),
  };
}
