import { type Chatd, startChatd } from '../../src/app.ts';
import { createLog } from '../../src/log.ts';
import { TIMING } from '../../src/stream/timing.ts';
import { effectTools } from '../../../../faults/deployment/tools.ts';
import { config } from '@chatd/test-server';
import type { Expectations } from './fixture.ts';
import { PlainApi } from './observe.ts';

export interface UpgradedServer extends Chatd {
  readonly admin: PlainApi;
  readonly member: PlainApi;
}

/** Starts this version on the database of an earlier one, with the same keys. */
export async function startUpgraded(
  { tokens, secretKey }: Pick<Expectations, 'tokens' | 'secretKey'>,
  options: {
    readonly databaseUrl: string;
    readonly dataDir: string;
    /** Max concurrent chats. 0: it runs none. */
    readonly concurrency: number;
    readonly effects: string;
    readonly workspaces: boolean;
  },
): Promise<UpgradedServer> {
  const { databaseUrl, dataDir, concurrency, effects } = options;
  const log = createLog({
    level: 'info',
    secrets: [],
    readable: false,
    write(line) {
      if (line.includes('request failed')) process.stderr.write(line);
    },
  });
  const chatd = await startChatd(
    config({
      databaseUrl,
      dataDir,
      workspaces: {
        enabled: options.workspaces,
        templatesDir: undefined,
        idleMs: 0,
        allowUnsandboxed: false,
      },
      adminToken: tokens.admin,
      secretKey,
      concurrency,
      // Long enough that a busy machine keeps its lease.
      leaseMs: 5000,
      allowPrivateUrls: true,
    }),
    {
      log,
      tools: effectTools(effects),
      // A client that is up to date soon gets a ping.
      streams: { timing: { ...TIMING, pingMs: 200 } },
    },
  );
  return {
    ...chatd,
    admin: new PlainApi(chatd.url, tokens.admin),
    member: new PlainApi(chatd.url, tokens.member),
  };
}
