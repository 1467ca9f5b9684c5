import { approvalToolbox } from '../tools/approvals/approval-toolbox.ts';
import type { Config } from '../config.ts';
import { systemClock } from '@chatd/loop';
import { Recordings } from '../desktop/recording/recordings.ts';
import type { ChatGit } from '../git/chat-git.ts';
import { Git } from '../git/git.ts';
import { GitToolbox } from '../git/tools/git-toolbox.ts';
import { Mcp } from '../mcp/mcp.ts';
import { Providers } from '../providers/providers.ts';
import { CallPermissions } from '../store/accounting/call-permissions.ts';
import { Streams } from '../stream/streams.ts';
import { Subagents } from '../subagents/subagents.ts';
import { Triggers } from '../triggers/triggers.ts';
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
  readonly git: Git;
  /** Undefined: workspaces are disabled. */
  readonly places: ServerWorkspaces | undefined;
  readonly chatGit: ChatGit | undefined;
  readonly subagents: Subagents;
  /** In the order of their precedence: of two tools with the same name, the first is used. */
  readonly toolboxes: readonly Toolbox[];
  readonly contextPreview: ChatContextPreview;
  readonly titles: Titles;
  readonly triggers: Triggers;
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
    const git = stack.use(
      await Git.open({
        database: store.database,
        vault: providers.vault,
        bus,
        allowPrivate: providers.allowPrivate,
        app: config.githubApp,
        webhookSecret: config.githubWebhookSecret,
        clock: systemClock,
        log,
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
      gateway: git.gateway,
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
    const chatGit = places && git.chats(places.workspaces);
    const workspaceToolboxes =
      places === undefined || chatGit === undefined
        ? []
        : [
            new WorkspaceToolbox({ store, log, ...places }),
            new GitToolbox({
              database: store.database,
              workspaces: places.workspaces,
              connections: git.connections,
              git: chatGit,
            }),
          ];
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
    const triggers = stack.use(
      new Triggers({
        store,
        bus,
        vault: providers.vault,
        workspaces: places?.workspaces,
        log,
        pointsPerMinute: config.requestLimits.pointsPerMinute,
      }),
    );
    await triggers.start();
    return {
      streams,
      providers,
      mcp,
      git,
      places,
      chatGit,
      subagents,
      toolboxes,
      contextPreview: new ChatContextPreview(toolboxes),
      titles,
      triggers,
      checkCall,
    };
  }, onCloseError);
}
