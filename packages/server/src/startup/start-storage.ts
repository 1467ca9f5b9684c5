import { AccountChanges } from '../auth/account-changes.ts';
import { SharingChanges } from '../auth/sharing-changes.ts';
import { Authenticator } from '../auth/authenticate.ts';
import { bootstrap } from '../auth/bootstrap.ts';
import { LastUsed } from '../auth/last-used.ts';
import type { Bus } from '../bus/bus.ts';
import { openBus } from '../bus/open-bus.ts';
import type { Config } from '../config.ts';
import { startHousekeeping } from '../housekeeping.ts';
import { Observability } from '../observability/observability.ts';
import type { OwnerLock } from '../postgres/index.ts';
import { startSearchIndexer } from '../search/indexer.ts';
import { openStorage } from '../store/files/open-storage.ts';
import { migrate, newestMigration, type Replica } from '../store/migrate/migrate.ts';
import { RecentSettings } from '../store/recent-settings.ts';
import { Store } from '../store/store.ts';
import { startWatchdog } from '../watchdog/watchdog.ts';
import { type Closeable, closingOnFailure } from './close-stack.ts';
import { CommitListeners } from './commit-listeners.ts';
import { openDatabase } from './open-database.ts';
import { ReplicaRegistration } from './replica-registration.ts';
import type { StartOptions } from './start-options.ts';

export interface Storage extends Closeable {
  readonly replica: Replica;
  readonly store: Store;
  readonly settings: RecentSettings;
  readonly bus: Bus;
  readonly observability: Observability;
  readonly commitListeners: CommitListeners;
  readonly registration: ReplicaRegistration;
  readonly accountChanges: AccountChanges;
  readonly sharingChanges: SharingChanges;
  readonly authenticator: Authenticator;
  /** The admin that the sign-in link of this start is for. */
  readonly admin: { readonly id: string };
  /** Undefined with a database that other servers may share. */
  readonly lock: OwnerLock | undefined;
}

/** Starts the database, the bus, and everything that only reads and writes them. */
export async function startStorage(
  config: Config,
  options: StartOptions,
  replica: Replica,
): Promise<Storage> {
  const { log, signal } = options;
  const onCloseError = (error: unknown) => log.error({ err: error }, 'cleanup failed');
  return await closingOnFailure(async (stack) => {
    const { url, lock, migrated, migration } = await openDatabase(config, options, replica, stack);
    signal?.throwIfAborted();
    if (options.watchdog === true) stack.add(startWatchdog(config.leaseMs));
    const bus = stack.use(
      await openBus({
        busUrl: config.busUrl,
        databaseUrl: url,
        databaseDirectUrl: config.databaseDirectUrl,
        alone: lock !== undefined,
        log,
        onProgress: options.onProgress,
        signal,
        patienceMs: options.databasePatienceMs,
      }),
    );
    const observability: Observability = await Observability.open({
      database: () => store.database,
      settings: () => settings.read(),
      env: options.env ?? {},
      tracerProvider: options.tracerProvider,
      version: replica.program,
      replicaId: replica.id,
      log,
      peers: options.group,
    });
    const commitListeners = new CommitListeners(observability, bus);
    const storage = await openStorage(config.filesUrl, (error) =>
      log.warn({ err: error }, 'file storage failed'),
    );
    let closing = false;
    const store = new Store({
      url,
      storage,
      connections: config.databaseConnections,
      publish: commitListeners.notify,
      reserveRun: (ownerId) => commitListeners.worker?.reserve(ownerId),
      onError(error) {
        if (!closing) log.warn({ err: error }, 'database connection lost');
      },
    });
    stack.add(async () => {
      closing = true;
      await store.close();
    });
    stack.use(observability);
    const settings = new RecentSettings(store.database);
    const registration = new ReplicaRegistration({
      database: store.database.reserved,
      replica,
      knows: await newestMigration(options.migrations),
      leaseMs: config.leaseMs,
      hasWorker: config.concurrency > 0,
      waiting: migrated.waiting ?? [],
      migrate: (until) => migrate(url, { ...migration, signal: until }),
      log,
      onFatal: options.onFatal,
    });
    stack.use(registration);
    const lastUsed = new LastUsed({
      database: store.database,
      onError: (error) => log.warn({ err: error }, 'cannot write the last use of tokens'),
      ...(options.tokenUseEveryMs !== undefined && { everyMs: options.tokenUseEveryMs }),
    });
    stack.use(lastUsed);
    const accountChanges = new AccountChanges(bus);
    const authenticator = new Authenticator(store.database, lastUsed);
    stack.use(await accountChanges.subscribe((userId) => authenticator.forget(userId)));
    const sharingChanges = new SharingChanges(bus);
    // A link counts as a user with the id of its chat.
    stack.use(await sharingChanges.subscribe(({ chat_id }) => authenticator.forget(chat_id)));
    const admin = await bootstrap(store.database, config.adminToken, accountChanges);
    stack.use(startHousekeeping(store, log, config));
    stack.use(startSearchIndexer(store.database, log));
    return {
      replica,
      store,
      settings,
      bus,
      observability,
      commitListeners,
      registration,
      accountChanges,
      sharingChanges,
      authenticator,
      admin,
      lock,
    };
  }, onCloseError);
}
