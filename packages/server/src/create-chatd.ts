import type { LocalTool } from '@chatd/loop';
import type { Logger } from 'pino';
import { type Chatd, startChatd } from './app.ts';
import { configOfMember } from './process-group/process-count.ts';
import { type Config, type GivenSettings, readConfig } from './config.ts';
import { createLog } from './log.ts';
import { splitKeys } from './secrets/master-key.ts';
import type { StartOptions } from './startup/start-options.ts';

export interface ChatdOptions extends Omit<Partial<StartOptions>, 'log' | 'migrations'> {
  /** By their names in chatd.json. They take precedence over flags, environment and that file. */
  readonly settings?: GivenSettings;
  /** Pass `process.env` to read settings like the command line does. Default: none. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The flags of `chatd serve`. */
  readonly args?: readonly string[];
  /** Tools of your program, available to the agents of all chats. */
  readonly tools?: readonly LocalTool[];
  /** Replaces the log of chatd. */
  readonly log?: Logger;
  /** Receives the lines of the log. Default: none. */
  readonly writeLog?: (line: string) => void;
  /** Plain text instead of JSON. Default: false. */
  readonly readableLog?: boolean;
}

/** Starts chatd inside another program. Resolves when the server is ready; `close` stops it. */
export async function createChatd(options: ChatdOptions = {}): Promise<Chatd> {
  const { settings, env = {}, args = [], log, writeLog, readableLog, ...start } = options;
  const isRoot = process.geteuid?.() === 0;
  const { config: read, warnings } = readConfig({
    args,
    env,
    isRoot,
    ...(settings && { given: settings }),
  });
  const config = start.group === undefined ? read : configOfMember(read, start.group.settings.size);
  const ownLog = log ?? logFor(config, writeLog, readableLog);
  for (const warning of warnings) ownLog.warn(warning);
  return await startChatd(config, { ...start, env, log: ownLog });
}

function logFor(
  config: Config,
  write: (line: string) => void = () => undefined,
  readable = false,
): Logger {
  const { adminToken, metricsToken, secretKey, oidc, githubApp, githubWebhookSecret } = config;
  const { databaseUrl, databaseDirectUrl, busUrl, filesUrl } = config;
  const secrets = [
    adminToken,
    metricsToken,
    databaseUrl,
    databaseDirectUrl,
    busUrl,
    filesUrl,
    oidc?.clientSecret,
    githubApp?.privateKey,
    githubWebhookSecret,
    ...splitKeys(secretKey ?? ''),
  ];
  return createLog({
    level: config.logLevel,
    secrets: secrets.filter((value) => value !== undefined),
    readable,
    write,
  });
}
