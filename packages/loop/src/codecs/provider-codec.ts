import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { anthropicFormat } from './anthropic/format.ts';
import { chatFormat } from './chat/format.ts';
import type { Codec, EncodedCall } from './codec.ts';
import { googleFormat } from './google/format.ts';
import { type BuildModel, type RequestTemplate, requestTemplate } from './request-template.ts';
import { responsesFormat } from './responses/format.ts';
import { SizedCache } from '../sized-cache.ts';
import type { EncodePrompt, WireFormat } from './wire-format.ts';

/** What calls with the same options have in common. */
interface Prepared {
  readonly template: RequestTemplate;
  readonly encode: EncodePrompt | undefined;
}

/** Of the prepared requests of one wire format. */
const CACHE_BYTES = 8 * 2 ** 20;

/** Requests of one wire format, by the options of their calls, such as the tools of a chat. They contain no keys. */
class PreparedRequests {
  readonly format: WireFormat;
  readonly #prepared = new SizedCache<string, Prepared | Promise<Prepared>>(CACHE_BYTES);
  readonly #toolsJson = new WeakMap<object, string>();

  constructor(format: WireFormat) {
    this.format = format;
  }

  get(
    build: BuildModel,
    modelId: string,
    options: LanguageModelV4CallOptions,
  ): Prepared | Promise<Prepared> {
    const key = this.#key(modelId, options);
    const known = this.#prepared.get(key);
    if (known !== undefined) return known;
    const preparing = this.#prepare(build, options);
    this.#prepared.set(key, preparing, key.length);
    preparing.then(
      (prepared) => this.#prepared.set(key, prepared, key.length + prepared.template.fields.length),
      () => this.#prepared.delete(key),
    );
    return preparing;
  }

  #key(modelId: string, options: LanguageModelV4CallOptions): string {
    const { tools } = options;
    const toolsJson = tools && (this.#toolsJson.get(tools) ?? JSON.stringify(tools));
    if (tools !== undefined && toolsJson !== undefined) this.#toolsJson.set(tools, toolsJson);
    const rest = { ...options, prompt: undefined, abortSignal: undefined, tools: undefined };
    return `${modelId}\n${JSON.stringify(rest)}\n${toolsJson}`;
  }

  async #prepare(build: BuildModel, options: LanguageModelV4CallOptions): Promise<Prepared> {
    const template = await requestTemplate(build, options, this.format);
    return { template, encode: this.format.prompts(template, options) };
  }
}

const REQUESTS = {
  anthropic: new PreparedRequests(anthropicFormat),
  openai: new PreparedRequests(responsesFormat('openai')),
  azure: new PreparedRequests(responsesFormat('azure')),
  google: new PreparedRequests(googleFormat),
  'openai-chat': new PreparedRequests(chatFormat('openai')),
  'openai-compatible': new PreparedRequests(chatFormat('compatible')),
  'openai-compatible-media': new PreparedRequests(chatFormat('compatible')),
};

/**
 * The APIs that have a codec: Anthropic Messages, OpenAI Responses (also of Azure), Gemini, and Chat Completions of OpenAI
 * and of compatible services, without and with media in tool results.
 */
export type CodecName = keyof typeof REQUESTS;

function bytesOf(pieces: readonly (string | Uint8Array)[]): Uint8Array<ArrayBuffer> {
  const size = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  for (const piece of pieces) {
    if (typeof piece === 'string') at += bytes.write(piece, at);
    else {
      bytes.set(piece, at);
      at += piece.length;
    }
  }
  return bytes;
}

/**
 * A codec with the help of the provider's package: the package encodes the options of a call, once, and decodes
 * responses that are outside the codec's subset. `fetch` is for further requests of the package.
 */
export function providerCodec(
  name: CodecName,
  build: BuildModel,
  fetch: typeof globalThis.fetch = globalThis.fetch,
): Codec {
  const requests = REQUESTS[name];
  const { format } = requests;
  const encoded = (
    { template, encode }: Prepared,
    modelId: string,
    options: LanguageModelV4CallOptions,
    fields: object | undefined,
  ): EncodedCall | undefined => {
    const prompt = encode?.(options);
    if (prompt === undefined) return undefined;
    const own = fields === undefined ? '' : JSON.stringify(fields).slice(1, -1);
    const others = [template.fields, own].filter((part) => part.length > 0);
    return {
      path: format.path(modelId),
      body: bytesOf(['{', ...others.flatMap((part) => [part, ',']), ...prompt.fields, '}']),
      headers: { ...template.headers, ...prompt.headers },
      warnings: template.warnings,
      decoder: (emit, received) =>
        format.decoder(options, { build, fetch, options }, received, emit),
    };
  };
  return {
    encode(modelId, options) {
      const { responseFormat, includeRawChunks, headers } = options;
      if (responseFormat?.type === 'json' || includeRawChunks === true || headers !== undefined)
        return undefined;
      const separate = format.perCall?.(options);
      const prepared = requests.get(build, modelId, separate?.rest ?? options);
      if (!(prepared instanceof Promise))
        return encoded(prepared, modelId, options, separate?.fields);
      return prepared.then(
        (made) => encoded(made, modelId, options, separate?.fields),
        // The package reports what is wrong with the options.
        () => undefined,
      );
    },
    errorMessage: (body) => format.errorMessage(body),
  };
}
