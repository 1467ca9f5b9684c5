import type { Publish } from './change.ts';
import { AgentCommands } from './commands/agent-commands.ts';
import type { ReserveRun } from './commands/claim.ts';
import { ChatCreation } from './commands/chat-creation.ts';
import { ClientCommands } from './commands/client-commands.ts';
import { Database, type DatabaseOptions } from './database.ts';
import { FileStore } from './files/file-store.ts';
import type { ObjectStorage } from './files/object-storage.ts';
import { TransitionExecutor } from './commands/transition-executor.ts';
import { ApprovalCommands } from './commands/approval-commands.ts';
import { RunnerCommands } from './commands/runner-commands.ts';

export interface StoreOptions extends DatabaseOptions {
  /** Default: a pool of connections to `url`. */
  readonly database?: Database;
  readonly publish?: Publish;
  /** Reserves capacity of the worker of this process. Default: none, so workers acquire all chats. */
  readonly reserveRun?: ReserveRun;
  readonly now?: () => Date;
  /** Storage for new files. Default: the database. */
  readonly storage?: ObjectStorage | undefined;
}

/** All commands on chats, over one connection pool. */
export class Store {
  readonly database: Database;
  readonly files: FileStore;
  readonly creation: ChatCreation;
  readonly client: ClientCommands;
  readonly agents: AgentCommands;
  readonly approvals: ApprovalCommands;
  readonly runner: RunnerCommands;

  constructor(options: StoreOptions) {
    this.database = options.database ?? new Database(options);
    this.files = new FileStore({ database: this.database, storage: options.storage });
    const executor = new TransitionExecutor({
      database: this.database,
      ...(options.publish && { publish: options.publish }),
      ...(options.reserveRun && { reserveRun: options.reserveRun }),
      ...(options.now && { now: options.now }),
    });
    this.creation = new ChatCreation(executor);
    this.client = new ClientCommands(executor);
    this.agents = new AgentCommands(executor, this.creation, this.client);
    this.approvals = new ApprovalCommands(executor);
    this.runner = new RunnerCommands(executor);
  }

  async close(): Promise<void> {
    await this.database.close();
  }
}
