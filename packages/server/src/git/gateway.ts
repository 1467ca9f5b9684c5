import { createServer, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { AsyncResource } from 'node:async_hooks';
import { type Clock, sleep } from '@chatd/loop';
import type { Logger } from 'pino';
import { connectionSocket } from '../machine/connection-socket.ts';
import type { Machine } from '../machine/machine.ts';
import type { WorkspaceGateway } from '../workspaces/gateway.ts';
import type { GitConnections } from './connections.ts';
import type { GitProxy, ProxiedWorkspace } from './proxy/git-proxy.ts';

export interface GitGatewayOptions {
  readonly connections: Pick<GitConnections, 'hosts' | 'onChange'>;
  readonly proxy: Pick<GitProxy, 'answer'>;
  readonly clock: Clock;
  readonly log: Logger;
}

const RETRY_MS = 1000;
/** While the machine is offline. */
const MAX_RETRY_MS = 16_000;
/** Open connections of a workspace, whatever its machine says. */
const MAX_CONNECTIONS = 64;

/** The hosts of the owner have changed. */
class HostsChanged extends Error {
  override readonly name = 'HostsChanged';
}

/** The workspace is closed on this replica. */
class Left extends Error {
  override readonly name = 'Left';
}

/** Serves git in the workspaces that this replica uses: each connection of a workspace goes to the proxy. */
export class GitGateway implements WorkspaceGateway {
  readonly #options: GitGatewayOptions;
  readonly #workspaces = new WeakMap<Duplex, ProxiedWorkspace>();
  readonly #served = new Set<AbortController>();
  readonly #server: Server;
  /** Outside of the request or turn that opens a workspace, whose trace would otherwise never end. */
  readonly #scope = new AsyncResource('GitGateway');

  constructor(options: GitGatewayOptions) {
    this.#options = options;
    // It does not listen: workspaces are its only clients.
    this.#server = createServer({ requestTimeout: 0 }, (incoming, outgoing) => {
      const workspace = this.#workspaces.get(incoming.socket);
      if (workspace === undefined) return void outgoing.destroy();
      void options.proxy.answer(workspace, incoming, outgoing);
    });
  }

  async hosts(ownerId: string): Promise<readonly string[]> {
    return await this.#options.connections.hosts(ownerId);
  }

  serve(workspace: ProxiedWorkspace, machine: Machine): () => void {
    const left = new AbortController();
    this.#served.add(left);
    this.#scope.runInAsyncScope(() => void this.#acceptAll(workspace, machine, left.signal));
    return () => {
      this.#served.delete(left);
      left.abort(new Left('the workspace was closed'));
    };
  }

  close(): void {
    for (const left of this.#served) left.abort(new Left('the server is shutting down'));
    this.#server.closeAllConnections();
  }

  async #acceptAll(
    workspace: ProxiedWorkspace,
    machine: Machine,
    left: AbortSignal,
  ): Promise<void> {
    const { connections, clock, log } = this.#options;
    let change = new AbortController();
    const unsubscribe = connections.onChange((ownerId) => {
      if (ownerId === workspace.owner_id) change.abort(new HostsChanged());
    });
    const open = new Set<Duplex>();
    let wasServed = false;
    let retryMs = RETRY_MS;
    while (!left.aborted) {
      if (change.signal.aborted) change = new AbortController();
      const signal = AbortSignal.any([left, change.signal]);
      try {
        const hosts = await connections.hosts(workspace.owner_id);
        // Without hosts, there is nothing to accept. The machine learns once that none is left.
        if (hosts.length === 0 && !wasServed) await aborted(signal);
        wasServed = hosts.length > 0;
        for (;;) {
          const socket = await connectionSocket((handlers) =>
            machine.accept({ workspaceId: workspace.id, hosts, handlers, signal }),
          );
          if (open.size >= MAX_CONNECTIONS) {
            socket.destroy();
            throw new Error('The workspace has too many connections.');
          }
          open.add(socket);
          socket.once('close', () => open.delete(socket));
          this.#take(workspace, socket);
          retryMs = RETRY_MS;
        }
      } catch (error) {
        if (signal.aborted) continue;
        log.debug({ workspace_id: workspace.id, err: error }, 'git connections are not accepted');
        await sleep(clock, retryMs, left).catch(() => undefined);
        retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
      }
    }
    unsubscribe();
  }

  #take(workspace: ProxiedWorkspace, socket: Duplex): void {
    this.#workspaces.set(socket, workspace);
    socket.on('error', () => undefined);
    this.#server.emit('connection', socket);
  }
}

/** Rejects when the signal is aborted. */
function aborted(signal: AbortSignal): Promise<never> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  return promise;
}
