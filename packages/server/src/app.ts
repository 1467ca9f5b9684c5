import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { hostname } from 'node:os';
import type { LocalTool } from '@chatd/loop';
import type { TracerProvider } from '@opentelemetry/api';
import type { Logger } from 'pino';
import { AccountChanges } from './auth/account-changes.ts';
import { Authenticator } from './auth/authenticate.ts';
import { Authorizer } from './auth/authorize.ts';
import { bootstrap } from './auth/bootstrap.ts';
import { AllowedOrigins } from './auth/allowed-origins.ts';
import { AllowedHosts } from './auth/hosts.ts';
import { LastUsed } from './auth/last-used.ts';
import { Lockout } from './auth/lockout.ts';
import { MetricsToken } from './auth/metrics-token.ts';
import { newSignInLink } from './auth/sign-in-link.ts';
import { TrustedProxies } from './auth/trusted-proxies.ts';
import { openBus } from './bus/open-bus.ts';
import type { Config } from './config.ts';
import { Recordings } from './desktop/recording/recordings.ts';
import { startHousekeeping } from './housekeeping.ts';
import { startSearchIndexer } from './search/indexer.ts';
import { startHttpServer } from './http/server.ts';
import { WebUi } from './http/web-ui.ts';
import { RequestLimits } from './limits/request-limits.ts';
import { SignInAttempts } from './limits/sign-in-attempts.ts';
import { Mcp } from './mcp/mcp.ts';
import { Observability } from './observability/observability.ts';
import { openDatabase } from './open-database.ts';
import { approvalToolbox } from './approvals/approval-toolbox.ts';
import { ReplicaRegistration } from './replica-registration.ts';
import { Providers } from './providers/providers.ts';
import { StartError } from './start-error.ts';
import { hintOf } from './store/change.ts';
import { migrate, newestMigration } from './store/migrate/migrate.ts';
import { readPostgresVersion } from './store/queries/session.ts';
import { readSchemaVersion } from './store/queries/schema-migrations.ts';
import { onlyRow } from './store/statement.ts';
import { openStorage } from './store/files/open-storage.ts';
import { RecentSettings } from './store/recent-settings.ts';
import { SpendLimits } from './store/accounting/spend-limits.ts';
import { Store } from './store/store.ts';
import { Streams, type StreamsOptions } from './stream/streams.ts';
import { Subagents } from './subagents/subagents.ts';
import { Titles } from './titles/titles.ts';
import { WorkspaceToolbox } from './tools/workspace-toolbox.ts';
import { startWatchdog } from './watchdog/watchdog.ts';
import { ChatContextPreview } from './worker/chat-context-preview.ts';
import type { TurnLimits } from './worker/runner.ts';
import { fixedToolbox } from './worker/toolbox.ts';
import { Worker } from './worker/worker.ts';
import type { TerminalsOptions } from './workspaces/terminals/terminals.ts';
import { openWorkspaces } from './workspaces/server-workspaces.ts';

export interface StartOptions {
  readonly log: Logger;
  /** Where keys of providers and settings of traces are found; nothing of it is read unless given. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Tools of the program that starts us, which the agents of all chats may call. */
  readonly tools?: readonly LocalTool[];
  /** Takes the spans of requests, turns, model calls and tools, instead of what `env` says of traces. */
  readonly tracerProvider?: TracerProvider;
  /** Timeouts and retries of turns, where they differ from the defaults of the loop. */
  readonly limits?: TurnLimits;
  /** How streams keep time, and how many there may be. */
  readonly streams?: Pick<StreamsOptions, 'timing' | 'streamsPerHolder'>;
  /** How long terminals of workspaces are kept, and how many there may be. */
  readonly terminals?: Omit<TerminalsOptions, 'workspaces'>;
  /** For the person in front of it: what takes so long. */
  readonly onProgress?: (line: string) => void;
  /** The server can no longer do its work, and should be closed. */
  readonly onFatal?: (error: Error) => void;
  readonly signal?: AbortSignal;
  /** Ends the process when its event loop is blocked for longer than the lease. Default: false. */
  readonly watchdog?: boolean;
  readonly databasePatienceMs?: number;
  readonly tokenUseEveryMs?: number;
  /** Where the built web UI is; the one that comes along unless given. */
  readonly webFolder?: string;
  /** Where the migrations are; those that come along unless given. */
  readonly migrations?: string;
}

export interface Chatd {
  readonly url: string;
  /** Signs an admin in, once, within 15 minutes. */
  readonly signInUrl: string;
  close(): Promise<void>;
}

export const VERSION = (createRequire(import.meta.url)('../package.json') as { version: string })
  .version;

/** Said once: a proxy that is not named in the settings makes all its clients look like one. */
const IGNORED =
  'X-Forwarded-For of a sign-in is ignored: if this is your proxy, name it in CHATD_TRUSTED_PROXIES';

/** From nothing to a server that answers. What was started is stopped again when a later step fails. */
export async function startChatd(config: Config, options: StartOptions): Promise<Chatd> {
  const cleanup: (() => Promise<void>)[] = [];
  const close = async () => {
    const failures: unknown[] = [];
    for (const step of cleanup.splice(0).toReversed()) {
      await step().catch((error: unknown) => failures.push(error));
    }
    // Whatever failed, all of it was tried: PostgreSQL is not left running because a timer could not be stopped.
    if (failures.length > 0) throw failures[0];
  };
  try {
    return await start(config, options, (step) => cleanup.push(step), close);
  } catch (error) {
    await close().catch((failure: unknown) =>
      options.log.error({ err: failure }, 'cleaning up failed'),
    );
    throw error;
  }
}

async function start(
  config: Config,
  options: StartOptions,
  atEnd: (step: () => Promise<void>) => void,
  close: () => Promise<void>,
): Promise<Chatd> {
  const { log, signal } = options;
  const replica = { id: randomUUID(), program: VERSION, host: hostname() };
  const replicaId = replica.id;
  const { url, lock, migrated, migration } = await openDatabase(config, options, replica, atEnd);
  signal?.throwIfAborted();
  if (options.watchdog === true) atEnd(startWatchdog(config.leaseMs));

  const bus = await openBus({
    busUrl: config.busUrl,
    databaseUrl: url,
    databaseDirectUrl: config.databaseDirectUrl,
    alone: lock !== undefined,
    log,
    onProgress: options.onProgress,
    signal,
    patienceMs: options.databasePatienceMs,
  });
  atEnd(() => bus.close());
  const tools = options.tools ?? [];
  const observability: Observability = await Observability.open({
    database: () => store.database,
    settings: () => settings.read(),
    env: options.env ?? {},
    tracerProvider: options.tracerProvider,
    version: VERSION,
    replicaId,
    log,
  });
  const { metrics, traces, instruments } = observability;
  let closing = false;
  let worker: Worker | undefined;
  const storage = await openStorage(config.filesUrl, (error) =>
    log.warn({ err: error }, 'the file storage failed'),
  );
  const store = new Store({
    url,
    storage,
    connections: config.databaseConnections,
    publish(change) {
      observability.committed(change);
      // Whoever watches here need not read what was written here.
      if (change.step !== undefined) streams.committed(change, change.step);
      if (change.entered !== undefined) worker?.said(change.id, change.entered);
      bus.publish('changes', { ...hintOf(change) });
    },
    onError(error) {
      if (!closing) log.warn({ err: error }, 'a connection to the database broke');
    },
  });
  atEnd(async () => {
    closing = true;
    await store.close();
  });
  atEnd(() => observability.close());
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
  atEnd(() => registration.close());
  const lastUsed = new LastUsed({
    database: store.database,
    onError: (error) => log.warn({ err: error }, 'the last use of tokens could not be written'),
    ...(options.tokenUseEveryMs !== undefined && { everyMs: options.tokenUseEveryMs }),
  });
  atEnd(() => lastUsed.close());
  const { version: schemaVersion } = onlyRow(await store.database.query(readSchemaVersion));
  const admin = await bootstrap(store.database, config.adminToken);
  const housekeeping = startHousekeeping(store, log);
  atEnd(() => housekeeping.close());
  const indexer = startSearchIndexer(store.database, log);
  atEnd(() => indexer.close());
  const settings = new RecentSettings(store.database);
  const streams = new Streams({
    store,
    bus,
    replicaId,
    log,
    streamsPerUser: async () => (await settings.read()).max_streams_per_user,
    ...options.streams,
  });
  await streams.start();
  atEnd(() => streams.close());
  const providers = await Providers.open({
    database: store.database,
    log,
    secretKey: config.secretKey,
    dataDir: lock === undefined ? undefined : config.dataDir,
    env: options.env ?? {},
    // Never decided by the listen address: a proxy on the same machine also reaches a server on loopback.
    allowPrivate: async () => config.allowPrivateUrls || (await settings.read()).allow_private_urls,
  });
  atEnd(() => providers.close());
  const mcp = await Mcp.open({
    database: store.database,
    vault: providers.vault,
    allowPrivate: providers.allowPrivate,
    budget: config.mcpTools,
    programs: config.mcpPrograms,
    ...(config.concurrency > 0 && { workerId: replicaId }),
    version: VERSION,
    log,
  });
  atEnd(() => mcp.close());
  const places = await openWorkspaces({
    config,
    database: store.database,
    settings: settings.read,
    bus,
    log,
    terminals: options.terminals,
  });
  atEnd(async () => places?.close());
  const benches = places === undefined ? [] : [new WorkspaceToolbox({ store, log, ...places })];
  const subagents = new Subagents({
    store,
    bus,
    settings: settings.read,
    ...(places && { recordings: new Recordings(store) }),
  });
  const given = fixedToolbox(tools);
  const contextPreview = new ChatContextPreview({
    database: store.database,
    toolboxes: [
      { source: 'chatd', toolbox: given },
      { source: 'people', toolbox: approvalToolbox },
      { source: 'subagents', toolbox: subagents },
    ],
    workspaces: benches[0],
    mcp: mcp.toolbox,
  });
  const spend = new SpendLimits(store.database);
  const beforeCall = (userId: string) => spend.check(userId);
  const accountChanges = new AccountChanges(bus);
  const subscription = await accountChanges.subscribe((userId) => {
    spend.forget(userId);
    streams.closeRevoked();
  });
  atEnd(() => subscription.close());
  const titles = new Titles({ store, models: providers.models, log, beforeCall, instruments });
  atEnd(() => titles.close());
  const webUi = await WebUi.open(options.webFolder);
  if (webUi === undefined) log.warn('the web UI is not built: npm run build builds it');
  const server = await listen(config, () =>
    startHttpServer(
      {
        store,
        streams,
        authorizer: new Authorizer(new Authenticator(store.database, lastUsed), store.database),
        accountChanges,
        lockout: new Lockout({ store, changes: accountChanges, workspaces: places?.workspaces }),
        hosts: new AllowedHosts(config.listen.host, config.allowedHosts),
        origins: new AllowedOrigins(config.allowedOrigins),
        proxies: new TrustedProxies(config.trustedProxies, (peer) => log.warn({ peer }, IGNORED)),
        limits: new RequestLimits({
          ...config.requestLimits,
          databaseConnections: config.databaseConnections,
        }),
        signInAttempts: new SignInAttempts(store.database),
        metrics,
        metricsToken: new MetricsToken(config.metricsToken),
        traces,
        providers,
        mcp,
        contextPreview,
        ...(places && {
          workspaces: places.workspaces,
          diffs: places.diffs,
          desktops: places.desktops,
          terminals: places.terminals,
        }),
        settings,
        titles,
        ...(webUi && { webUi }),
        log,
        version: VERSION,
        schemaVersion: schemaVersion ?? 0,
      },
      config.listen,
    ),
  );
  atEnd(() => server.close());
  // Before the server waits for what is open. Other replicas go on being told what happens here.
  atEnd(async () => streams.sendAway());

  await subagents.start();
  atEnd(() => subagents.close());

  // The last to start and the first to stop: other replicas go on with its chats while this one says goodbye.
  if (config.concurrency > 0) {
    const started = new Worker({
      store,
      bus,
      log,
      workerId: replicaId,
      models: providers.models,
      sink: streams.sink,
      toolboxes: [given, approvalToolbox, subagents, ...benches, mcp.toolbox],
      settings: settings.read,
      limits: options.limits ?? {},
      leaseMs: config.leaseMs,
      maxOwnerDeaths: config.maxOwnerDeaths,
      concurrency: config.concurrency,
      instruments,
      beforeCall,
      onFinished: (chat) => titles.afterTurn(chat),
    });
    // A worker that ends is forgotten; its program is there until all of it has stopped.
    atEnd(() => registration.linger());
    await started.start();
    atEnd(() => started.close());
    worker = started;
  }
  await registration.start();
  observability.show({
    running: () => worker?.running ?? 0,
    migrationsWaiting: () => registration.waiting,
    bus,
    streams,
  });

  const origin = `http://${reachableHost(config.listen.host)}:${server.port}`;
  const link = await newSignInLink(store.database, admin.id, origin);
  if (link === undefined) throw new Error('the admin is gone');
  await lock?.announce({
    pid: process.pid,
    url: origin,
    started_at: new Date().toISOString(),
  });
  signal?.throwIfAborted();
  const { version: postgres } = onlyRow(await store.database.query(readPostgresVersion));
  log.info(
    {
      version: VERSION,
      node: process.versions.node,
      postgres,
      bus: busName(config, lock !== undefined),
      chats_at_once: config.concurrency,
      tools: tools.length,
      traces: observability.isTracing,
      debug_record: (await settings.read()).debug_record.enabled,
      replica_id: replicaId,
    },
    'chatd has started',
  );
  return { url: origin, signInUrl: link.url, close };
}

/** Where replicas meet, in a word. */
function busName({ busUrl }: Config, alone: boolean): string {
  if (busUrl === undefined) return alone ? 'memory' : 'postgres';
  return busUrl === 'memory:' ? 'memory' : 'nats';
}

async function listen<T>(config: Config, start: () => Promise<T>): Promise<T> {
  const { host, port } = config.listen;
  try {
    return await start();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE') {
      throw new StartError(
        'port_taken',
        `The port ${port} on ${host} is taken by another program.`,
        'Stop that one, or choose another with CHATD_LISTEN, for example CHATD_LISTEN=127.0.0.1:7718.',
        error,
      );
    }
    if (typeof code !== 'string' || !code.startsWith('E')) throw error;
    throw new StartError(
      'cannot_listen',
      `chatd cannot listen on ${host}:${port}: ${String(error)}`,
      'Choose an address of this machine and a port from 1024 up with CHATD_LISTEN.',
      error,
    );
  }
}

/** Every address of the machine is no address to go to. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
