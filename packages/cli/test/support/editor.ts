import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import {
  client,
  type ClientCapabilities,
  type ClientContext,
  type ContentBlock,
  type CreateElicitationResponse,
  type InitializeResponse,
  ndJsonStream,
  PROTOCOL_VERSION,
  type RequestPermissionRequest,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { vi } from 'vitest';
import { environment, MAIN } from './command.ts';

export interface EditorOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly capabilities?: ClientCapabilities;
}

/** An editor: the client of the protocol's SDK, connected to a process of `chatd acp`. */
export class Editor {
  readonly agent: ClientContext;
  readonly child: ChildProcess;
  readonly initialized: InitializeResponse;
  readonly #state: EditorState;

  private constructor(
    agent: ClientContext,
    child: ChildProcess,
    initialized: InitializeResponse,
    state: EditorState,
  ) {
    this.agent = agent;
    this.child = child;
    this.initialized = initialized;
    this.#state = state;
  }

  static async open({ env, capabilities = {} }: EditorOptions): Promise<Editor> {
    const child = spawn(process.execPath, ['--conditions=chatd-source', MAIN, 'acp'], {
      env: environment(env),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const state = new EditorState();
    child.stderr.setEncoding('utf8').on('data', (text: string) => (state.stderr += text));
    child.stdout.on('data', (bytes: Buffer) => (state.stdout += bytes.toString()));
    const stream = ndJsonStream(
      Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
      Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
    );
    const connection = client({ name: 'test' })
      .onNotification('session/update', ({ params }) => void state.updates.push(params))
      .onRequest('session/request_permission', async ({ params, signal }) => {
        state.asked.push(params);
        const optionId = await state.decide(params, signal);
        return {
          outcome: optionId ? { outcome: 'selected', optionId } : { outcome: 'cancelled' },
        };
      })
      .onRequest('elicitation/create', ({ params }) => state.answer(params.message))
      .onRequest('fs/read_text_file', ({ params }) => {
        const content = state.files.get(params.path);
        if (content === undefined) throw new Error(`There is no ${params.path}.`);
        return { content };
      })
      .onRequest('fs/write_text_file', ({ params }) => {
        state.files.set(params.path, params.content);
      })
      .onRequest('terminal/create', ({ params }) => {
        state.commands.push((params.args ?? []).join(' '));
        return { terminalId: 'terminal-1' };
      })
      .onRequest('terminal/wait_for_exit', () => ({ exitCode: 0 }))
      .onRequest('terminal/output', () => ({ output: 'all green', truncated: false }))
      .onRequest('terminal/kill', () => undefined)
      .onRequest('terminal/release', () => undefined)
      .connect(stream);
    state.close = async () => {
      connection.close();
      child.stdin.end();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
    };
    const initialized = await connection.agent.request('initialize', {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: capabilities,
    });
    return new Editor(connection.agent, child, initialized, state);
  }

  async close(): Promise<void> {
    await this.#state.close();
  }

  /** How the user decides about a call. Default: the first option. */
  set decide(decide: EditorState['decide']) {
    this.#state.decide = decide;
  }

  set answer(answer: EditorState['answer']) {
    this.#state.answer = answer;
  }

  get files(): Map<string, string> {
    return this.#state.files;
  }

  get commands(): readonly string[] {
    return this.#state.commands;
  }

  /** What the user was asked in a session. */
  asked(sessionId: string): RequestPermissionRequest[] {
    return this.#state.asked.filter((request) => request.sessionId === sessionId);
  }

  get output(): { stdout: string; stderr: string } {
    return this.#state;
  }

  async newSession(cwd = '/home/someone/project'): Promise<string> {
    return (await this.agent.request('session/new', { cwd, mcpServers: [] })).sessionId;
  }

  async prompt(sessionId: string, text: string): Promise<string> {
    const prompt: ContentBlock[] = [{ type: 'text', text }];
    return (await this.agent.request('session/prompt', { sessionId, prompt })).stopReason;
  }

  updates<Type extends SessionUpdate['sessionUpdate']>(
    sessionId: string,
    type: Type,
  ): Extract<SessionUpdate, { sessionUpdate: Type }>[] {
    return this.#state.updates.flatMap(({ sessionId: id, update }) =>
      id === sessionId && update.sessionUpdate === type ? [update as never] : [],
    );
  }

  /** The text of the agent, or of the user. */
  text(sessionId: string, by: 'agent' | 'user' = 'agent'): string {
    const chunks =
      by === 'agent'
        ? this.updates(sessionId, 'agent_message_chunk')
        : this.updates(sessionId, 'user_message_chunk');
    return chunks.map(({ content }) => (content.type === 'text' ? content.text : '')).join('');
  }

  async until(condition: (editor: Editor) => boolean): Promise<void> {
    await vi.waitUntil(() => condition(this), { timeout: 30_000, interval: 20 });
  }
}

type Decide = (
  request: RequestPermissionRequest,
  signal: AbortSignal,
) => string | undefined | Promise<string | undefined>;

export const firstOption: Decide = ({ options }) => options[0]?.optionId;

class EditorState {
  readonly updates: { sessionId: string; update: SessionUpdate }[] = [];
  readonly asked: RequestPermissionRequest[] = [];
  readonly files = new Map<string, string>();
  readonly commands: string[] = [];
  stdout = '';
  stderr = '';
  decide: Decide = firstOption;
  answer: (question: string) => CreateElicitationResponse = () => ({ action: 'cancel' });
  close: () => Promise<void> = () => Promise.resolve();
}
