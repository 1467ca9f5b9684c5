import { JSONParseError, type LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { Decoder, Emit, Received } from './codec.ts';
import type { BuildModel } from './request-template.ts';

export interface Replay {
  /** Builds the model of the package. */
  readonly build: BuildModel;
  /** For further requests of the package. */
  readonly fetch: typeof globalThis.fetch;
  readonly options: LanguageModelV4CallOptions;
}

/** A replay that does not encode the prompt again, for packages that do not need it to decode the response. */
export const withPrompt = (
  replay: Replay,
  prompt: LanguageModelV4CallOptions['prompt'],
): Replay => ({ ...replay, options: { ...replay.options, prompt } });

/** Bytes that wait for the package. */
const BUFFER_BYTES = 65_536;

/**
 * Continues a response in the provider's package. The package gets the events so far as the response to its request;
 * the parts that it emits for them are dropped. Parts are emitted asynchronously from here on.
 */
export class PackageDecoder implements Decoder {
  readonly #encoder = new TextEncoder();
  readonly #done: Promise<void>;
  #body!: ReadableStreamDefaultController<Uint8Array>;
  #room: PromiseWithResolvers<void> | undefined;
  #isClosed = false;
  #failed: { error: unknown } | undefined;

  constructor(replay: Replay, received: Received, emit: Emit, events: unknown[], parts: number) {
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => void (this.#body = controller),
        pull: () => this.#room?.resolve(),
        cancel: () => this.#close(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: BUFFER_BYTES }),
    );
    for (const event of events) this.event(event);
    this.#done = read(
      replay,
      new Response(body, { headers: received.headers }),
      parts,
      async (part) => {
        if (this.#failed !== undefined) throw this.#failed.error;
        emit(part);
        await received.flush();
      },
    );
    this.#done.catch((error: unknown) => {
      this.#failed ??= { error };
      received.fail(error);
    });
  }

  event(value: unknown): void {
    this.#send(JSON.stringify(value));
  }

  malformed(error: unknown): void {
    this.#send(JSONParseError.isInstance(error) ? error.text : '');
  }

  ready(): Promise<void> | undefined {
    if (this.#isClosed || (this.#body.desiredSize ?? 0) > 0) return undefined;
    this.#room = Promise.withResolvers();
    return this.#room.promise;
  }

  cancel(): void {
    this.#failed = { error: new Error('canceled') };
    if (!this.#isClosed) this.#body.error(this.#failed.error);
    this.#close();
  }

  end(): Promise<void> {
    if (!this.#isClosed) this.#body.close();
    this.#close();
    return this.#done;
  }

  #close(): void {
    this.#isClosed = true;
    this.#room?.resolve();
  }

  #send(data: string): void {
    if (this.#failed !== undefined) throw this.#failed.error;
    if (this.#isClosed) return;
    const lines = data.split('\n').map((line) => `data: ${line}\n`);
    this.#body.enqueue(this.#encoder.encode(`${lines.join('')}\n`));
  }
}

async function read(
  { build, fetch, options }: Replay,
  response: Response,
  skipped: number,
  emit: (part: Parameters<Emit>[0]) => Promise<void>,
): Promise<void> {
  let next: Response | undefined = response;
  const model = await build(async (input, init) => {
    const answer = next ?? (await fetch(input, init));
    next = undefined;
    return answer;
  });
  const { stream } = await model.doStream(options);
  const reader = stream.getReader();
  for (let left = skipped; ; left--) {
    const { done, value } = await reader.read();
    if (done) return;
    if (left <= 0) await emit(value);
  }
}
