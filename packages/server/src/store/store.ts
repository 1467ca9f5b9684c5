import type { Publish } from './change.ts';
import { AgentCommands } from './commands/agent-commands.ts';
import { ChatBirths } from './commands/chat-creation.ts';
import { ClientCommands } from './commands/client-commands.ts';
import { Database, type DatabaseOptions } from './database.ts';
import { FileStore } from './files/file-store.ts';
import type { ObjectStorage } from './files/object-storage.ts';
import { Machine } from './commands/transition-executor.ts';
import { PeopleCommands } from './commands/people-commands.ts';
import { RunnerCommands } from './commands/runner-commands.ts';

export interface StoreOptions extends DatabaseOptions {
  readonly publish?: Publish;
  readonly now?: () => Date;
  /** Where the bytes of new files go. Default: the database. */
  readonly storage?: ObjectStorage | undefined;
}

/** Everything that writes chats, over one pool of connections. */
export class Store {
  readonly database: Database;
  readonly files: FileStore;
  readonly births: ChatBirths;
  readonly client: ClientCommands;
  readonly agents: AgentCommands;
  readonly people: PeopleCommands;
  readonly runner: RunnerCommands;

  constructor(options: StoreOptions) {
    this.database = new Database(options);
    this.files = new FileStore({ database: this.database, storage: options.storage });
    const machine = new Machine({
      database: this.database,
      ...(options.publish && { publish: options.publish }),
      ...(options.now && { now: options.now }),
    });
    this.births = new ChatBirths(machine);
    this.client = new ClientCommands(machine);
    this.agents = new AgentCommands(machine, this.births, this.client);
    this.people = new PeopleCommands(machine);
    this.runner = new RunnerCommands(machine);
  }

  async close(): Promise<void> {
    await this.database.close();
  }
}
