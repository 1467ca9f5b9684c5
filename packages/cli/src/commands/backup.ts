import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, rename, rm, stat } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { confirm } from '../access/read-secret.ts';
import { CommandFailed } from '../command-failed.ts';
import { action } from '../command-line/command.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { bytes } from '../output/quantities.ts';
import { loadServer } from './server-package.ts';
import { SERVER_OPTIONS, type ServerFlags, serverArguments } from './server-flags.ts';

export const backup = action({
  name: 'backup',
  summary: 'Write all of a server into one file, while it runs or not',
  details: `All tables as they are at one moment: chats, users, tokens, settings. Runs on the machine of the
server (embedded PostgreSQL), or wherever its database can be reached (CHATD_DATABASE_URL).
The keys of providers are in it, encrypted; without the server's secret key they cannot be read.`,
  positionals: [{ name: 'FILE', optional: true, completes: 'file' }],
  options: {
    workspaces: {
      type: 'boolean',
      help: 'Also the files of workspaces, as they are at the moment',
    },
    'secret-key': { type: 'boolean', help: 'Also the secret key of the data directory' },
    force: { type: 'boolean', help: 'Overwrite a file' },
    ...SERVER_OPTIONS,
  },
  examples: [
    ['chatd backup', 'into chatd-DATE.backup'],
    ['chatd backup --workspaces --secret-key all.backup', 'everything; keep it safe'],
    ['chatd backup - | ssh elsewhere "cat > chatd.backup"', 'to stdout'],
  ],
  async run({ values, positionals: [given], context }) {
    const server = await loadServer(() => import('@chatd/server/backup'));
    const now = new Date(context.now());
    const file = given ?? `chatd-${now.toISOString().slice(0, 19).replaceAll(/[:T]/g, '-')}.backup`;
    if (values.force !== true && (await exists(file))) {
      throw new CommandFailed(
        EXIT.usage,
        `${file} is there already.`,
        'Choose another name, or say --force.',
      );
    }
    const { config } = server.readConfig(sourcesOf(context, values));
    const draft = `${file}.${process.pid}.unfinished`;
    const target: Writable =
      file === '-' ? context.stdout : createWriteStream(draft, { mode: 0o600 });
    try {
      const report = await server.makeBackup(config, {
        target,
        withWorkspaces: values.workspaces === true,
        withSecretKey: values['secret-key'] === true,
        now,
        onProgress: context.say,
      });
      if (file !== '-') {
        context.say('Verifying the backup …');
        await server.verifyBackup(createReadStream(draft));
        await chmod(draft, 0o600);
        await rename(draft, file);
      }
      const size = file === '-' ? '' : ` into ${file} (${bytes((await stat(file)).size)})`;
      context.say(`Backed up ${report.chats} chats, ${report.rows} rows in all${size}.`);
      if (report.needsSecretKey) {
        context.say(
          'Keys of providers are in it, encrypted. Keep the secret key of the server, too (secret.key in its data\n' +
            'directory, or CHATD_SECRET_KEY), in another place: without it those keys have to be entered anew.',
        );
      }
      if (values['secret-key'] === true) {
        context.say(
          'The secret key is in it: whoever has the file can read the keys of the providers.',
        );
      }
      return EXIT.ok;
    } catch (error) {
      if (file !== '-') await rm(draft, { force: true });
      throw asFailure(error);
    }
  },
});

export const restore = action({
  name: 'restore',
  summary: 'Put a backup into an empty data directory or database',
  details:
    'Nothing is overwritten: a data directory with a database, or a database with tables, is refused.',
  positionals: [{ name: 'FILE', completes: 'file' }],
  options: { yes: { type: 'boolean', short: 'y', help: 'Do not ask' }, ...SERVER_OPTIONS },
  examples: [
    ['chatd restore chatd.backup --data-dir /srv/chatd', 'then: chatd serve --data-dir /srv/chatd'],
    ['ssh elsewhere cat chatd.backup | chatd restore - --yes', 'from stdin'],
  ],
  async run({ values, positionals: [file = ''], context }) {
    const server = await loadServer(() => import('@chatd/server/backup'));
    try {
      const { config } = server.readConfig(sourcesOf(context, values));
      const where =
        config.databaseUrl === undefined ? config.dataDir : 'the database of CHATD_DATABASE_URL';
      if (values.yes !== true && file !== '-' && context.stdin.isTTY) {
        await confirm(context, `Restore ${file} into ${where}?`);
      }
      const source: Readable = file === '-' ? context.stdin : createReadStream(file);
      const report = await server.restoreBackup(config, { source, onProgress: context.say });
      const { created_at, chatd_version, secret_key } = report.manifest;
      context.say(
        `Restored ${report.chats} chats, ${report.rows} rows in all, as they were at ${created_at} (chatd ${chatd_version}), into ${where}.`,
      );
      if (!secret_key) {
        context.say(
          'The secret key is not in the backup: bring it along, or enter the keys of providers anew.',
        );
      }
      return EXIT.ok;
    } catch (error) {
      throw asFailure(error);
    }
  },
});

const sourcesOf = (context: Context, flags: ServerFlags) => ({
  args: serverArguments(flags),
  env: context.env,
  isRoot: process.geteuid?.() === 0,
});

const exists = (file: string) =>
  file === '-'
    ? Promise.resolve(false)
    : stat(file).then(
        () => true,
        () => false,
      );

/** What the server explains is explained; the rest stays what it is. */
function asFailure(error: unknown): unknown {
  if (error instanceof CommandFailed || !(error instanceof Error)) return error;
  const hint = 'hint' in error && typeof error.hint === 'string' ? error.hint : undefined;
  const known = hint !== undefined || ('code' in error && typeof error.code === 'string');
  return known ? new CommandFailed(EXIT.failed, error.message, hint) : error;
}
