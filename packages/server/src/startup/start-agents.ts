import { approvalToolbox } from '../tools/approvals/approval-toolbox.ts';
import type { Config } from '../config.ts';
import { Recordings } from '../desktop/recording/recordings.ts';
import { Mcp } from '../mcp/mcp.ts';
import { Providers } from '../providers/providers.ts';
import { CallPermissions } from '../store/accounting/call-permissions.ts';
import { Streams } from '../stream/streams.ts';
import { Subagents } from '../subagents/subagents.ts';
import { Titles } from '../titles/titles.ts';
import { WorkspaceToolbox } from '../tools/workspace-toolbox.ts';
import { ChatContextPreview } from '../worker/chat-context-preview.ts';
import { fixedToolbox, type Toolbox } from '../tools/toolbox.ts';
import { type Closeable, closingOnFailure } from './close-stack.ts';
import { openWorkspaces, type ServerWorkspaces } from './open-workspaces.ts';
import type { StartOptions } from './start-options.ts';
import type { Storage } from './start-storage.ts';

export interface Agents extends Closeable {
  readonly streams: Streams;
  readonly providers: Providers;
  readonly mcp: Mcp;
  /** Undefined: workspaces are disabled. */
  readonly places: ServerWorkspaces | undefined;
  readonly subagents: Subagents;
  /** In the order of their precedence: of two tools with the same name, the first is used. */
  readonly toolboxes: readonly Toolbox[];
  readonly contextPreview: ChatContextPreview;
  readonly titles: Titles;
  /** Throws when the user has reached their spending limit. */
  readonly checkCall: (userId: string, configId: string) => Promise<void>;
}

/** Starts everything that agents use: models, tools, workspaces, and the streams of their output. */
export async function startAgents(
  config: Config,
  options: StartOptions,
  {
    replica,
    store,
    settings,
    bus,
    observability,
    commitListeners,
    accountChanges,
    sharingChanges,
  }: Storage,
): Promise<Agents> {
  const { log } = options;
  const onCloseError = (error: unknown) => log.error({ err: error }, 'cleanup failed');
  return await closingOnFailure(async (stack) => {
    const streams = new Streams({
      store,
      bus,
      replicaId: replica.id,
      log,
      streamsPerUser: async () => (await settings.read()).max_streams_per_user,
      ...options.streams,
    });
    await streams.start();
    stack.use(streams);
    commitListeners.streams = streams;
    const providers = stack.use(
      await Providers.open({
        database: store.database,
        log,
        secretKey: config.secretKey,
        dataDir: config.databaseUrl === undefined ? config.dataDir : undefined,
        env: options.env ?? {},
        // Never derived from the listen address: a proxy on the same machine also reaches a server on loopback.
        allowPrivate: async () =>
          config.allowPrivateUrls || (await settings.read()).allow_private_urls,
      }),
    );
    const places = await openWorkspaces({
      config,
      database: store.database,
      settings: settings.read,
      bus,
      replica,
      traces: observability.traces,
      forwardingKeys: providers.vault.derivedKeys('machine forwarding'),
      log,
      terminals: options.terminals,
    });
    if (places !== undefined) stack.use(places);
    const mcp = stack.use(
      await Mcp.open({
        database: store.database,
        vault: providers.vault,
        allowPrivate: providers.allowPrivate,
        budget: config.mcpTools,
        programs: config.mcpPrograms,
        workspaces: places?.workspaces,
        ...(config.concurrency > 0 && { workerId: replica.id }),
        version: replica.program,
        log,
      }),
    );
    const workspaceToolboxes =
      places === undefined ? [] : [new WorkspaceToolbox({ store, log, ...places })];
    const subagents = new Subagents({
      store,
      bus,
      settings: settings.read,
      ...(places && { recordings: new Recordings(store) }),
    });
    const toolboxes = [
      fixedToolbox(options.tools ?? []),
      approvalToolbox,
      subagents,
      ...workspaceToolboxes,
      mcp.toolbox,
    ];
    const permissions = new CallPermissions(store.database);
    const checkCall = (userId: string, configId: string) => permissions.check(userId, configId);
    stack.use(
      await accountChanges.subscribe((userId) => {
        permissions.forget(userId);
        streams.accountChanged(userId);
      }),
    );
    stack.use(await sharingChanges.subscribe((change) => streams.sharingChanged(change)));
    const titles = new Titles({
      store,
      models: providers.models,
      log,
      beforeCall: checkCall,
      instruments: observability.instruments,
    });
    stack.use(titles);
    return {
      streams,
      providers,
      mcp,
      places,
      subagents,
      toolboxes,
      contextPreview: new ChatContextPreview(toolboxes),
      titles,
      checkCall,
    };
  }, onCloseError);
}
