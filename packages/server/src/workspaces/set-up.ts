import { fileURLToPath } from 'node:url';
import type { TemplateDefinition } from '@chatd/protocol';
import type { Box, Driver, Place } from './driver.ts';
import { readBaselines } from './git/baselines.ts';

/** The set-up of a workspace ended badly; the message says at which step and why. */
class SetUpFailed extends Error {
  override readonly name = 'SetUpFailed';
}

export interface SetUp {
  readonly driver: Driver;
  readonly place: Place;
  readonly definition: TemplateDefinition;
  readonly onOutput: (bytes: Uint8Array) => void;
  readonly signal: AbortSignal;
}

/** From nothing to a workspace that can be worked in. Returns the commits that its changes are compared with. */
export async function setUp(plan: SetUp): Promise<Record<string, string>> {
  const { driver, place, definition, signal } = plan;
  const { source } = definition;
  const say = (text: string) => plan.onOutput(Buffer.from(text));
  await driver.create(place);
  if (source !== undefined && 'path' in source) {
    say(`Copying ${source.path}\n`);
    await driver.copyIn(place, source.path).catch((error: unknown) => {
      throw new SetUpFailed(`${source.path} cannot be copied: ${reason(error)}`);
    });
  }
  const git = source !== undefined && 'git' in source ? source.git : undefined;
  const local = git === undefined ? undefined : localPath(git.url);
  const box = await driver.open(place, {
    network: needsNetwork(definition, local) ? 'fetch' : 'none',
    ...(local !== undefined && { readOnly: [local] }),
  });
  const stop = () => void box.close();
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    if (git !== undefined) {
      await step(plan, box, 'git clone', ['git', 'clone', '--', git.url, '.']);
      if (git.ref !== undefined) {
        await step(plan, box, 'git checkout', ['git', 'checkout', git.ref, '--']);
      }
    }
    if (definition.setup !== undefined && definition.setup.trim() !== '') {
      await step(plan, box, 'the set-up script', [box.shell, '-e', '-c', definition.setup]);
    }
    return await readBaselines(box);
  } finally {
    signal.removeEventListener('abort', stop);
    await box.close();
  }
}

/** Most workspaces are made from nothing that has to be fetched, and they open on machines without network support too. */
function needsNetwork({ source, setup = '' }: TemplateDefinition, local: string | undefined) {
  const clones = source !== undefined && 'git' in source && local === undefined;
  return clones || setup.trim() !== '';
}

async function step(
  { onOutput, signal }: SetUp,
  box: Box,
  what: string,
  argv: [string, ...string[]],
): Promise<void> {
  let last = '';
  const running = await box
    .run({
      argv,
      onOutput(bytes) {
        last = (last + Buffer.from(bytes.subarray(-1000)).toString('utf8')).slice(-1000);
        onOutput(bytes);
      },
    })
    .catch((error: unknown) => {
      throw new SetUpFailed(`${what} cannot be run: ${reason(error)}`);
    });
  const { code, signal: killed } = await running.exit;
  signal.throwIfAborted();
  if (code === 0) return;
  const how = killed === null ? `exit code ${code}` : `signal ${killed}`;
  throw new SetUpFailed(`${what} failed with ${how}. It ended with:\n${last.trim()}`);
}

const reason = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** A repository of this machine, which has to be seen from inside. */
function localPath(url: string): string | undefined {
  if (url.startsWith('/')) return url;
  return url.startsWith('file:') ? fileURLToPath(url) : undefined;
}
