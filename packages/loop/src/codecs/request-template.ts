import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  SharedV4Warning,
} from '@ai-sdk/provider';
import { type Fields, isFields } from './fields.ts';
import type { WireFormat } from './wire-format.ts';

type Fetch = typeof globalThis.fetch;

/** A model of a provider's package that sends its requests with `fetch`. */
export type BuildModel = (fetch: Fetch) => Promise<LanguageModelV4>;

/** A request of the provider's package without its prompt. */
export interface RequestTemplate {
  /** The remaining fields of the body as JSON, without braces. */
  readonly fields: Uint8Array;
  /** Headers that depend on the options. Not the key. */
  readonly headers: Readonly<Record<string, string>>;
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
  format: Pick<WireFormat, 'probe' | 'promptFields' | 'headers'>,
): Promise<RequestTemplate> {
  let sent: { headers: Headers; body: unknown } | undefined;
  const model = await build((_, init) => {
    const body: unknown = JSON.parse(init?.body as string);
    sent = { headers: new Headers(init?.headers), body };
    return Promise.resolve(new Response('', { headers: { 'content-type': 'text/event-stream' } }));
  });
  const { abortSignal: _, ...rest } = options;
  const { stream } = await model.doStream({ ...rest, prompt: format.probe });
  const reader = stream.getReader();
  const { value: start } = await reader.read();
  void reader.cancel().catch(() => {});
  if (sent === undefined || !isFields(sent.body)) throw new Error('The package sent no request.');
  const fields = Object.entries(sent.body);
  const isPrompt = ([name]: [string, unknown]) => format.promptFields.includes(name);
  const others = Object.fromEntries(fields.filter((field) => !isPrompt(field)));
  return {
    fields: Buffer.from(JSON.stringify(others).slice(1, -1)),
    headers: Object.fromEntries(
      [...sent.headers].filter(([name]) => format.headers.includes(name)),
    ),
    warnings: start?.type === 'stream-start' ? start.warnings : [],
    probe: Object.fromEntries(fields.filter(isPrompt)),
  };
}
