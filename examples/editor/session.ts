import { createHash } from 'node:crypto';
import { type Client, dynamicTools, runTools, type StreamedEvent } from '@chatd/client';
import type { EditorConnection } from './editor-connection.ts';
import type { Folder } from './folder.ts';
import { editorTools } from './tools.ts';

interface Selection {
  readonly file_name: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly content: string;
}

/** The chat about one folder. A label identifies it, so the editor stores nothing. */
export class Session {
  readonly #client: Client;
  readonly #editor: EditorConnection;
  readonly #label: string;
  readonly #tools: ReturnType<typeof editorTools>;
  readonly #closing = new AbortController();
  #chatId: string | undefined;

  constructor(client: Client, editor: EditorConnection, folder: Folder) {
    this.#client = client;
    this.#editor = editor;
    this.#label = createHash('sha256').update(folder.root).digest('hex').slice(0, 32);
    this.#tools = editorTools(folder, editor);
  }

  /** Resumes the last chat about this folder, even in the middle of a turn. */
  async open(): Promise<{ chat_id: string | null }> {
    const { chats } = await this.#client.chats.list({ label: `editor-folder:${this.#label}` });
    const [last] = chats;
    if (last !== undefined) this.#follow(last.id);
    return { chat_id: last?.id ?? null };
  }

  /** Resolves when the message is committed. It is then answered even if the editor exits. */
  async ask(text: string, selection?: Selection): Promise<{ chat_id: string }> {
    const content = [
      ...(selection === undefined ? [] : [{ type: 'file-reference' as const, ...selection }]),
      { type: 'text' as const, text },
    ];
    if (this.#chatId !== undefined) {
      await this.#client.chats.send(this.#chatId, { content, busy_behavior: 'steer' });
      return { chat_id: this.#chatId };
    }
    const chat = await this.#client.chats.create({
      content,
      labels: { 'editor-folder': this.#label },
      dynamic_tools: dynamicTools(this.#tools),
    });
    this.#follow(chat.id);
    return { chat_id: chat.id };
  }

  async interrupt(): Promise<void> {
    if (this.#chatId !== undefined) await this.#client.chats.interrupt(this.#chatId);
  }

  close(): void {
    this.#closing.abort();
  }

  #follow(chatId: string): void {
    this.#chatId = chatId;
    const { signal } = this.#closing;
    const serving = runTools(this.#client, chatId, this.#tools, { signal });
    Promise.all([serving.done, this.#show(chatId, signal)]).catch((error: unknown) => {
      if (!signal.aborted) this.#editor.notify('failed', { message: String(error) });
    });
  }

  async #show(chatId: string, signal: AbortSignal): Promise<void> {
    const events = this.#client.chats.stream(chatId, {
      signal,
      onConnection: ({ state }) => this.#editor.notify('connection', { state }),
    });
    for await (const event of events) this.#tell(event);
  }

  #tell(event: StreamedEvent): void {
    const editor = this.#editor;
    if (event.type === 'message') editor.notify('message', { message: event.message });
    else if (event.type === 'message_part') editor.notify('part', { part: event.part });
    else if (event.type === 'preview_reset') editor.notify('drop_parts', {});
    else if (event.type === 'history_reset') editor.notify('drop_messages', {});
    else if (event.type === 'status') editor.notify('status', { status: event.status });
    else if (event.type === 'error') editor.notify('failed', { message: event.error.message });
    else if (event.type === 'retry') editor.notify('retry', { message: event.error });
  }
}
