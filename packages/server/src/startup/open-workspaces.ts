import { join } from 'node:path';
import { systemClock } from '@chatd/loop';
import type { Settings } from '@chatd/protocol';
import type { Logger } from 'pino';
import type { Bus } from '../bus/bus.ts';
import type { Config } from '../config.ts';
import { Desktops } from '../desktop/desktops.ts';
import type { Database } from '../store/database.ts';
import { Diffs } from '../workspaces/diff/diffs.ts';
import { DiskGuard } from '../machine/drivers/disk/disk-guard.ts';
import { systemDiskSpace } from '../machine/drivers/disk/disk-space.ts';
import { DockerDriver } from '../machine/drivers/docker/docker-driver.ts';
import { HostDriver } from '../machine/drivers/host/host-driver.ts';
import { AddressPolicy } from '../machine/drivers/network/address-policy.ts';
import { Templates } from '../workspaces/templates.ts';
import { Terminals, type TerminalsOptions } from '../workspaces/terminals/terminals.ts';
import { Workspaces } from '../workspaces/workspaces.ts';

export interface ServerWorkspaces {
  readonly workspaces: Workspaces;
  readonly diffs: Diffs;
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
  readonly log: Logger;
  readonly terminals?: Omit<TerminalsOptions, 'workspaces'> | undefined;
}): Promise<ServerWorkspaces | undefined> {
  const { config, database, bus, log } = options;
  const { enabled, templatesDir, idleMs, allowUnsandboxed, privateAddresses } = config.workspaces;
  if (!enabled) return undefined;
  const directory = join(config.dataDir, 'workspaces');
  const disk = new DiskGuard({
    space: systemDiskSpace(directory),
    log,
    ...(config.workspaces.disk ?? NO_DISK_LIMITS),
  });
  disk.start();
  const host = new HostDriver({
    directory,
    disk,
    hidden: [config.dataDir],
    allowUnsandboxed,
    addresses: new AddressPolicy(privateAddresses),
  });
  const templates = new Templates({ database, directory: templatesDir, log });
  const desktops = new Desktops({ clock: systemClock, log });
  const workspaces = new Workspaces({
    database,
    drivers: { host, docker: new DockerDriver() },
    templates,
    directory,
    log,
    bus,
    idleMs,
    maxPerUser: async () => (await options.settings()).max_workspaces_per_user,
    prepare: (workspace, { definition }) => desktops.prepare(workspace, definition),
  });
  await workspaces.start();
  const told = tellProtection(host, allowUnsandboxed, log);
  return {
    workspaces,
    diffs: new Diffs(workspaces),
    terminals: new Terminals({ workspaces, ...options.terminals }),
    desktops,
    async close() {
      await told;
      await workspaces.close();
      disk.close();
    },
  };
}

const NO_DISK_LIMITS = { workspaceMb: 0, reserveMb: 0 };

/** Logs at startup how agent commands are isolated, so that an operator notices a missing sandbox. */
async function tellProtection(host: HostDriver, allowed: boolean, log: Logger): Promise<void> {
  try {
    const { sandbox, limits, internet } = await host.protection();
    if (sandbox.works) {
      log.info(
        { limits, disk: 'watcher', internet: internet.works ? 'slirp4netns' : internet.why },
        'agent commands run in a sandbox (bubblewrap)',
      );
      return;
    }
    const what = allowed
      ? 'AGENT COMMANDS RUN WITHOUT A SANDBOX because CHATD_ALLOW_UNSANDBOXED is set: they can read every file that the server user can read'
      : 'no sandbox on this host: workspaces of the host driver cannot be opened. Install bubblewrap, or set CHATD_ALLOW_UNSANDBOXED=1';
    log.warn({ why: sandbox.why }, what);
  } catch (error) {
    log.warn(
      { err: error },
      'probing the sandbox failed: workspaces of the host driver cannot be opened',
    );
  }
}
