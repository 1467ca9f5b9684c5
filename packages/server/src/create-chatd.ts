import type { LocalTool } from '@chatd/loop';
import type { Logger } from 'pino';
import { type Chatd, startChatd } from './app.ts';
import { type Config, type GivenSettings, readConfig } from './config.ts';
import { createLog } from './log.ts';
import { splitKeys } from './secrets/master-key.ts';
import type { StartOptions } from './startup/start-options.ts';

export interface ChatdOptions extends Omit<Partial<StartOptions>, 'log' | 'migrations'> {
  /** By their names in chatd.json; they go before flags, environment and that file. */
  readonly settings?: GivenSettings;
  /** `process.env` to be set up like the command line is; nothing of it is read unless given. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The flags of `chatd serve`. */
  readonly args?: readonly string[];
  /** Tools of this program, which the agents of all chats may call. */
  readonly tools?: readonly LocalTool[];
  /** Instead of a log of our own. */
  readonly log?: Logger;
  /** Where our own log goes, a line at a time; nowhere unless given. */
  readonly writeLog?: (line: string) => void;
  /** A log for people instead of JSON. */
  readonly readableLog?: boolean;
}

/**
 * chatd inside another program, or behind its own command line: reads the settings, then starts everything. Resolves
 * when it answers; `close` stops all of it.
 */
export async function createChatd(options: ChatdOptions = {}): Promise<Chatd> {
  const { settings, env = {}, args = [], log, writeLog, readableLog, ...start } = options;
  const isRoot = process.geteuid?.() === 0;
  const { config, warnings } = readConfig({
    args,
    env,
    isRoot,
    ...(settings && { given: settings }),
  });
  const ownLog = log ?? logFor(config, writeLog, readableLog);
  for (const warning of warnings) ownLog.warn(warning);
  return await startChatd(config, { ...start, env, log: ownLog });
}

function logFor(
  config: Config,
  write: (line: string) => void = () => undefined,
  readable = false,
): Logger {
  const { adminToken, metricsToken, secretKey, databaseUrl, databaseDirectUrl, busUrl, filesUrl } =
    config;
  const secrets = [
    adminToken,
    metricsToken,
    databaseUrl,
    databaseDirectUrl,
    busUrl,
    filesUrl,
    ...splitKeys(secretKey ?? ''),
  ];
  return createLog({
    level: config.logLevel,
    secrets: secrets.filter((value) => value !== undefined),
    readable,
    write,
  });
}
