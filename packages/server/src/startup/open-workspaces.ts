import { join } from 'node:path';
import { systemClock } from '@chatd/loop';
import type { Settings } from '@chatd/protocol';
import type { Logger } from 'pino';
import type { Bus } from '../bus/bus.ts';
import type { Config } from '../config.ts';
import { Desktops } from '../desktop/desktops.ts';
import type { Database } from '../store/database.ts';
import { Diffs } from '../workspaces/diff/diffs.ts';
import type { TerminalLimits } from '../machine/local/local-terminals.ts';
import { openLocalMachine } from '../machine/local/open-local-machine.ts';
import { oneMachine } from '../machines/one-machine.ts';
import { Provisioners } from '../provisioners/provisioners.ts';
import { Templates } from '../workspaces/templates.ts';
import { Terminals } from '../workspaces/terminals/terminals.ts';
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
  readonly terminals?: TerminalLimits | undefined;
}): Promise<ServerWorkspaces | undefined> {
  const { config, database, bus, log } = options;
  const { enabled, templatesDir, idleMs, allowUnsandboxed, privateAddresses } = config.workspaces;
  if (!enabled) return undefined;
  const { machine, close } = await openLocalMachine({
    directory: join(config.dataDir, 'workspaces'),
    hidden: [config.dataDir],
    allowUnsandboxed,
    privateAddresses,
    disk: config.workspaces.disk,
    terminals: options.terminals,
    log,
  });
  const templates = new Templates({ database, directory: templatesDir, log });
  const desktops = new Desktops({ clock: systemClock, log });
  const workspaces = new Workspaces({
    database,
    machines: oneMachine(machine),
    provisioners: new Provisioners({ database, log }),
    templates,
    log,
    bus,
    idleMs,
    maxPerUser: async () => (await options.settings()).max_workspaces_per_user,
    prepare: (workspace, row) => desktops.prepare(workspace, row),
  });
  await workspaces.start();
  return {
    workspaces,
    diffs: new Diffs(workspaces),
    terminals: new Terminals(workspaces),
    desktops,
    async close() {
      await workspaces.close();
      await close();
    },
  };
}
