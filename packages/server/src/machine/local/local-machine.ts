import { join } from 'node:path';
import type { Clock } from '@chatd/loop';
import type { Logger } from 'pino';
import {
  type HostedCheckpoints,
  NO_CONTAINERS,
  noCheckpoints,
} from '../checkpoints/hosted-checkpoints.ts';
import type { Connection, Drivers, Sandbox } from '../drivers/driver.ts';
import {
  type AcceptRequest,
  type HostedSpec,
  type JournaledCall,
  type MachineCapabilities,
  MachineOffline,
  type OwnMachine,
  type SetupRequest,
  type SetupResult,
} from '../machine.ts';
import { Journal } from './journal.ts';
import { LocalGateway } from './local-gateway.ts';
import { LocalSetups } from './local-setups.ts';
import type { TerminalLimits } from './local-terminals.ts';
import { LocalWorkspace } from './local-workspace.ts';

export interface LocalMachineOptions {
  readonly id: string;
  readonly name: string;
  /** Holds the workspaces and the journal. Only one process at a time may use it. */
  readonly directory: string;
  readonly drivers: Drivers;
  readonly clock: Clock;
  readonly log: Logger;
  readonly capabilities: () => Promise<MachineCapabilities>;
  readonly terminals?: TerminalLimits | undefined;
}

/** The machine of this process. */
export class LocalMachine implements OwnMachine {
  readonly id: string;
  readonly name: string;
  readonly #options: LocalMachineOptions;
  readonly #setups: LocalSetups;
  readonly #open = new Map<string, Promise<LocalWorkspace>>();
  readonly #gateways = new Map<string, LocalGateway>();
  #journal: Promise<Journal> | undefined;
  #isClosed = false;

  constructor(options: LocalMachineOptions) {
    this.id = options.id;
    this.name = options.name;
    this.#options = options;
    this.#setups = new LocalSetups(options.drivers, (spec, sandbox) =>
      this.#connect(spec, sandbox),
    );
  }

  capabilities(): Promise<MachineCapabilities> {
    return this.#options.capabilities();
  }

  async setUp(request: SetupRequest): Promise<SetupResult> {
    if (this.#isClosed) throw this.#stopped();
    return await this.#setups.run(request);
  }

  open(spec: HostedSpec): Promise<LocalWorkspace> {
    const known = this.#open.get(spec.id);
    if (known !== undefined) return known;
    const opening = this.#start(spec);
    this.#open.set(spec.id, opening);
    const forget = () => {
      if (this.#open.get(spec.id) === opening) this.#open.delete(spec.id);
    };
    opening.then(({ closed }) => closed.then(forget), forget).catch(forget);
    return opening;
  }

  async peek(workspaceId: string): Promise<LocalWorkspace | undefined> {
    return await this.#open.get(workspaceId)?.catch(() => undefined);
  }

  async accept({ workspaceId, hosts, handlers, signal }: AcceptRequest): Promise<Connection> {
    return (await this.#gatewayOf(workspaceId).accept(hosts, signal)).take(handlers);
  }

  async workspaces(): Promise<readonly string[]> {
    return [...this.#open.keys()];
  }

  async stop(spec: HostedSpec): Promise<void> {
    await this.#setups.stop(spec.id);
    if (await this.#close(spec.id)) await this.#options.drivers[spec.driver].stop(spec);
  }

  async remove(spec: HostedSpec): Promise<void> {
    await this.#setups.stop(spec.id);
    await this.#close(spec.id);
    await this.#options.drivers[spec.driver].remove(spec);
    this.#gateways.delete(spec.id);
    await (await this.#records()).forget(spec.id);
  }

  async calls(): Promise<readonly JournaledCall[]> {
    return (await this.#records()).calls();
  }

  async settle(calls: readonly string[]): Promise<void> {
    const settled = new Set(calls);
    const used = new Set<string>();
    for (const opening of this.#open.values()) {
      const workspace = await opening.catch(() => undefined);
      for (const file of workspace?.commands.settle(settled) ?? []) used.add(file);
    }
    await (await this.#records()).settle(calls, used);
  }

  /** Ends all processes in workspaces. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#setups.close();
    await Promise.all([...this.#open.keys()].map((id) => this.#close(id)));
    await (await this.#journal?.catch(() => undefined))?.close();
    this.#journal = undefined;
  }

  async #start(spec: HostedSpec): Promise<LocalWorkspace> {
    const { drivers, clock, terminals } = this.#options;
    const journal = await this.#records();
    const driver = drivers[spec.driver];
    const checkpoints = await this.#checkpoints(spec);
    const sandbox = await driver.open(spec);
    await this.#connect(spec, sandbox);
    const workspace = new LocalWorkspace({
      id: spec.id,
      sandbox,
      checkpoints,
      journal,
      clock,
      terminals,
    });
    try {
      await workspace.finishWrites();
    } catch (error) {
      this.#options.log.warn({ workspace_id: spec.id, err: error }, 'repeating file writes failed');
    }
    return workspace;
  }

  async #checkpoints(spec: HostedSpec): Promise<HostedCheckpoints> {
    const checkpoints = await this.#options.drivers[spec.driver].checkpoints?.(spec);
    try {
      await checkpoints?.recover();
    } catch (error) {
      this.#options.log.warn({ workspace_id: spec.id, err: error }, 'completing a restore failed');
    }
    return checkpoints ?? noCheckpoints(NO_CONTAINERS);
  }

  #gatewayOf(workspaceId: string): LocalGateway {
    const gateway = this.#gateways.get(workspaceId) ?? new LocalGateway(this.#options.clock);
    this.#gateways.set(workspaceId, gateway);
    return gateway;
  }

  /** Without its connection to the server, the workspace is usable. */
  async #connect({ id, gitHosts = [] }: HostedSpec, sandbox: Sandbox): Promise<void> {
    try {
      await this.#gatewayOf(id).add(sandbox, gitHosts);
    } catch (error) {
      this.#options.log.warn({ workspace_id: id, err: error }, 'opening the git gateway failed');
    }
  }

  /** Returns whether it was open. */
  async #close(id: string): Promise<boolean> {
    const open = this.#open.get(id);
    if (open === undefined) return false;
    this.#open.delete(id);
    const workspace = await open.catch(() => undefined);
    await workspace?.close();
    return workspace !== undefined;
  }

  /** Another process may use the directory after `close`. */
  #stopped(): MachineOffline {
    return new MachineOffline(`The machine ${this.name} was stopped.`);
  }

  #records(): Promise<Journal> {
    const { directory, clock } = this.#options;
    if (this.#isClosed) return Promise.reject(this.#stopped());
    this.#journal ??= Journal.open(join(directory, '.journal'), () => clock.now()).catch(
      (error: unknown) => {
        this.#journal = undefined;
        throw error;
      },
    );
    return this.#journal;
  }
}
