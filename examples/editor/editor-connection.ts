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

/** A bidirectional JSON-RPC 2.0 connection to the editor, one message per line. */
export class EditorConnection {
  readonly #output: Writable;
  readonly #methods: Readonly<Record<string, Method>>;
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>();
  #answering = Promise.resolve();
  #serial = 0;

  constructor(output: Writable, methods: Readonly<Record<string, Method>>) {
    this.#output = output;
    this.#methods = methods;
  }

  /** Resolves when the editor closes the connection. */
  async read(input: Readable): Promise<void> {
    for await (const line of createInterface({ input })) {
      if (line.trim() !== '') this.#take(JSON.parse(line) as Incoming);
    }
  }

  notify(method: string, params: Params): void {
    this.#write({ method, params });
  }

  /** Sends a request to the editor. Aborting the signal sends `withdraw`, so that the editor closes its dialog. */
  async ask(method: string, params: Params, signal: AbortSignal): Promise<unknown> {
    const id = (this.#serial += 1);
    const pending = Promise.withResolvers<unknown>();
    this.#pending.set(id, pending);
    const withdraw = () => {
      this.notify('withdraw', { id });
      pending.reject(signal.reason);
    };
    signal.addEventListener('abort', withdraw, { once: true });
    this.#write({ id, method, params });
    try {
      return await pending.promise;
    } finally {
      signal.removeEventListener('abort', withdraw);
      this.#pending.delete(id);
    }
  }

  #take({ id, method, params = {}, result, error }: Incoming): void {
    if (method !== undefined) {
      // In order: an `ask` after an `open` must see the opened folder.
      this.#answering = this.#answering.then(() => this.#answer(id, method, params));
    } else if (error !== undefined) this.#pending.get(Number(id))?.reject(new Error(error.message));
    else this.#pending.get(Number(id))?.resolve(result);
  }

  async #answer(id: number | string | undefined, method: string, params: Params): Promise<void> {
    try {
      const run = this.#methods[method];
      if (run === undefined) throw new Error(`Unknown method: ${method}`);
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
