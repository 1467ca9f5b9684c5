import { answer, startFakeProvider, text as says, toolCall } from '@chatd/testing';
import type { Json } from '@chatd/protocol';
import { pino } from 'pino';
import type { StoredPart } from '../../src/chat/row.ts';
import { Mcp, type McpOptions } from '../../src/mcp/mcp.ts';
import { packed, splitAuth } from '../../src/mcp/server-secrets.ts';
import { masterKey } from '../../src/secrets/master-key.ts';
import { Vault } from '../../src/secrets/vault.ts';
import { toJson } from '../../src/store/json.ts';
import { mcpSecretsOf, type McpServerRow } from '../../src/store/mcp-servers.ts';
import { insertMcpServer } from '../../src/store/queries/mcp-servers.ts';
import { onlyRow } from '../../src/store/statement.ts';
import { uuidv7 } from '../../src/store/uuid.ts';
import { createTestDatabase, TestStore, text } from '@chatd/test-server/database';
import { eventually } from '@chatd/test-server/eventually';
import { modelsAt, newBus, type Replica, startReplica } from '../worker/replica.ts';

type Fake = Awaited<ReturnType<typeof startFakeProvider>>;
type AuthInput = Parameters<typeof splitAuth>[0];

const vault = new Vault([await masterKey('the secret key of these tests')]);

export interface NewMcpServer extends Partial<Omit<McpServerRow, 'auth' | 'secrets'>> {
  readonly auth?: AuthInput;
  readonly env?: Readonly<Record<string, string>>;
}

/** A database, a fake provider that scripts the model, and workers with the tools of MCP servers. */
export class World {
  readonly store: TestStore;
  readonly provider: Fake;
  readonly logged: string[] = [];
  readonly #bus = newBus();
  readonly #running: { replica: Replica; mcp: Mcp }[] = [];

  static async open(): Promise<World> {
    const { url } = await createTestDatabase();
    return new World(await TestStore.open(url), await startFakeProvider({ api: 'anthropic' }));
  }

  private constructor(store: TestStore, provider: Fake) {
    this.store = store;
    this.provider = provider;
  }

  get url(): string {
    return this.store.url;
  }

  /** Starts a worker with MCP, like another process. */
  async start(options: Partial<McpOptions> = {}): Promise<{ replica: Replica; mcp: Mcp }> {
    const log = pino({ level: 'debug' }, { write: (line) => this.logged.push(line) });
    const mcp = await Mcp.open({
      database: this.store.database,
      vault,
      allowPrivate: () => Promise.resolve(true),
      version: '0',
      log,
      ...options,
      // A program may start slowly on a busy machine.
      timing: { startMs: 60_000, ...options.timing },
    });
    const replica = await startReplica({
      ...(options.workerId !== undefined && { workerId: options.workerId }),
      url: this.url,
      bus: this.#bus,
      models: modelsAt(this.provider.url),
      toolboxes: [mcp.toolbox],
    });
    const started = { replica, mcp };
    this.#running.push(started);
    return started;
  }

  async stop(): Promise<void> {
    for (const { replica, mcp } of this.#running.splice(0)) {
      await replica.stop();
      await mcp.close();
    }
  }

  /** Adds a server, like an admin. */
  async add(given: NewMcpServer): Promise<McpServerRow> {
    const id = uuidv7();
    const { auth, secret } = splitAuth(given.auth ?? { type: 'none' });
    const env = given.env ?? {};
    const secrets = packed({ env, ...(secret !== undefined && { auth: secret }) });
    const sealed = Object.keys(secrets).length === 0 ? null : vault.seal(secrets, mcpSecretsOf(id));
    const transport = given.transport ?? 'stdio';
    return onlyRow(
      await this.store.database.query(insertMcpServer, {
        id,
        transport,
        name: given.name ?? `s${id.replaceAll('-', '').slice(-12)}`,
        url: given.url ?? null,
        command: given.command ?? null,
        args: given.args ?? [],
        auth: toJson(auth),
        secrets: sealed,
        env_names: Object.keys(env),
        tool_allow: given.tool_allow ?? null,
        tool_deny: given.tool_deny ?? [],
        timeout_seconds: given.timeout_seconds ?? 60,
        trusted: given.trusted ?? false,
        default_on: given.default_on ?? false,
        enabled: given.enabled ?? true,
        cwd: given.cwd ?? null,
        limits: toJson(given.limits ?? {}),
        group_ids: given.group_ids ?? null,
      }),
    );
  }

  /** Creates a chat with a message, which a worker acquires. */
  async ask(servers: readonly McpServerRow[], over: object = {}): Promise<string> {
    const { id } = await this.store.create({
      content: text('Go on'),
      mcp_server_ids: servers.map((server) => server.id),
      ...over,
    });
    this.#hint(id);
    return id;
  }

  /** Sends another message to the chat. */
  async say(chatId: string): Promise<void> {
    await this.#running.at(-1)!.replica.store.client.send(chatId, this.store.message('And then?'));
  }

  async arrives(chatId: string, status = 'waiting'): Promise<void> {
    await eventually(async () => {
      const chat = await this.store.read(chatId);
      if (chat.status !== status) throw new Error(`the chat is ${chat.status}`);
    });
  }

  /** Runs a turn in which the model calls these tools in parallel, and returns their results in call order. */
  async turn(servers: readonly McpServerRow[], calls: readonly ScriptedCall[]): Promise<Result[]> {
    this.script(calls);
    const id = await this.ask(servers);
    await this.arrives(id);
    return await this.results(id);
  }

  /** Scripts a turn: parallel calls of these tools, then a final answer. */
  script(calls: readonly ScriptedCall[]): void {
    this.provider.answer(
      answer(calls.map(([tool, args], at) => toolCall(tool, args, { id: `toolu_${at}` }))),
      answer([says('Done.')]),
    );
  }

  async results(chatId: string): Promise<Result[]> {
    const messages = await this.store.history(chatId);
    return messages.flatMap(({ content }) => content).filter((part) => part.type === 'tool-result');
  }

  /** The tools in a request to the model. Default: the latest request. */
  offered(index = -1): string[] {
    const body = this.provider.requests.at(index)?.body as { tools?: { name: string }[] };
    return (body.tools ?? []).map(({ name }) => name);
  }

  /** The system prompt in a request to the model. Default: the latest request. */
  system(index = -1): string {
    const body = this.provider.requests.at(index)?.body as { system?: Json } | undefined;
    return JSON.stringify(body?.system ?? '');
  }

  #hint(id: string): void {
    const change = { command: 'create', id, status: 'running', snapshot_version: 1 };
    this.#bus.publish('changes', change);
  }
}

type ScriptedCall = readonly [tool: string, args: Record<string, unknown>];

type Result = Extract<StoredPart, { type: 'tool-result' }>;
