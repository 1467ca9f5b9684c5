import { Option } from '../command-line/command.ts';
import type { Context } from '../context.ts';

/** Select a server on this machine. All other settings come from the environment and chatd.json. */
export const DATA_DIR_OPTION = new Option(
  '--data-dir <dir>',
  'Data directory of the server. Default: CHATD_DATA_DIR',
);
export const DATABASE_URL_OPTION = new Option(
  '--database-url <url>',
  'PostgreSQL URL. If it contains a password, use CHATD_DATABASE_URL instead',
);

interface ServerOptions {
  readonly dataDir?: string | undefined;
  readonly databaseUrl?: string | undefined;
}

/** The settings, as `chatd serve` reads them. */
export const settingSources = ({ env }: Context, { dataDir, databaseUrl }: ServerOptions) => ({
  args: [
    ...(dataDir === undefined ? [] : ['--data-dir', dataDir]),
    ...(databaseUrl === undefined ? [] : ['--database-url', databaseUrl]),
  ],
  env,
  isRoot: process.geteuid?.() === 0,
});
