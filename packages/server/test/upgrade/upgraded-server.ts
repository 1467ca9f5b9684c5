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

/** This version on a database of an earlier one, with the same keys. */
export async function startUpgraded(
  { tokens, secretKey }: Pick<Expectations, 'tokens' | 'secretKey'>,
  options: {
    readonly databaseUrl: string;
    readonly dataDir: string;
    /** Chats at once; 0: it only looks. */
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
      // A busy machine is not a dead one.
      leaseMs: 5000,
      allowPrivateUrls: true,
    }),
    {
      log,
      tools: effectTools(effects),
      // A client that has nothing to be told hears so soon.
      streams: { timing: { ...TIMING, pingMs: 200 } },
    },
  );
  return {
    ...chatd,
    admin: new PlainApi(chatd.url, tokens.admin),
    member: new PlainApi(chatd.url, tokens.member),
  };
}
