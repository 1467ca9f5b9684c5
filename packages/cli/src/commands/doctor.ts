import { ChatdProblem, ChatdUnreachable, createClient } from '@chatd/client';
import { command, JSON_OPTION, type Run } from '../command-line/command.ts';
import type { Context } from '../context.ts';
import { usageError } from '../command-failed.ts';
import { EXIT } from '../exit-codes.ts';
import { printJson } from '../output/listing.ts';
import { oneLine } from '../output/terminal-text.ts';
import { checkServer } from './check-server.ts';
import { DATA_DIR_OPTION, DATABASE_URL_OPTION, settingSources } from './server-options.ts';
import { loadIfInstalled, loadServer } from './server-package.ts';

/** The same as in the server's doctor. */
export interface Finding {
  readonly check: string;
  readonly level: 'ok' | 'warning' | 'broken';
  readonly message: string;
  readonly hint?: string;
}

const load = () => import('@chatd/server/doctor');

export const doctor = (run: Run) =>
  command('doctor', 'Check this machine and the server, and suggest fixes', {
    details: `Checks this machine (Node, data directory, database, bus, keys, sandbox, port) and the server (reachable, ready, token, models, providers). It checks the server that you are logged in to, the one of --url, or one on this machine. The package @chatd/cli can only check the server.

Changes nothing. Exits with 1 if a check fails.`,
    examples: [
      ['chatd doctor', 'Run all checks'],
      ['chatd doctor --remote --url https://chat.example.org', 'Check a remote server'],
      [
        'chatd doctor --machine --url https://chat.example.org',
        'Check a computer that runs chatd machine',
      ],
    ],
  })
    .option('--local', 'Check this machine only')
    .option('--remote', 'Check the server only')
    .option(
      '--machine',
      'Check this computer as a machine: CHATD_URL, CHATD_MACHINE_TOKEN, sandbox',
    )
    .addOption(JSON_OPTION)
    .addOption(DATA_DIR_OPTION)
    .addOption(DATABASE_URL_OPTION)
    .action(
      run(async (context, options) => {
        const { json, local, remote, machine } = options;
        const findings: Finding[] = [];
        const report = (finding: Finding) => {
          findings.push(finding);
          if (json !== true) context.print(`${format(finding, context)}\n`);
        };
        if (machine === true) await checkMachine(context, options, report);
        if (remote !== true && machine !== true) {
          const server = await (local === true ? loadServer(load) : loadIfInstalled(load));
          await server?.examine({ ...settingSources(context, options), onFinding: report });
        }
        if (local !== true && machine !== true) await checkRemote(context, remote === true, report);
        const count = (level: Finding['level']) =>
          findings.filter((one) => one.level === level).length;
        if (json === true) printJson(context, findings);
        else {
          context.print(
            `\n${count('broken')} failed, ${count('warning')} warnings, ${count('ok')} passed\n`,
          );
        }
        return count('broken') > 0 ? EXIT.failed : EXIT.ok;
      }),
    );

async function checkMachine(
  context: Context,
  options: Parameters<typeof settingSources>[1],
  onFinding: (finding: Finding) => void,
): Promise<void> {
  const { url, token: apiToken } = await context.address();
  const token = context.env['CHATD_MACHINE_TOKEN'] ?? apiToken;
  if (token === undefined) {
    throw usageError(
      'The token of the machine is missing.',
      'Set CHATD_MACHINE_TOKEN, as for chatd machine.',
    );
  }
  const server = await loadServer(load);
  await server.examineMachine({ url, token, ...settingSources(context, options), onFinding });
}

/** The default server does not have to run; one that the user named does. */
async function checkRemote(
  context: Context,
  isRequired: boolean,
  report: (finding: Finding) => void,
): Promise<void> {
  const { url, token, isDefault } = await context.address();
  const client = createClient({ url, retries: 0, ...(token !== undefined && { token }) });
  const check = 'server';
  try {
    await checkServer(client, token !== undefined, report);
  } catch (error) {
    if (error instanceof ChatdUnreachable) {
      if (isDefault && token === undefined && !isRequired) {
        return report({
          check,
          level: 'ok',
          message: `No server runs at ${url}, and none is configured.`,
        });
      }
      report({
        check,
        level: 'broken',
        message: oneLine(error.message),
        hint: 'Start it with chatd serve, or set its URL with --url, CHATD_URL or chatd login.',
      });
    } else if (error instanceof ChatdProblem) {
      report({
        check,
        level: 'broken',
        message: `${oneLine(error.message)} (${error.code})`,
        hint:
          error.status === 401
            ? 'Run chatd login, or set CHATD_TOKEN.'
            : 'Check the log of the server.',
      });
    } else {
      throw error;
    }
  }
}

function format({ check, level, message, hint }: Finding, { style }: Context): string {
  const mark = {
    ok: style('green', '✓'),
    warning: style('yellow', '!'),
    broken: style('red', '✗'),
  }[level];
  const line = `${mark} ${style('bold', check)}: ${oneLine(message)}`;
  return hint === undefined || hint === '' ? line : `${line}\n    ${oneLine(hint)}`;
}
