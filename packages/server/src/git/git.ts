import type { Clock } from '@chatd/loop';
import type { Logger } from 'pino';
import type { Agent } from 'undici';
import type { Bus } from '../bus/bus.ts';
import { type AllowPrivate, guardedAgent } from '../providers/fetch/guarded-agent.ts';
import type { Vault } from '../secrets/vault.ts';
import type { Database } from '../store/database.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';
import { ChatGit } from './chat-git.ts';
import { GitChanges } from './changes.ts';
import { GitConnections } from './connections.ts';
import { GitHubApp, type GitHubAppOptions } from './github-app/github-app.ts';
import { GitGateway } from './gateway.ts';
import { GitHosts } from './hosts/git-hosts.ts';
import { GitProxy } from './proxy/git-proxy.ts';
import { resealGit } from './reseal.ts';

export interface GitOptions {
  readonly database: Database;
  readonly vault: Vault;
  readonly bus: Bus;
  /** Whether hosts may have private addresses. */
  readonly allowPrivate: AllowPrivate;
  readonly app?: GitHubAppOptions | undefined;
  /** Undefined: GitHub does not report changes. */
  readonly webhookSecret?: string | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Git hosts: the connections of users, the proxy for their workspaces, and pull requests. */
export class Git {
  readonly connections: GitConnections;
  readonly hosts: GitHosts;
  readonly gateway: GitGateway;
  readonly changes: GitChanges;
  readonly webhookSecret: string | undefined;
  readonly #database: Database;
  readonly #agent: Agent;

  static async open(options: GitOptions): Promise<Git> {
    await resealGit(options.database, options.vault, options.log);
    const git = new Git(options);
    await git.connections.start();
    await git.changes.start();
    return git;
  }

  private constructor(options: GitOptions) {
    const { database, vault, bus, allowPrivate, app, clock, log } = options;
    this.webhookSecret = options.webhookSecret;
    this.#database = database;
    this.#agent = guardedAgent(allowPrivate);
    const dispatcher = this.#agent;
    this.connections = new GitConnections({
      database,
      vault,
      bus,
      app: app && new GitHubApp(app, dispatcher, clock),
    });
    const { connections } = this;
    this.hosts = new GitHosts({ connections, dispatcher, clock });
    this.changes = new GitChanges(bus, clock);
    this.changes.onChange((host) => this.hosts.refresh(host));
    const proxy = new GitProxy({ database, connections, dispatcher, log });
    this.gateway = new GitGateway({ connections, proxy, clock, log });
  }

  /** For the chats of a server with workspaces. */
  chats(workspaces: Workspaces): ChatGit {
    const { connections, hosts, changes } = this;
    return new ChatGit({ database: this.#database, workspaces, connections, hosts, changes });
  }

  async close(): Promise<void> {
    this.gateway.close();
    await this.changes.close();
    await this.connections.close();
    await this.#agent.destroy();
  }
}
