import { hostname } from 'node:os';
import { type Clock, systemClock } from '@chatd/loop';
import type { Logger } from 'pino';
import { hasProgram } from '../display/find-program.ts';
import { VNC_SERVER } from '../display/programs.ts';
import { DiskGuard } from '../drivers/disk/disk-guard.ts';
import { systemDiskSpace } from '../drivers/disk/disk-space.ts';
import { DockerDaemon } from '../drivers/docker/docker-daemon.ts';
import { DockerDriver } from '../drivers/docker/docker-driver.ts';
import { HostDriver } from '../drivers/host/host-driver.ts';
import { AddressPolicy } from '../drivers/network/address-policy.ts';
import { LocalMachine } from './local-machine.ts';
import type { TerminalLimits } from './local-terminals.ts';
import { machineIdIn } from './machine-id.ts';

export interface LocalMachineSettings {
  /** Default: the id in `directory`, which is created if necessary. */
  readonly id?: string | undefined;
  /** Default: the name of this computer. */
  readonly name?: string | undefined;
  /** Holds the workspaces. */
  readonly directory: string;
  /** Hidden from workspaces. */
  readonly hidden: readonly string[];
  readonly allowUnsandboxed: boolean;
  readonly privateAddresses?: ConstructorParameters<typeof AddressPolicy>[0] | undefined;
  readonly disk?: { readonly workspaceMb: number; readonly reserveMb: number } | undefined;
  readonly terminals?: TerminalLimits | undefined;
  readonly clock?: Clock | undefined;
  readonly log: Logger;
}

const NO_DISK_LIMITS = { workspaceMb: 0, reserveMb: 0 };

export interface OpenLocalMachine {
  readonly machine: LocalMachine;
  /** Ends all processes in workspaces. */
  readonly close: () => Promise<void>;
}

/** The machine of this process with its drivers. Logs how agent commands are isolated. */
export async function openLocalMachine(settings: LocalMachineSettings): Promise<OpenLocalMachine> {
  const { directory, allowUnsandboxed, log } = settings;
  const disk = new DiskGuard({
    space: systemDiskSpace(directory),
    log,
    ...(settings.disk ?? NO_DISK_LIMITS),
  });
  const host = new HostDriver({
    directory,
    disk,
    hidden: settings.hidden,
    allowUnsandboxed,
    addresses: new AddressPolicy(settings.privateAddresses),
  });
  const docker = new DockerDaemon();
  const machine = new LocalMachine({
    id: settings.id ?? (await machineIdIn(directory)),
    name: settings.name ?? hostname(),
    directory,
    drivers: { host, docker: new DockerDriver() },
    clock: settings.clock ?? systemClock,
    log,
    capabilities: async () => ({
      sandbox: (await host.protection()).sandbox.works,
      docker: await docker.isAvailable(),
      desktop: hasProgram(VNC_SERVER),
    }),
    terminals: settings.terminals,
  });
  disk.start();
  const told = tellProtection(host, allowUnsandboxed, log);
  return {
    machine,
    close: async () => {
      await told;
      await machine.close();
      disk.close();
    },
  };
}

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
