import { ChatdProblem, ChatdUnreachable, createClient } from '@chatd/client';
import { action } from '../command-line/command.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { printJson } from '../output/listing.ts';
import { oneLine } from '../output/terminal-text.ts';
import { remoteFindings } from './remote-findings.ts';
import { loadIfInstalled, loadServer } from './server-package.ts';
import { SERVER_OPTIONS, serverArguments } from './server-flags.ts';

/** As the server's own doctor has them. */
export interface Finding {
  readonly check: string;
  readonly level: 'ok' | 'warning' | 'broken';
  readonly message: string;
  readonly hint?: string;
}

const load = () => import('@chatd/server/doctor');

export const doctor = action({
  name: 'doctor',
  summary: 'Look at everything that chatd needs, and say what to do',
  details: `Looks at this machine (Node, data directory, database, bus, keys, sandbox, port) and, when there is a
login, a --url or a server that runs here, at that server (reachable, ready, token, models, providers).
The thin client @chatd/cli looks at the server only.
Ends with 1 when something is broken. Changes nothing.`,
  options: {
    local: { type: 'boolean', help: 'This machine only' },
    remote: { type: 'boolean', help: 'The server only' },
    json: { type: 'boolean', help: 'JSON, for programs' },
    ...SERVER_OPTIONS,
  },
  examples: [
    ['chatd doctor', 'everything'],
    ['chatd doctor --remote --url https://chat.example.org', 'a server elsewhere'],
  ],
  async run({ values, context }) {
    const findings: Finding[] = [];
    const found = (finding: Finding) => {
      findings.push(finding);
      if (values.json !== true) context.print(`${shown(finding, context)}\n`);
    };
    if (values.remote !== true) {
      const server = await (values.local === true ? loadServer(load) : loadIfInstalled(load));
      await server?.examine({
        args: serverArguments(values),
        env: context.env,
        isRoot: process.geteuid?.() === 0,
        onFinding: found,
      });
    }
    if (values.local !== true) await lookAtServer(context, values.remote === true, found);
    if (values.json === true) printJson(context, findings);
    const count = (level: Finding['level']) => findings.filter((one) => one.level === level).length;
    if (values.json !== true) {
      context.print(
        `\n${count('broken')} broken, ${count('warning')} warnings, ${count('ok')} fine\n`,
      );
    }
    return count('broken') > 0 ? EXIT.failed : EXIT.ok;
  },
});

/** Without anybody having named a server there need not be one. */
async function lookAtServer(
  context: Context,
  asked: boolean,
  found: (finding: Finding) => void,
): Promise<void> {
  const { url, token, source } = await context.address();
  const named = asked || source !== 'the default' || token !== undefined;
  const client = createClient({ url, retries: 0, ...(token !== undefined && { token }) });
  try {
    await remoteFindings(client, token !== undefined, found);
  } catch (error) {
    if (error instanceof ChatdUnreachable && !named) {
      found({ check: 'server', level: 'ok', message: `none runs at ${url}, and none was named` });
    } else if (error instanceof ChatdUnreachable) {
      found({
        check: 'server',
        level: 'broken',
        message: oneLine(error.message),
        hint: 'Start it with chatd serve, or say where it is: --url, CHATD_URL or chatd login.',
      });
    } else if (error instanceof ChatdProblem) {
      found({
        check: 'server',
        level: 'broken',
        message: `${oneLine(error.message)} (${error.code})`,
        hint:
          error.status === 401
            ? 'Run chatd login, or set CHATD_TOKEN.'
            : 'See what the server logs.',
      });
    } else {
      throw error;
    }
  }
}

function shown({ check, level, message, hint }: Finding, { style }: Context): string {
  const mark = {
    ok: style('green', '✓'),
    warning: style('yellow', '!'),
    broken: style('red', '✗'),
  }[level];
  const line = `${mark} ${style('bold', check)}: ${oneLine(message)}`;
  return hint === undefined || hint === '' ? line : `${line}\n    ${oneLine(hint)}`;
}
