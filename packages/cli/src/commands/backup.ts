import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, rename, rm, stat } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { confirm } from '../access/read-secret.ts';
import { CommandFailed } from '../command-failed.ts';
import { command, type Run, YES_OPTION } from '../command-line/command.ts';
import { EXIT } from '../exit-codes.ts';
import { bytes } from '../output/quantities.ts';
import { DATA_DIR_OPTION, DATABASE_URL_OPTION, settingSources } from './server-options.ts';
import { loadServer } from './server-package.ts';

export const backup = (run: Run) =>
  command('backup', 'Back up a running or stopped server to a file', {
    details: `Contains a consistent snapshot of all tables: chats, users, tokens, settings. Run it on the machine of the server (embedded PostgreSQL), or anywhere with access to its database (CHATD_DATABASE_URL).

Provider keys are included in encrypted form. The server's secret key is required to decrypt them.`,
    examples: [
      ['chatd backup', 'Write chatd-DATE.backup'],
      ['chatd backup --workspaces --secret-key all.backup', 'Include everything; store it safely'],
      ['chatd backup - | ssh backup.example.org "cat > chatd.backup"', 'Write to stdout'],
    ],
  })
    .argument('[file]')
    .option('--workspaces', 'Include workspace files as they are now')
    .option('--secret-key', 'Include the secret key of the data directory')
    .option('--force', 'Overwrite an existing file')
    .addOption(DATA_DIR_OPTION)
    .addOption(DATABASE_URL_OPTION)
    .action(
      run(async (context, given, options) => {
        const server = await loadServer(() => import('@chatd/server/backup'));
        const now = new Date(context.now());
        const file =
          given ?? `chatd-${now.toISOString().slice(0, 19).replaceAll(/[:T]/g, '-')}.backup`;
        if (options.force !== true && (await exists(file))) {
          throw new CommandFailed(
            EXIT.usage,
            `${file} already exists.`,
            'Choose another name, or add --force.',
          );
        }
        const { config } = server.readConfig(settingSources(context, options));
        const draft = `${file}.${process.pid}.unfinished`;
        const target: Writable =
          file === '-' ? context.stdout : createWriteStream(draft, { mode: 0o600 });
        try {
          const report = await server.makeBackup(config, {
            target,
            withWorkspaces: options.workspaces === true,
            withSecretKey: options.secretKey === true,
            now,
            onProgress: context.log,
          });
          if (file !== '-') {
            context.log('Verifying the backup …');
            await server.verifyBackup(createReadStream(draft));
            await chmod(draft, 0o600);
            await rename(draft, file);
          }
          const size = file === '-' ? '' : ` to ${file} (${bytes((await stat(file)).size)})`;
          context.log(`Backed up ${report.chats} chats, ${report.rows} rows in total${size}.`);
          if (report.needsSecretKey) {
            context.log(
              'The backup contains encrypted provider keys. Back up the secret key of the server separately\n' +
                '(secret.key in its data directory, or CHATD_SECRET_KEY). Without it, you must enter the provider keys again.',
            );
          }
          if (options.secretKey === true) {
            context.log(
              'The backup contains the secret key: anyone with the file can read the provider keys.',
            );
          }
        } catch (error) {
          if (file !== '-') await rm(draft, { force: true });
          throw asFailure(error);
        }
      }),
    );

export const restore = (run: Run) =>
  command('restore', 'Restore a backup to an empty data directory or database', {
    details:
      'Existing data is never overwritten: restore refuses a data directory with a database and a database with tables.',
    examples: [
      [
        'chatd restore chatd.backup --data-dir /srv/chatd',
        'Then start it: chatd serve --data-dir /srv/chatd',
      ],
      ['ssh backup.example.org cat chatd.backup | chatd restore - --yes', 'Read from stdin'],
    ],
  })
    .argument('<file>')
    .addOption(YES_OPTION)
    .addOption(DATA_DIR_OPTION)
    .addOption(DATABASE_URL_OPTION)
    .action(
      run(async (context, file, options) => {
        const server = await loadServer(() => import('@chatd/server/backup'));
        try {
          const { config } = server.readConfig(settingSources(context, options));
          const target =
            config.databaseUrl === undefined
              ? config.dataDir
              : 'the database of CHATD_DATABASE_URL';
          if (options.yes !== true && file !== '-' && context.stdin.isTTY) {
            await confirm(context, `Restore ${file} to ${target}?`);
          }
          const source: Readable = file === '-' ? context.stdin : createReadStream(file);
          const report = await server.restoreBackup(config, { source, onProgress: context.log });
          const { created_at, chatd_version, secret_key } = report.manifest;
          context.log(
            `Restored ${report.chats} chats, ${report.rows} rows in total, from ${created_at} (chatd ${chatd_version}) to ${target}.`,
          );
          if (!secret_key) {
            context.log(
              'The backup does not contain the secret key. Copy it from the original server, or enter the provider keys again.',
            );
          }
        } catch (error) {
          throw asFailure(error);
        }
      }),
    );

const exists = (file: string) =>
  file === '-'
    ? Promise.resolve(false)
    : stat(file).then(
        () => true,
        () => false,
      );

/** Errors with a hint or a code are expected; all others keep their stack trace. */
function asFailure(error: unknown): unknown {
  if (error instanceof CommandFailed || !(error instanceof Error)) return error;
  const hint = 'hint' in error && typeof error.hint === 'string' ? error.hint : undefined;
  const isExpected = hint !== undefined || ('code' in error && typeof error.code === 'string');
  return isExpected ? new CommandFailed(EXIT.failed, error.message, hint) : error;
}
