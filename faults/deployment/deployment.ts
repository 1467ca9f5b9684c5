import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Limits } from '@chatd/loop';
import { migrate } from '../../packages/server/src/store/migrate/migrate.ts';
import {
  type NatsServer,
  type Proxy,
  startNatsServer,
  startProxy,
} from '@chatd/test-server/programs';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { Api } from '../clients/api.ts';
import { type Effect, readEffects } from './effects.ts';
import { type ScriptedModel, startModel } from './model.ts';
import type { Postgres } from './postgres.ts';
import { Replica } from './replica.ts';
import { Witness } from './witness.ts';

export const BUSES = ['postgres', 'nats'] as const;
export type BusKind = (typeof BUSES)[number];

export interface DeploymentOptions {
  readonly bus: BusKind;
  readonly postgres: Postgres;
  /** Default: 2. */
  readonly replicas?: number;
  readonly limits?: Partial<Limits>;
  /** Clock offsets by replica. */
  readonly clockOffsetsMs?: readonly number[];
  /** The initial version of the replicas and of the schema. Default: this checkout. */
  readonly version?: Version;
  /** Folder for the files of tools. Default: the deployment's folder. */
  readonly effectsIn?: string;
  /** Additional settings of every replica. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** A version of chatd on disk. */
export interface Version {
  /** Path of its replica program. */
  readonly program: string;
  /** Folder of its migrations. */
  readonly migrations: string;
  /** Lacks the settings of rate limits and crash loops. Default: false. */
  readonly withoutLimits?: boolean;
}

export const LEASE_SECONDS = 2;
const POLL_MS = 20;
export const ADMIN_TOKEN = 'fault-suite-admin-token';

/** A replica and its worker id. */
export interface Member {
  replica: Replica;
  workerId: string;
  /** Proxy between the replica and its bus. */
  readonly busProxy: Proxy;
}

/** Replicas, a database, a bus, and a fake model. */
export class Deployment {
  readonly bus: BusKind;
  readonly postgres: Postgres;
  readonly directory: string;
  readonly databaseUrl: string;
  readonly witness: Witness;
  readonly model: ScriptedModel;
  readonly members: Member[] = [];
  /** Effects of commands in workspaces, which cannot write to the file of the tools. */
  readonly commandEffects: { readonly file: string; readonly onFullDisk: boolean }[] = [];
  readonly api = new Api(() => this.urls, ADMIN_TOKEN);
  readonly #options: DeploymentOptions;
  readonly #database: string;
  readonly #nats: NatsServer | undefined;

  static async start(options: DeploymentOptions): Promise<Deployment> {
    const database = `faults_${randomBytes(6).toString('hex')}`;
    await options.postgres.createDatabase(database);
    const { version } = options;
    await migrate(
      options.postgres.urlOf(database),
      version === undefined ? {} : { directory: version.migrations },
    );
    const deployment = new Deployment(options, {
      database,
      directory: await makeTemporaryDirectory(),
      model: await startModel(),
      nats: options.bus === 'nats' ? await startNatsServer() : undefined,
    });
    try {
      await deployment.witness.install();
      for (let index = 0; index < (options.replicas ?? 2); index += 1) await deployment.join();
      await deployment.addModel(deployment.model.provider.url, { isDefault: true });
      return deployment;
    } catch (error) {
      await deployment.close();
      throw error;
    }
  }

  private constructor(
    options: DeploymentOptions,
    made: {
      database: string;
      directory: string;
      model: ScriptedModel;
      nats: NatsServer | undefined;
    },
  ) {
    this.#options = options;
    this.bus = options.bus;
    this.postgres = options.postgres;
    this.directory = made.directory;
    this.#database = made.database;
    this.#nats = made.nats;
    this.model = made.model;
    this.databaseUrl = options.postgres.urlOf(made.database);
    this.witness = new Witness(this.databaseUrl);
  }

  /** URLs of the live replicas. */
  get urls(): string[] {
    return this.members.filter(({ replica }) => replica.isAlive).map(({ replica }) => replica.url);
  }

  get effectsFile(): string {
    return join(this.#options.effectsIn ?? this.directory, 'effects.jsonl');
  }

  async effects(): Promise<Effect[]> {
    const effects = await Promise.all([
      readEffects(this.effectsFile),
      ...this.commandEffects.map(({ file, onFullDisk }) => readEffects(file, { onFullDisk })),
    ]);
    return effects.flat();
  }

  memberOf(workerId: string): Member {
    const member = this.members.find((one) => one.workerId === workerId);
    if (member === undefined) throw new Error(`no replica has worker ${workerId}`);
    return member;
  }

  /** The owner of a chat. Waits until it has one. */
  async ownerOf(chatId: string): Promise<Member> {
    for (;;) {
      const [chat] = await this.witness.query<{ worker_id: string | null }>(
        'SELECT worker_id FROM chats WHERE id = $1',
        [chatId],
      );
      if (chat === undefined) throw new Error(`chat ${chatId} not found`);
      if (chat.worker_id !== null) return this.memberOf(chat.worker_id);
      await sleep(POLL_MS);
    }
  }

  /** Adds a replica. */
  async join(
    settings: Readonly<Record<string, unknown>> = {},
    version: Version | undefined = this.#options.version,
  ): Promise<Member> {
    const busProxy = await startProxy(
      this.#nats === undefined
        ? { path: this.postgres.socket }
        : { port: this.#nats.port, host: '127.0.0.1' },
    );
    const launched = await this.#launch(this.members.length, busProxy, settings, version).catch(
      async (error: unknown) => {
        await busProxy.close();
        throw error;
      },
    );
    const member = { busProxy, ...launched };
    this.members.push(member);
    return member;
  }

  /** Starts a replica in place of a stopped one. Default: this checkout. */
  async replace(member: Member, version?: Version): Promise<void> {
    const index = this.members.indexOf(member);
    Object.assign(member, await this.#launch(index, member.busProxy, {}, version));
  }

  async close(): Promise<void> {
    for (const { replica } of this.members) {
      replica.thaw();
      if (replica.isAlive) await replica.kill();
    }
    for (const { busProxy } of this.members) await busProxy.close();
    await this.model.provider.close();
    await this.#nats?.stop();
    await rm(this.directory, { recursive: true, force: true });
  }

  async #launch(
    index: number,
    busProxy: Proxy,
    settings: Readonly<Record<string, unknown>>,
    version: Version | undefined,
  ): Promise<{ replica: Replica; workerId: string }> {
    const name = `r${index}`;
    const before = await this.witness.workers();
    const dataDir = join(this.directory, name);
    await mkdir(dataDir, { recursive: true });
    const clockOffsetMs = this.#options.clockOffsetsMs?.[index];
    const replica = await Replica.start({
      name,
      logFile: join(process.env['CHATD_TEST_FAULT_LOGS'] ?? this.directory, `${name}.log`),
      effects: this.effectsFile,
      limits: this.#options.limits ?? {},
      settings: {
        listen: '127.0.0.1:0',
        data_dir: dataDir,
        database_url: this.databaseUrl,
        admin_token: ADMIN_TOKEN,
        secret_key: 'fault-suite-secret-key',
        allow_private_urls: true,
        lease_seconds: LEASE_SECONDS,
        log_level: 'debug',
        // Faults kill many owners of a chat, and one user sends all requests. Older versions lack these settings.
        ...(version?.withoutLimits !== true && { max_owner_deaths: 0, rate_limit: 0 }),
        ...(this.bus === 'nats'
          ? { bus_url: `nats://127.0.0.1:${busProxy.port}` }
          : { database_direct_url: this.postgres.urlThrough(busProxy.port, this.#database) }),
        ...this.#options.settings,
        ...settings,
      },
      ...(clockOffsetMs !== undefined && { clockOffsetMs }),
      ...(version !== undefined && { program: version.program }),
    });
    const workerId = (await this.witness.workers()).find((id) => !before.includes(id)) ?? '';
    return { replica, workerId };
  }

  /** Adds a model behind a fake provider. Resolves to the id of its config. */
  async addModel(url: string, { isDefault }: { isDefault: boolean }): Promise<string> {
    const provider = await this.api.post<{ id: string }>('/providers', {
      type: 'anthropic',
      name: 'Fake',
      base_url: url,
      api_key: 'any-key-will-do',
    });
    const config = await this.api.post<{ id: string }>('/model-configs', {
      provider_id: provider.id,
      model: 'claude-sonnet-4-5',
      display_name: 'Fake',
      context_limit: 200_000,
      is_default: isDefault,
    });
    return config.id;
  }
}
