import { type Clock, systemClock } from '@chatd/loop';
import type { TemplateDefinition } from '@chatd/protocol';
import type { Logger } from 'pino';
import type { Bus, Subscription } from '../bus/bus.ts';
import { Refused } from '../chat/refused.ts';
import type { Channel } from '../machine/link/channel.ts';
import type { LinkClient } from '../machine/link/link-client.ts';
import { LinkServer, type LinkTraces, traced } from '../machine/link/link-server.ts';
import { RemoteMachine } from '../machine/link/remote-machine.ts';
import { serveMachine } from '../machine/link/serve-machine.ts';
import { type Machine, MachineOffline, type OwnMachine } from '../machine/machine.ts';
import { whenAborted } from '../machine/when-aborted.ts';
import { toJson } from '../store/json.ts';
import type { MachineRow } from '../store/machines.ts';
import { findMachine, machinesSeen, placeWorkspace } from '../store/queries/machines.ts';
import { databaseTime } from '../store/queries/database-time.ts';
import { existingMachines } from '../store/queries/provisioned-machines.ts';
import type { Queryable } from '../store/statement.ts';
import type { ForwardingKey } from './forwarding-key.ts';
import { HeldMachines, type MachineNotice, MACHINES_SUBJECT } from './held-machines.ts';
import { type HeldLocalMachine, type LocalMachineSource, holdLocal } from './local-holding.ts';
import { MachineRoute, type MachineRouteOptions } from './machine-route.ts';
import type { MachineStats } from './machine-stats.ts';
import { newMachineStats } from './machine-stats.ts';
import type { Machines, UseOptions } from './machines.ts';
import { settleCalls } from './settle-calls.ts';

export interface DeploymentMachinesOptions {
  readonly database: Queryable;
  readonly bus: Bus;
  readonly replicaId: string;
  readonly version: string;
  readonly key: ForwardingKey;
  readonly log: Logger;
  /** Undefined: this replica has no machine of its own. */
  readonly local?: LocalMachineSource | undefined;
  readonly clock?: Clock;
  readonly traces?: LinkTraces | undefined;
  /** How to reach other replicas. Default: over a WebSocket. */
  readonly dial?: MachineRouteOptions['dial'];
}

const TICK_MS = 5000;
const TICKS_PER_MINUTE = 12;
/** How long a machine may take to show that it is connected, before another program replaces it. */
const ANSWER_MS = 3000;

/** All machines of the deployment, usable from this replica. */
export class DeploymentMachines implements Machines {
  readonly #options: DeploymentMachinesOptions;
  readonly #clock: Clock;
  readonly #held: HeldMachines;
  readonly #routes = new Map<string, MachineRoute>();
  readonly #remote = new Map<string, RemoteMachine>();
  readonly #forwards = new WeakMap<LinkClient, Set<LinkServer>>();
  readonly #stats = newMachineStats();
  readonly #told = new Set<string>();
  #local: HeldLocalMachine | undefined;
  #internalUrl = '';
  #subscription: Subscription | undefined;
  #cancelTick: () => void = () => undefined;
  #ticking: Promise<void> = Promise.resolve();
  #ticks = 0;
  #isClosing = false;

  constructor(options: DeploymentMachinesOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#held = new HeldMachines({
      ...options,
      internalUrl: () => this.#internalUrl,
      answers: (machineId) => this.#answers(machineId),
      onRoundTrip: (ms) => {
        this.#stats.pings += 1;
        this.#stats.pingMs += ms;
      },
    });
  }

  /** `internalUrl` is where other replicas reach this one. */
  async start(internalUrl: string): Promise<void> {
    this.#internalUrl = internalUrl;
    this.#subscription = await this.#options.bus.subscribe(MACHINES_SUBJECT, (payload) => {
      const notice = payload as unknown as MachineNotice;
      this.#held.told(notice);
      this.#routes.get(notice.machine_id)?.wake();
      if (notice.epoch !== null) return;
      if (notice.machine_id === this.#options.local?.id) void this.#tickNow();
      else void this.#held.recheck(notice.machine_id).catch(() => undefined);
    });
    await this.#holdLocal().catch((error: unknown) =>
      this.#options.log.warn({ err: error }, 'cannot start the local machine'),
    );
    this.#schedule();
  }

  async use(machineId: string, { signal, onWaiting }: UseOptions = {}): Promise<Machine> {
    const own = this.#own(machineId);
    if (own !== undefined) return own;
    const route = this.#routeTo(machineId);
    try {
      const name = await this.#nameOf(machineId);
      await route.link({
        waitMs: signal === undefined ? 0 : Infinity,
        signal,
        onWaiting: () => onWaiting?.(name),
      });
      return this.#own(machineId) ?? this.#remoteMachine(machineId, name);
    } catch (error) {
      throw error instanceof MachineOffline ? new Refused('machine_offline', error.message) : error;
    }
  }

  async place(
    { driver, machine }: Pick<TemplateDefinition, 'driver' | 'machine'>,
    tx: Queryable,
  ): Promise<{ readonly id: string; readonly name: string }> {
    const labels = machine?.labels ?? {};
    const needsDocker = driver === 'docker';
    const [found] = await tx.query(placeWorkspace, {
      labels: toJson({ ...labels }),
      capabilities: toJson(needsDocker ? { docker: true } : {}),
    });
    if (found !== undefined) return found;
    const wanted = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
    const needs = [
      ...(needsDocker ? ['Docker'] : []),
      ...(wanted.length > 0 ? [`the labels ${wanted.join(', ')}`] : []),
    ];
    const which = needs.length === 0 ? '' : ` with ${needs.join(' and ')}`;
    const change = needs.length === 0 ? '' : ', or change the template';
    throw new Refused(
      'no_machine',
      `No machine${which} is online and takes new workspaces. Start one with \`chatd machine\`${change}.`,
    );
  }

  count(outcome: 'recovered' | 'lost'): void {
    this.#stats[outcome] += 1;
  }

  held(): readonly OwnMachine[] {
    return this.#held.all.map(({ id, name }) => this.#own(id) ?? this.#remoteMachine(id, name));
  }

  /** Serves a machine whose token was checked. */
  async accept(row: MachineRow, channel: Channel): Promise<void> {
    await this.#held.accept(row, channel);
    const link = this.#held.find(row.id);
    if (link !== undefined) await this.#settle(row.id, row.name);
  }

  /** Why another replica cannot use the machine through this one. Undefined: it can. */
  async problemWithForward(
    machineId: string,
    header: string | undefined,
  ): Promise<string | undefined> {
    const { key, replicaId, database } = this.#options;
    return await key.problemWith(header, { machineId, replicaId }, () => databaseTime(database));
  }

  holds(machineId: string): boolean {
    return !this.#isClosing && this.#held.find(machineId) !== undefined;
  }

  /** Serves a replica, as long as this one holds the machine. */
  acceptForward(machineId: string, channel: Channel): void {
    const link = this.#held.find(machineId);
    if (link === undefined || this.#isClosing)
      return channel.close('this replica does not hold the machine');
    const { name = machineId } = this.#held.all.find(({ id }) => id === machineId) ?? {};
    const machine = this.#own(machineId) ?? this.#remoteMachine(machineId, name);
    const serve = traced(serveMachine(machine), this.#options.traces);
    const server = new LinkServer({ channel, clock: this.#clock, serve });
    const servers = this.#forwardsOver(link);
    servers.add(server);
    void server.closed.then(() => servers.delete(server));
  }

  /** The forwards that end with the link. One listener for all: the link may outlive very many of them. */
  #forwardsOver(link: LinkClient): Set<LinkServer> {
    const known = this.#forwards.get(link);
    if (known !== undefined) return known;
    const servers = new Set<LinkServer>();
    this.#forwards.set(link, servers);
    const endAll = () => {
      for (const server of servers) server.close('the machine has disconnected from this replica');
    };
    void link.closed.then(endAll);
    return servers;
  }

  /** The machine was changed or deleted. */
  changed(machineId: string): void {
    this.#options.bus.publish(MACHINES_SUBJECT, { machine_id: machineId, epoch: null });
  }

  get stats(): MachineStats {
    const forwards = [...this.#routes.values()].flatMap(({ forward }) => forward ?? []);
    return {
      ...this.#stats,
      ...this.#held.bytes,
      connected: this.#held.all.length,
      forwarded: forwards.length,
    };
  }

  /** Releases the machines, which connect to other replicas. The local machine goes on until `close`, for this one. */
  async release(): Promise<void> {
    this.#isClosing = true;
    this.#cancelTick();
    // The HTTP server waits for their connections, also for those to the local machine.
    for (const { link } of this.#held.all)
      for (const server of this.#forwards.get(link) ?? [])
        server.close('the server is shutting down');
    await this.#ticking;
    await this.#held.closeRemote();
  }

  async close(): Promise<void> {
    await this.release();
    await this.#subscription?.close();
    for (const route of this.#routes.values()) route.close();
    await this.#local?.close();
    await this.#held.close();
  }

  #own(machineId: string): OwnMachine | undefined {
    return this.#local?.machine.id === machineId ? this.#local.machine : undefined;
  }

  #routeTo(machineId: string): MachineRoute {
    const { database, replicaId, key, traces, log, dial } = this.#options;
    const route =
      this.#routes.get(machineId) ??
      new MachineRoute({
        machineId,
        database,
        replicaId,
        held: this.#held,
        key,
        clock: this.#clock,
        dial,
        traceparent: traces && (() => traces.traceparent()),
        onProblem: (problem) => {
          // Tried every second.
          if (!this.#told.has(problem)) log.warn(problem);
          this.#told.add(problem);
        },
      });
    this.#routes.set(machineId, route);
    return route;
  }

  #remoteMachine(id: string, name: string): RemoteMachine {
    const machine =
      this.#remote.get(id) ??
      new RemoteMachine({
        id,
        name,
        source: this.#routeTo(id),
        onReattach: () => (this.#stats.reattached += 1),
      });
    this.#remote.set(id, machine);
    return machine;
  }

  async #answers(machineId: string): Promise<boolean> {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const late = whenAborted(signal);
    const asked = this.#routeTo(machineId)
      .link({ waitMs: 0, signal })
      .then((link) => link.request('capabilities', {}, { signal }))
      .then(
        () => true,
        () => false,
      );
    const answer = await Promise.race([asked, late.promise]);
    late.release();
    return answer === true;
  }

  async #nameOf(machineId: string): Promise<string> {
    const known = this.#remote.get(machineId);
    if (known !== undefined) return known.name;
    const [row] = await this.#options.database.query(findMachine, { id: machineId });
    if (row === undefined) throw new MachineOffline('The machine of the workspace was deleted.');
    return row.name;
  }

  async #holdLocal(): Promise<void> {
    const { local, version, log } = this.#options;
    if (local === undefined || this.#local !== undefined || this.#isClosing) return;
    const held = await holdLocal(local, {
      held: this.#held,
      database: this.#options.database,
      version,
      log,
      onFenced: (fenced) => {
        if (this.#local === fenced) this.#local = undefined;
      },
    });
    this.#local = held;
    if (held !== undefined) void this.#settle(held.machine.id, held.machine.name);
  }

  async #settle(id: string, name: string): Promise<void> {
    const { database, log } = this.#options;
    try {
      await settleCalls(this.#own(id) ?? this.#remoteMachine(id, name), database);
    } catch (error) {
      log.debug({ err: error, machine: name }, 'cannot settle the calls of a machine');
    }
  }

  #schedule(): void {
    this.#cancelTick = this.#clock.after(TICK_MS, () => {
      void this.#tickNow().finally(() => {
        if (!this.#isClosing) this.#schedule();
      });
    });
  }

  #tickNow(): Promise<void> {
    this.#ticking = this.#ticking.then(() =>
      this.#tick().catch((error: unknown) =>
        this.#options.log.debug({ err: error }, 'cannot check the connections of machines'),
      ),
    );
    return this.#ticking;
  }

  async #tick(): Promise<void> {
    if (this.#isClosing) return;
    await this.#held.check();
    await this.#holdLocal();
    for (const route of this.#routes.values()) route.closeIdle();
    this.#ticks += 1;
    if (this.#ticks % TICKS_PER_MINUTE !== 0) return;
    await this.#forgetDeleted();
    if (this.#held.all.length === 0) return;
    this.#told.clear();
    const { database, replicaId } = this.#options;
    await database.query(machinesSeen, { replica_id: replicaId });
    void this.#held.refresh();
    for (const { id, name } of this.#held.all) void this.#settle(id, name);
  }

  /** Provisioned machines come and go with their workspaces. */
  async #forgetDeleted(): Promise<void> {
    const ids = [...this.#routes.keys()];
    if (ids.length === 0) return;
    const rows = await this.#options.database.query(existingMachines, { ids });
    const existing = new Set(rows.map(({ id }) => id));
    for (const id of ids.filter((one) => !existing.has(one))) {
      this.#routes.get(id)?.close();
      this.#routes.delete(id);
      this.#remote.delete(id);
    }
  }
}
