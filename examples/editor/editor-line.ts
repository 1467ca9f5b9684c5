import type { Readable, Writable } from 'node:stream';
import { createInterface } from 'node:readline';

type Params = Readonly<Record<string, unknown>>;
type Method = (params: Params) => unknown;

interface Incoming {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Params;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** JSON-RPC 2.0 with the editor, one message a line, both ways: either side may ask the other. */
export class EditorLine {
  readonly #output: Writable;
  readonly #methods: Readonly<Record<string, Method>>;
  readonly #asked = new Map<number, PromiseWithResolvers<unknown>>();
  #answering = Promise.resolve();
  #serial = 0;

  constructor(output: Writable, methods: Readonly<Record<string, Method>>) {
    this.#output = output;
    this.#methods = methods;
  }

  /** Until the editor closes its end. */
  async read(input: Readable): Promise<void> {
    for await (const line of createInterface({ input })) {
      if (line.trim() !== '') this.#take(JSON.parse(line) as Incoming);
    }
  }

  notify(method: string, params: Params): void {
    this.#write({ method, params });
  }

  /** Asks the editor. Withdrawn when the signal is aborted: the editor is told to close its dialog. */
  async ask(method: string, params: Params, signal: AbortSignal): Promise<unknown> {
    const id = (this.#serial += 1);
    const asked = Promise.withResolvers<unknown>();
    this.#asked.set(id, asked);
    const withdraw = () => {
      this.notify('withdraw', { id });
      asked.reject(signal.reason);
    };
    signal.addEventListener('abort', withdraw, { once: true });
    this.#write({ id, method, params });
    try {
      return await asked.promise;
    } finally {
      signal.removeEventListener('abort', withdraw);
      this.#asked.delete(id);
    }
  }

  #take({ id, method, params = {}, result, error }: Incoming): void {
    if (method !== undefined) {
      // In the order in which they came: an `ask` after an `open` is about what was opened.
      this.#answering = this.#answering.then(() => this.#answer(id, method, params));
    } else if (error !== undefined) this.#asked.get(Number(id))?.reject(new Error(error.message));
    else this.#asked.get(Number(id))?.resolve(result);
  }

  async #answer(id: number | string | undefined, method: string, params: Params): Promise<void> {
    try {
      const run = this.#methods[method];
      if (run === undefined) throw new Error(`There is no method ${method}.`);
      const result = (await run(params)) ?? null;
      if (id !== undefined) this.#write({ id, result });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#write({ id: id ?? null, error: { code: -32000, message } });
    }
  }

  #write(message: object): void {
    this.#output.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
}
