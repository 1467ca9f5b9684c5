import type { TemplateDefinition } from '@chatd/protocol';
import type { Logger } from 'pino';
import { hashSecret, MACHINE_TOKEN_PREFIX, newSecret } from '../auth/secret.ts';
import { toJson } from '../store/json.ts';
import { deleteMachine, findMachine, insertMachine } from '../store/queries/machines.ts';
import {
  existingMachines,
  forsakenMachines,
  identifyDatabase,
  replaceMachineToken,
  usedProvisioners,
} from '../store/queries/provisioned-machines.ts';
import { onlyRow, type Queryable } from '../store/statement.ts';
import { uuidv7 } from '../store/uuid.ts';
import type { WorkspaceRow } from '../store/workspaces.ts';
import { KubernetesProvisioner } from './kubernetes/kubernetes-provisioner.ts';
import {
  type KubernetesOptions,
  kubernetesOptions,
  type Provisioner,
  ProvisionError,
} from './provisioner.ts';

export interface ProvisionersOptions {
  readonly database: Queryable;
  readonly log: Logger;
  readonly kubernetes?: Provisioner<KubernetesOptions>;
  readonly orphansMs?: number;
}

const ORPHANS_MS = 10 * 60_000;

/** Machines that exist for one workspace each. The row of a machine is inserted before it is made, and deleted after it. */
export class Provisioners {
  readonly #options: ProvisionersOptions;
  readonly #kubernetes: Provisioner<KubernetesOptions>;
  #deployment: Promise<string> | undefined;
  #orphansRemovedAt = 0;

  constructor(options: ProvisionersOptions) {
    this.#options = options;
    this.#kubernetes =
      options.kubernetes ?? new KubernetesProvisioner({ deployment: () => this.#identify() });
  }

  /** Reserves a machine for a new workspace. Undefined: the template uses an existing one. */
  async reserve(
    workspaceId: string,
    { machine }: TemplateDefinition,
    tx: Queryable,
  ): Promise<{ readonly id: string; readonly name: string } | undefined> {
    if (machine?.provisioner === undefined) return undefined;
    const id = uuidv7();
    const name = `kubernetes-${id.slice(-12)}`;
    await tx.query(insertMachine, {
      id,
      name,
      labels: toJson(machine.labels ?? {}),
      // Replaced when the machine is made.
      secret_hash: hashSecret(newSecret()),
      reserved_for: workspaceId,
    });
    return { id, name };
  }

  /** Makes the machine of a workspace, unless it has one. */
  async provision(
    { id, host_id, definition }: WorkspaceRow,
    options: { readonly signal: AbortSignal; readonly onOutput: (bytes: Uint8Array) => void },
  ): Promise<void> {
    const { database } = this.#options;
    const kubernetes = kubernetesOptions(definition);
    if (kubernetes === undefined) return;
    const isOnline = async () => {
      const [machine] = await database.query(findMachine, { id: host_id });
      if (machine === undefined)
        throw new ProvisionError('The machine of the workspace was deleted.');
      return machine.online;
    };
    if (await isOnline()) return;
    await this.#kubernetes.provision(
      {
        machineId: host_id,
        workspaceId: id,
        newToken: async () => {
          const token = newSecret(MACHINE_TOKEN_PREFIX);
          const hash = hashSecret(token);
          await database.query(replaceMachineToken, { id: host_id, secret_hash: hash });
          return token;
        },
        isOnline,
        onProgress: (line) => options.onOutput(Buffer.from(`${line}\n`)),
        signal: options.signal,
      },
      kubernetes,
    );
  }

  /** Removes the machines of deleted workspaces, and from time to time those that no row names. Never rejects. */
  async sweep(): Promise<void> {
    const { database, log, orphansMs = ORPHANS_MS } = this.#options;
    try {
      for (const { id, definition } of await database.query(forsakenMachines)) {
        await this.#unlessRefused(async () => {
          const kubernetes = kubernetesOptions(definition);
          if (kubernetes !== undefined) await this.#kubernetes.remove(id, kubernetes);
          await database.query(deleteMachine, { id });
          log.info({ machine_id: id }, 'provisioned machine removed');
        });
      }
      if (Date.now() - this.#orphansRemovedAt < orphansMs) return;
      this.#orphansRemovedAt = Date.now();
      await this.#removeOrphans();
    } catch (error) {
      log.warn({ err: error }, 'removing provisioned machines failed');
    }
  }

  async #removeOrphans(): Promise<void> {
    const { database, log } = this.#options;
    const namespaces = new Map<string, KubernetesOptions>();
    for (const { provisioner } of await database.query(usedProvisioners)) {
      const options = kubernetesOptions({ machine: { provisioner } });
      if (options !== undefined) namespaces.set(options.namespace, options);
    }
    for (const options of namespaces.values()) {
      await this.#unlessRefused(async () => {
        const ids = await this.#kubernetes.list(options);
        const rows = await database.query(existingMachines, { ids });
        const known = new Set(rows.map(({ id }) => id));
        for (const id of ids.filter((one) => !known.has(one))) {
          await this.#unlessRefused(async () => {
            await this.#kubernetes.remove(id, options);
            log.info({ machine_id: id }, 'orphaned machine removed');
          });
        }
      });
    }
  }

  /** What the cluster refuses, such as a namespace without permission, must not delay the rest. */
  async #unlessRefused(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (!(error instanceof ProvisionError)) throw error;
      this.#options.log.warn({ err: error }, 'removing a provisioned machine failed');
    }
  }

  #identify(): Promise<string> {
    this.#deployment ??= this.#options.database
      .query(identifyDatabase)
      .then((rows) => onlyRow(rows).id)
      .catch((error: unknown) => {
        this.#deployment = undefined;
        throw error;
      });
    return this.#deployment;
  }
}
