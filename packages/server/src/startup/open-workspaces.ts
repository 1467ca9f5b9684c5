import { hostname } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@chatd/loop';
import type { Settings } from '@chatd/protocol';
import type { Logger } from 'pino';
import type { Bus } from '../bus/bus.ts';
import type { Config } from '../config.ts';
import { Desktops } from '../desktop/desktops.ts';
import type { Traces } from '../observability/traces/traces.ts';
import type { Database } from '../store/database.ts';
import { Checkpoints } from '../workspaces/checkpoints/checkpoints.ts';
import { Diffs } from '../workspaces/diff/diffs.ts';
import type { TerminalLimits } from '../machine/local/local-terminals.ts';
import { openLocalMachine } from '../machine/local/open-local-machine.ts';
import { Provisioners } from '../provisioners/provisioners.ts';
import { lockDirectory } from '../machine/local/directory-lock.ts';
import { machineIdIn } from '../machine/local/machine-id.ts';
import { DeploymentMachines } from '../machines/deployment-machines.ts';
import { ForwardingKey } from '../machines/forwarding-key.ts';
import type { LocalMachineSource } from '../machines/local-holding.ts';
import { Templates } from '../workspaces/templates.ts';
import { Terminals } from '../workspaces/terminals/terminals.ts';
import type { WorkspaceGateway } from '../workspaces/gateway.ts';
import { Workspaces } from '../workspaces/workspaces.ts';

export interface ServerWorkspaces {
  readonly machines: DeploymentMachines;
  readonly workspaces: Workspaces;
  readonly diffs: Diffs;
  readonly checkpoints: Checkpoints;
  readonly terminals: Terminals;
  readonly desktops: Desktops;
  /** Ends all processes in workspaces. */
  close(): Promise<void>;
}

/** Undefined: workspaces are disabled. */
export async function openWorkspaces(options: {
  readonly config: Pick<Config, 'dataDir' | 'workspaces'>;
  readonly database: Database;
  readonly settings: () => Promise<Settings>;
  readonly bus: Bus;
  readonly replica: { readonly id: string; readonly program: string };
  readonly traces: Pick<Traces, 'traceparent' | 'machineRequest'>;
  /** Authenticate connections between replicas. */
  readonly forwardingKeys: readonly Buffer[];
  readonly gateway: WorkspaceGateway;
  readonly log: Logger;
  readonly terminals?: TerminalLimits | undefined;
}): Promise<ServerWorkspaces | undefined> {
  const { config, database, bus, log, replica, traces } = options;
  const { enabled, templatesDir, idleMs, localMachine = true } = config.workspaces;
  if (!enabled) return undefined;
  const noLocal = (error: unknown) => {
    log.warn({ err: error }, 'cannot use the data directory: this server hosts no workspaces');
    return undefined;
  };
  const machines = new DeploymentMachines({
    database,
    bus,
    replicaId: replica.id,
    version: replica.program,
    key: new ForwardingKey(options.forwardingKeys),
    traces,
    log,
    local: localMachine ? await localSource(options).catch(noLocal) : undefined,
  });
  const templates = new Templates({ database, directory: templatesDir, log });
  const desktops = new Desktops({ clock: systemClock, log });
  const workspaces = new Workspaces({
    database,
    provisioners: new Provisioners({ database, log }),
    machines,
    templates,
    log,
    bus,
    idleMs,
    maxPerUser: async () => (await options.settings()).max_workspaces_per_user,
    prepare: (workspace, row) => desktops.prepare(workspace, row),
    gateway: options.gateway,
  });
  const checkpoints = new Checkpoints({ database, workspaces, log });
  await workspaces.start();
  return {
    machines,
    workspaces,
    checkpoints,
    diffs: new Diffs(workspaces),
    terminals: new Terminals(workspaces),
    desktops,
    async close() {
      await checkpoints.close();
      await workspaces.close();
      await machines.close();
    },
  };
}

/** The machine of this process, in its data directory. */
async function localSource({
  config,
  terminals,
  log,
}: Parameters<typeof openWorkspaces>[0]): Promise<LocalMachineSource> {
  const { allowUnsandboxed, privateAddresses, disk } = config.workspaces;
  const directory = join(config.dataDir, 'workspaces');
  return {
    id: await machineIdIn(directory),
    name: hostname(),
    lock: () => lockDirectory(directory),
    start: () =>
      openLocalMachine({
        directory,
        hidden: [config.dataDir],
        allowUnsandboxed,
        privateAddresses,
        disk,
        terminals,
        log,
      }),
  };
}
