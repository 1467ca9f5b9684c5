import { networkInterfaces } from 'node:os';
import { AllowedOrigins } from '../auth/allowed-origins.ts';
import { Authorizer } from '../auth/authorize.ts';
import { AllowedHosts, type HostAndPort, parseAllowedHost } from '../auth/hosts.ts';
import { MetricsToken } from '../auth/metrics-token.ts';
import { TrustedProxies } from '../auth/trusted-proxies.ts';
import type { Config } from '../config.ts';
import { Previews } from '../http/previews/previews.ts';
import { startHttpServer } from '../http/server.ts';
import { startForwardingServer } from '../http/sockets/forwarding.ts';
import { machineChannel } from '../http/sockets/machine-channel.ts';
import { WebUi } from '../http/web-ui.ts';
import { OidcSignIns } from '../oidc/sign-ins.ts';
import { RequestLimits } from '../limits/request-limits.ts';
import { SignInAttempts } from '../limits/sign-in-attempts.ts';
import { StartError } from '../start-error.ts';
import { readSchemaVersion } from '../store/queries/schema-migrations.ts';
import { onlyRow } from '../store/statement.ts';
import type { Closeable } from './close-stack.ts';
import type { Agents } from './start-agents.ts';
import type { OutboxServices } from './start-outbox.ts';
import type { StartOptions } from './start-options.ts';
import type { Storage } from './start-storage.ts';

export interface Http extends Closeable {
  /** The address for a browser on this machine. */
  readonly origin: string;
}

/** Logged once: without the setting, all clients of a proxy count as one. */
const UNTRUSTED_PROXY =
  'ignored X-Forwarded-For of a sign-in. If the peer is your proxy, add it to CHATD_TRUSTED_PROXIES';

export async function startHttp(
  config: Config,
  { log, webFolder, group }: StartOptions,
  {
    replica,
    store,
    settings,
    observability,
    accountChanges,
    sharingChanges,
    authenticator,
  }: Storage,
  { streams, providers, mcp, git, places, chatGit, contextPreview, titles, triggers }: Agents,
  { outbox, webhooks, push }: OutboxServices,
): Promise<Http> {
  const webUi = await WebUi.open(webFolder, config.previewDomain);
  if (webUi === undefined) log.warn('the web UI is not built. Run npm run build');
  const { version: schemaVersion } = onlyRow(await store.database.query(readSchemaVersion));
  const previews =
    places &&
    new Previews({
      workspaces: places.workspaces,
      database: store.database,
      keys: providers.vault.derivedKeys('workspace previews'),
      domain: config.previewDomain,
    });
  const oidcKeys = providers.vault.derivedKeys('sign-in with OIDC');
  if (config.oidc !== undefined && oidcKeys.length === 0) throw secretKeyRequired();
  const { publicUrl } = config;
  const server = await listen(config, () =>
    startHttpServer(
      {
        store,
        streams,
        authorizer: new Authorizer(authenticator, store.database),
        accountChanges,
        sharingChanges,
        hosts: new AllowedHosts(config.listen.host, allowedHosts(config)),
        origins: new AllowedOrigins(config.allowedOrigins),
        proxies: new TrustedProxies(config.trustedProxies, (peer) =>
          log.warn({ peer }, UNTRUSTED_PROXY),
        ),
        limits: new RequestLimits({
          ...config.requestLimits,
          databaseConnections: config.databaseConnections,
          peers: group,
        }),
        signInAttempts: new SignInAttempts(store.database),
        ...(config.oidc && { oidc: new OidcSignIns(config.oidc, oidcKeys) }),
        passwordSignIn: config.passwordSignIn ?? true,
        ...(publicUrl !== undefined && { publicUrl }),
        metrics: observability.metrics,
        metricsToken: new MetricsToken(config.metricsToken),
        traces: observability.traces,
        providers,
        mcp,
        outbox,
        webhooks,
        push,
        contextPreview,
        git,
        ...(chatGit && { chatGit }),
        ...(places && {
          workspaces: places.workspaces,
          diffs: places.diffs,
          checkpoints: places.checkpoints,
          desktops: places.desktops,
          terminals: places.terminals,
          ...(previews && { previews }),
          forwarded: places.machines,
          machineConnections: {
            accept: (machine) => ({
              kind: 'machine',
              open: (connection) =>
                void places.machines.accept(machine, machineChannel(connection)),
              cancel: () => undefined,
            }),
            changed: (id) => places.machines.changed(id),
          },
        }),
        settings,
        titles,
        triggers,
        ...(webUi && { webUi }),
        log,
        version: replica.program,
        schemaVersion: schemaVersion ?? 0,
      },
      config.listen,
    ),
  );
  const own =
    group === undefined || places === undefined
      ? undefined
      : await startForwardingServer(places.machines, config.listen.host);
  await places?.machines.start(internalUrl(config, own?.port ?? server.port, own !== undefined));
  return {
    origin: `http://${reachableHost(config.listen.host)}:${server.port}`,
    async close() {
      // First, because the server waits for open responses.
      streams.disconnectAll();
      previews?.disconnectAll();
      git.changes.endWaits();
      await places?.machines.release();
      await own?.close();
      await server.close();
    },
  };
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
        `Port ${port} on ${host} is already in use.`,
        'Stop the other program, or set another port with CHATD_LISTEN, for example CHATD_LISTEN=127.0.0.1:7718.',
        error,
      );
    }
    if (typeof code !== 'string' || !code.startsWith('E')) throw error;
    throw new StartError(
      'cannot_listen',
      `chatd cannot listen on ${host}:${port}: ${String(error)}`,
      'Set CHATD_LISTEN to an address of this machine and a port from 1024 up.',
      error,
    );
  }
}

/** The host of the public URL is one of this server. */
function allowedHosts({ allowedHosts: given, publicUrl }: Config): HostAndPort[] {
  const own = publicUrl === undefined ? undefined : parseAllowedHost(new URL(publicUrl).host);
  return own === undefined ? [...given] : [...given, own];
}

const secretKeyRequired = () =>
  new StartError(
    'usage',
    'Sign-in with OIDC requires a key that all replicas share.',
    'Set CHATD_SECRET_KEY to the same value on all replicas.',
  );

/** The wildcard address is not one to connect to. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

/** Where other replicas reach this process. */
function internalUrl(
  { internalUrl: given, listen: { host } }: Config,
  port: number,
  isOwn: boolean,
) {
  if (given !== undefined) {
    const url = new URL(given);
    if (isOwn) url.port = String(port);
    return url.href;
  }
  const isWildcard = host === '0.0.0.0' || host === '::';
  const address = isWildcard ? ownAddress() : undefined;
  return `http://${address ?? reachableHost(host)}:${port}`;
}

/** An address of this computer in its network. Undefined: it has only loopback. */
const ownAddress = (): string | undefined =>
  Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === 'IPv4' && !one.internal)?.address;
