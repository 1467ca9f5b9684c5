import type { Logger } from 'pino';
import type { AccountChanges } from '../auth/account-changes.ts';
import type { Authorizer } from '../auth/authorize.ts';
import type { AllowedOrigins } from '../auth/allowed-origins.ts';
import type { AllowedHosts } from '../auth/hosts.ts';
import type { MetricsToken } from '../auth/metrics-token.ts';
import type { SharingChanges } from '../auth/sharing-changes.ts';
import type { TrustedProxies } from '../auth/trusted-proxies.ts';
import type { Desktops } from '../desktop/desktops.ts';
import type { ChatGit } from '../git/chat-git.ts';
import type { Git } from '../git/git.ts';
import type { RequestLimits } from '../limits/request-limits.ts';
import type { SignInAttempts } from '../limits/sign-in-attempts.ts';
import type { Mcp } from '../mcp/mcp.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Traces } from '../observability/traces/traces.ts';
import type { OidcSignIns } from '../oidc/sign-ins.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { Providers } from '../providers/providers.ts';
import type { Push } from '../push/push.ts';
import type { RecentSettings } from '../store/recent-settings.ts';
import type { Store } from '../store/store.ts';
import type { Triggers } from '../triggers/triggers.ts';
import type { Titles } from '../titles/titles.ts';
import type { MachineRow } from '../store/machines.ts';
import type { Streams } from '../stream/streams.ts';
import type { ChatContextPreview } from '../worker/chat-context-preview.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import type { Checkpoints } from '../workspaces/checkpoints/checkpoints.ts';
import type { Diffs } from '../workspaces/diff/diffs.ts';
import type { Terminals } from '../workspaces/terminals/terminals.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';
import type { Exchange } from './exchange.ts';
import type { Previews } from './previews/previews.ts';
import type { ForwardedMachines } from './sockets/forwarding.ts';
import type { WebSocketHandler } from './sockets/web-socket.ts';
import type { WebUi } from './web-ui.ts';

/** The connections of machines to all replicas. */
export interface MachineConnections {
  /** Accepts a connection with a valid token. A newer connection of the machine closes the older one. */
  accept(machine: MachineRow, exchange: Exchange): WebSocketHandler;
  /** The machine was changed or deleted. The replica that holds its connection acts on it. */
  changed(machineId: string): void;
}

/** Everything that handlers use. */
export interface Services {
  readonly store: Store;
  readonly streams: Streams;
  readonly authorizer: Authorizer;
  readonly accountChanges: Pick<AccountChanges, 'publish'>;
  readonly sharingChanges: Pick<SharingChanges, 'publish'>;
  readonly hosts: AllowedHosts;
  readonly origins: AllowedOrigins;
  readonly proxies: TrustedProxies;
  readonly limits: RequestLimits;
  readonly signInAttempts: SignInAttempts;
  /** Undefined: no OIDC provider is configured. */
  readonly oidc?: OidcSignIns;
  readonly passwordSignIn: boolean;
  /** The origin of our pages in browsers. Undefined: as the request says. */
  readonly publicUrl?: string;
  readonly metrics: Metrics;
  readonly metricsToken: MetricsToken;
  readonly traces: Pick<Traces, 'request'>;
  readonly providers: Providers;
  readonly mcp: Mcp;
  readonly outbox: Pick<Outbox, 'targetsChanged'>;
  readonly webhooks: Pick<Webhooks, 'test'>;
  readonly push: Pick<Push, 'publicKey'>;
  readonly settings: Pick<RecentSettings, 'read' | 'forget'>;
  readonly titles: Pick<Titles, 'regenerate'>;
  readonly git: Git;
  readonly triggers: Pick<Triggers, 'commands' | 'deliver' | 'now' | 'run' | 'verify'>;
  /** Undefined: workspaces are disabled. */
  readonly workspaces?: Workspaces;
  readonly chatGit?: ChatGit;
  readonly diffs?: Diffs;
  readonly checkpoints?: Checkpoints;
  readonly desktops?: Desktops;
  readonly terminals?: Terminals;
  readonly previews?: Previews;
  readonly machineConnections?: MachineConnections;
  /** Undefined: no replica uses machines through this one. */
  readonly forwarded?: ForwardedMachines;
  readonly contextPreview: Pick<ChatContextPreview, 'of'>;
  /** Undefined: not built. */
  readonly webUi?: WebUi;
  readonly log: Logger;
  readonly version: string;
  /** The schema version after the migrations of this program. */
  readonly schemaVersion: number;
}
