import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type LocalTool, systemClock, type ToolOutput } from '@chatd/loop';
import type { TemplateDefinition } from '@chatd/protocol';
import { pino } from 'pino';
import { afterAll } from 'vitest';
import type { ChatRow } from '../../src/chat/row.ts';
import { MemoryBus } from '../../src/bus/memory-bus.ts';
import { Desktops } from '../../src/desktop/desktops.ts';
import { toJson } from '../../src/store/json.ts';
import { findChat } from '../../src/store/queries/chats/find.ts';
import { insertTemplate } from '../../src/store/queries/templates.ts';
import { onlyRow } from '../../src/store/statement.ts';
import { uuidv7 } from '../../src/store/uuid.ts';
import { Checkpoints } from '../../src/workspaces/checkpoints/checkpoints.ts';
import { WorkspaceToolbox } from '../../src/tools/workspace-toolbox.ts';
import type { LocalMachine } from '../../src/machine/local/local-machine.ts';
import { openLocalMachine } from '../../src/machine/local/open-local-machine.ts';
import { oneMachine } from './one-machine.ts';
import { Templates } from '../../src/workspaces/templates.ts';
import { Workspaces, type WorkspacesOptions } from '../../src/workspaces/workspaces.ts';
import { TestStore } from '@chatd/test-server/database';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { call, type CallOptions } from './workspace-handle.ts';

const log = pino({ level: 'silent' });

/** Workspaces and their tools over a database, as in a server, but without models. */
export class ToolWorld {
  readonly directory: string;
  readonly store: TestStore;
  /** The machine that all replicas use. */
  readonly machine: LocalMachine;
  readonly log = log;
  readonly bus = new MemoryBus(log);

  static async start(): Promise<ToolWorld> {
    const directory = await makeTemporaryDirectory();
    const { machine, close } = await openLocalMachine({
      directory: join(directory, 'workspaces'),
      hidden: [directory],
      allowUnsandboxed: false,
      log,
    });
    afterAll(async () => {
      await close();
      await rm(directory, { recursive: true, force: true });
    });
    return new ToolWorld(directory, machine, await TestStore.open());
  }

  private constructor(directory: string, machine: LocalMachine, store: TestStore) {
    this.directory = directory;
    this.machine = machine;
    this.store = store;
  }

  /** One process of the deployment. */
  async replica(over: Partial<WorkspacesOptions> = {}): Promise<Replica> {
    const { database } = this.store;
    const desktops = new Desktops({ clock: systemClock, log });
    const workspaces = new Workspaces({
      database,
      machines: oneMachine(this.machine),
      log,
      bus: this.bus,
      templates: new Templates({ database, directory: undefined, log }),
      prepare: (workspace, row) => desktops.prepare(workspace, row),
      ...over,
    });
    await workspaces.start();
    afterAll(() => workspaces.close());
    return new Replica(this, workspaces, desktops);
  }

  async template(definition: Partial<TemplateDefinition>, name = randomUUID()): Promise<string> {
    const template = {
      id: uuidv7(),
      name,
      definition: toJson({ driver: 'host', ...definition }),
    };
    return onlyRow(await this.store.database.query(insertTemplate, template)).name;
  }

  async chat(id: string): Promise<ChatRow> {
    return onlyRow(await this.store.database.query(findChat, { id }));
  }
}

export class Replica {
  readonly workspaces: Workspaces;
  readonly toolbox: WorkspaceToolbox;
  readonly #world: ToolWorld;

  constructor(world: ToolWorld, workspaces: Workspaces, desktops: Desktops) {
    this.#world = world;
    this.workspaces = workspaces;
    const { store } = world;
    const checkpoints = new Checkpoints({ database: store.database, workspaces, log });
    this.toolbox = new WorkspaceToolbox({ store, workspaces, checkpoints, desktops, log });
  }

  /** The tools of a chat for one turn. */
  async turn(chatId: string): Promise<Turn> {
    const { tools, system } = await this.toolbox.open(await this.#world.chat(chatId));
    return new Turn(tools, system);
  }
}

export class Turn {
  readonly system: readonly string[];
  readonly #tools: ReadonlyMap<string, LocalTool>;

  constructor(tools: readonly LocalTool[], system: readonly string[]) {
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.system = system;
  }

  get names(): string[] {
    return [...this.#tools.keys()];
  }

  tool(name: string): LocalTool {
    const tool = this.#tools.get(name);
    if (tool === undefined) throw new Error(`there is no tool ${name}`);
    return tool;
  }

  call(name: string, args: object = {}, options: CallOptions = {}): Promise<ToolOutput> {
    return call(this.tool(name), args, options);
  }

  async refusal(name: string, args: object = {}): Promise<string> {
    return await this.call(name, args).then(
      (output) => `no refusal: ${JSON.stringify(output)}`,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
  }
}
