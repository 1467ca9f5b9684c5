import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { copyCheckout } from './checkout-copy.ts';
import { printed } from './expected-output.ts';
import { type Block, type Page, reasonNotRun } from './page.ts';
import { programUpTo } from './program.ts';
import { type Commands, type Ended, type Mode, Session } from './session.ts';

const LIMIT_MS = 300_000;

/** A command of a page failed. The message has the line, the command and its output. */
export class PageFailed extends Error {}

export interface RunBlock {
  readonly line: number;
  readonly text: string;
  readonly output: string;
  readonly durationMs: number;
}

/** Runs the commands of a page in a fresh copy of the repository. Throws on the first failure. */
export async function runPage(
  page: Page,
  onBlock: (block: RunBlock) => void = () => undefined,
): Promise<void> {
  const base = await mkdtemp(join(tmpdir(), 'chatd-docs-'));
  // As root, PostgreSQL runs as another user, which must be able to enter the directory.
  await chmod(base, 0o711);
  const folder = join(base, 'chatd');
  try {
    await copyCheckout(folder);
    await runIn(page, folder, await surroundings(base, folder), onBlock);
  } finally {
    await rm(base, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}

async function runIn(
  page: Page,
  folder: string,
  { state, env }: { state: string; env: NodeJS.ProcessEnv },
  onBlock: (block: RunBlock) => void,
): Promise<void> {
  const session = new Session({ folder, state, env });
  let output = '';
  try {
    for (const block of page.blocks) {
      const name = block.notes.get('file');
      if (name !== undefined) {
        await mkdir(dirname(join(folder, name)), { recursive: true });
        await writeFile(join(folder, name), `${block.text}\n`);
      }
      if (block.notes.has('prints') && !printed(output, block.text)) {
        throw new PageFailed(`${page.file}:${block.line}: this was not printed, but\n\n${output}`);
      }
      const commands = await commandsOf(page, block, folder);
      if (commands === undefined) continue;
      const since = performance.now();
      const ended = await session.run(commands);
      output = ended.output;
      const durationMs = performance.now() - since;
      onBlock({ line: block.line, text: block.text, output, durationMs });
      const words = whatFailed(block, commands.how, ended);
      if (words !== undefined) {
        throw new PageFailed(
          `${page.file}:${ended.failed?.line ?? block.line}: ${words}\n\n${output}`,
        );
      }
    }
  } finally {
    await session.end();
  }
}

async function commandsOf(page: Page, block: Block, folder: string): Promise<Commands | undefined> {
  if (block.notes.has('run') && page.notRun === undefined) {
    const name = `.program-${block.line}.ts`;
    await writeFile(join(folder, name), programUpTo(page, block).text);
    const text = `node --conditions=chatd-source --disable-warning=ExperimentalWarning ${name}`;
    return { text, line: block.line, how: { mode: 'run' }, input: '', limitMs: LIMIT_MS };
  }
  if (block.language !== 'sh' || reasonNotRun(page, block) !== undefined) return undefined;
  return {
    text: block.text,
    line: block.line,
    how: modeOf(block),
    input: typed(block.notes.get('types')),
    limitMs: LIMIT_MS,
  };
}

function modeOf({ notes }: Block): Mode {
  const pressed = notes.get('ctrl-c after');
  if (pressed !== undefined) return { mode: 'ctrl-c', text: pressed };
  const ready = notes.get('background until');
  if (ready !== undefined) return { mode: 'background', text: ready };
  return { mode: notes.has('fails with') ? 'any-status' : 'run' };
}

const typed = (lines: string | undefined) =>
  (lines?.split('⏎') ?? []).map((line) => `${line.trim()}\n`).join('');

function whatFailed({ notes }: Block, how: Mode, ended: Ended): string | undefined {
  const { failed, over, status, output } = ended;
  if (over === 'took too long') return `this did not end within ${LIMIT_MS / 60_000} minutes`;
  if (failed !== undefined) return `failed with ${failed.status}: ${failed.command}`;
  if (over === 'ended') return 'this ended the shell';
  const wanted = Number(notes.get('fails with') ?? 0);
  if (status !== wanted) return `ended with ${status} instead of ${wanted}`;
  if ('text' in how && !output.includes(how.text)) return `never printed ${how.text}`;
  return undefined;
}

/** The environment of a page: only the PATH is inherited. */
async function surroundings(
  base: string,
  folder: string,
): Promise<{ state: string; env: NodeJS.ProcessEnv }> {
  const [state, home, data, bin] = ['state', 'home', 'data', 'bin'].map((n) => join(base, n));
  if (!state || !home || !data || !bin) throw new Error('unreachable');
  for (const made of [state, home, data, bin]) await mkdir(made);
  await chmod(data, 0o711);
  const command = `exec '${process.execPath}' --conditions=chatd-source '${folder}/packages/cli/src/main.ts' "$@"`;
  await writeFile(join(bin, 'chatd'), `#!/bin/sh\n${command}\n`, { mode: 0o755 });
  const path = [bin, dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter);
  return {
    state,
    env: {
      PATH: path,
      HOME: home,
      CHATD_DATA_DIR: data,
      LANG: 'C.UTF-8',
      TERM: 'dumb',
      NO_COLOR: '1',
    },
  };
}
