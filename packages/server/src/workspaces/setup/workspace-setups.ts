import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '@chatd/loop';
import type { Logger } from 'pino';
import { toJson } from '../../store/json.ts';
import {
  beatWorkspace,
  claimWorkspace,
  findWorkspace,
  finishWorkspace,
} from '../../store/queries/workspaces.ts';
import { onlyRow, type Queryable } from '../../store/statement.ts';
import type { WorkspaceRow } from '../../store/workspaces.ts';
import type { Machines } from '../../machines/machines.ts';
import type { Provisioners } from '../../provisioners/provisioners.ts';
import type { WorkspaceGateway } from '../gateway.ts';
import { WorkspaceSetup } from './workspace-setup.ts';
import { workspaceSpecOf } from '../workspace-spec.ts';
import { whenAborted } from '../../machine/when-aborted.ts';

const BEAT_MS = 2000;
const LOOK_MS = 1000;
const TIME_LIMIT_MS = 60 * 60_000;

export interface WorkspaceSetupsOptions {
  readonly database: Queryable;
  readonly machines: Machines;
  readonly provisioners: Provisioners | undefined;
  readonly gateway: WorkspaceGateway;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onEnd: (row: WorkspaceRow) => void;
}

/** The workspace setups that run in this process. A heartbeat in the row shows other replicas that one is running. */
export class WorkspaceSetups {
  readonly #options: WorkspaceSetupsOptions;
  readonly #setups = new Map<string, WorkspaceSetup>();
  #closed = false;

  constructor(options: WorkspaceSetupsOptions) {
    this.#options = options;
  }

  find(id: string): WorkspaceSetup | undefined {
    return this.#setups.get(id);
  }

  /** Starts the setup of a workspace that this process has inserted or claimed. */
  begin(row: WorkspaceRow): WorkspaceSetup {
    const setup = new WorkspaceSetup();
    this.#setups.set(row.id, setup);
    setup.ended = this.#make(row, setup).finally(() => this.#setups.delete(row.id));
    return setup;
  }

  /** Waits until the setup has ended in any replica. If that replica died, this one follows the setup instead. */
  async join(
    id: string,
    options: { signal: AbortSignal; onOutput: (bytes: Uint8Array) => void },
  ): Promise<WorkspaceRow | undefined> {
    const { database } = this.#options;
    for (;;) {
      options.signal.throwIfAborted();
      const setup = this.#setups.get(id);
      if (setup !== undefined) await followed(setup, options);
      const [row] = await database.query(findWorkspace, { id });
      if (row?.status !== 'creating') return row;
      if (row.forsaken) {
        const [claimed] = await database.query(claimWorkspace, { id });
        if (claimed !== undefined) this.begin(claimed);
      } else {
        await sleep(LOOK_MS, undefined, { signal: options.signal });
      }
    }
  }

  /** Leaves running setups. Another replica follows them when the workspaces are used. */
  async close(): Promise<void> {
    this.#closed = true;
    const all = [...this.#setups.values()];
    for (const setup of all) setup.stop();
    await Promise.all(all.map(({ ended }) => ended));
  }

  async #make(row: WorkspaceRow, setup: WorkspaceSetup): Promise<void> {
    const { database, machines, provisioners, gateway, clock, log } = this.#options;
    const { id, definition } = row;
    const beat = setInterval(() => {
      database.query(beatWorkspace, { id, log: setup.log }).catch(() => undefined);
    }, BEAT_MS);
    let late = false;
    const spec = workspaceSpecOf(row);
    let leave: (() => void) | undefined;
    const cancel = clock.after(TIME_LIMIT_MS, () => {
      late = true;
      setup.stop();
    });
    try {
      const onOutput = (bytes: Uint8Array) => setup.write(bytes);
      await provisioners?.provision(row, { signal: setup.signal, onOutput });
      const machine = await machines.use(row.host_id, { signal: setup.signal });
      const gitHosts = await gateway.hosts(row.owner_id);
      leave = gateway.serve(row, machine);
      const result = await machine
        .setUp({
          spec: { ...spec, gitHosts },
          definition,
          files: row.files_from ?? undefined,
          attempt: row.updated_at.toISOString(),
          signal: setup.signal,
          onOutput,
        })
        .catch(async (error: unknown) => {
          if (late) await machine.stop(spec);
          throw error;
        });
      if (!result.ok) throw new Error(result.error);
      await this.#finish(row, 'ready', null, setup, result.baselines);
    } catch (error) {
      if (this.#closed) return;
      const why = error instanceof Error ? error.message : String(error);
      const message = late
        ? `The setup exceeded its time limit of ${TIME_LIMIT_MS / 60_000} minutes.`
        : why;
      log.warn({ workspace_id: id, err: error }, 'workspace setup failed');
      await this.#finish(row, 'failed', message, setup, {}).catch((failure: unknown) =>
        log.error({ workspace_id: id, err: failure }, 'recording a failed workspace setup failed'),
      );
    } finally {
      clearInterval(beat);
      leave?.();
      cancel();
    }
  }

  async #finish(
    { id, updated_at }: WorkspaceRow,
    status: 'ready' | 'failed',
    error: string | null,
    setup: WorkspaceSetup,
    baselines: Readonly<Record<string, string>>,
  ): Promise<void> {
    const rows = await this.#options.database.query(finishWorkspace, {
      id,
      attempt: updated_at,
      status,
      error: error === null ? null : storable(error),
      log: storable(setup.log),
      baselines: toJson(baselines),
    });
    if (rows.length > 0) this.#options.onEnd(onlyRow(rows));
  }
}

const storable = (text: string) => text.replaceAll('\0', '\uFFFD').toWellFormed();

async function followed(
  setup: WorkspaceSetup,
  { signal, onOutput }: { signal: AbortSignal; onOutput: (bytes: Uint8Array) => void },
): Promise<void> {
  const unfollow = setup.follow(onOutput);
  const aborted = whenAborted(signal);
  await Promise.race([setup.ended, aborted.promise]);
  aborted.release();
  unfollow();
}
