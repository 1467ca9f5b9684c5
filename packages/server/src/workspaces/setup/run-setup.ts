import { fileURLToPath } from 'node:url';
import type { TemplateDefinition } from '@chatd/protocol';
import type { Sandbox, Driver, WorkspaceSpec } from '../driver.ts';
import { readBaselines } from '../git/baselines.ts';

/** The set-up of a workspace ended badly; the message says at which step and why. */
class SetupFailed extends Error {
  override readonly name = 'SetUpFailed';
}

export interface SetupPlan {
  readonly driver: Driver;
  readonly spec: WorkspaceSpec;
  readonly definition: TemplateDefinition;
  readonly onOutput: (bytes: Uint8Array) => void;
  readonly signal: AbortSignal;
}

/** From nothing to a workspace that can be worked in. Returns the commits that its changes are compared with. */
export async function runSetup(plan: SetupPlan): Promise<Record<string, string>> {
  const { driver, spec, definition, signal } = plan;
  const { source } = definition;
  const say = (text: string) => plan.onOutput(Buffer.from(text));
  await driver.create(spec);
  if (source !== undefined && 'path' in source) {
    say(`Copying ${source.path}\n`);
    await driver.copyIn(spec, source.path).catch((error: unknown) => {
      throw new SetupFailed(`${source.path} cannot be copied: ${reason(error)}`);
    });
  }
  const git = source !== undefined && 'git' in source ? source.git : undefined;
  const local = git === undefined ? undefined : localPath(git.url);
  const sandbox = await driver.open(spec, {
    network: needsNetwork(definition, local) ? 'fetch' : 'none',
    ...(local !== undefined && { readOnly: [local] }),
  });
  const stop = () => void sandbox.close();
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    if (git !== undefined) {
      await step(plan, sandbox, 'git clone', ['git', 'clone', '--', git.url, '.']);
      if (git.ref !== undefined) {
        await step(plan, sandbox, 'git checkout', ['git', 'checkout', git.ref, '--']);
      }
    }
    if (definition.setup !== undefined && definition.setup.trim() !== '') {
      await step(plan, sandbox, 'the set-up script', [sandbox.shell, '-e', '-c', definition.setup]);
    }
    return await readBaselines(sandbox);
  } finally {
    signal.removeEventListener('abort', stop);
    await sandbox.close();
  }
}

/** Most workspaces are made from nothing that has to be fetched, and they open on machines without network support too. */
function needsNetwork({ source, setup = '' }: TemplateDefinition, local: string | undefined) {
  const clones = source !== undefined && 'git' in source && local === undefined;
  return clones || setup.trim() !== '';
}

async function step(
  { onOutput, signal }: SetupPlan,
  sandbox: Sandbox,
  what: string,
  argv: [string, ...string[]],
): Promise<void> {
  let last = '';
  const running = await sandbox
    .run({
      argv,
      onOutput(bytes) {
        last = (last + Buffer.from(bytes.subarray(-1000)).toString('utf8')).slice(-1000);
        onOutput(bytes);
      },
    })
    .catch((error: unknown) => {
      throw new SetupFailed(`${what} cannot be run: ${reason(error)}`);
    });
  const { code, signal: killed } = await running.exit;
  signal.throwIfAborted();
  if (code === 0) return;
  const how = killed === null ? `exit code ${code}` : `signal ${killed}`;
  throw new SetupFailed(`${what} failed with ${how}. It ended with:\n${last.trim()}`);
}

const reason = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** A repository of this machine, which has to be seen from inside. */
function localPath(url: string): string | undefined {
  if (url.startsWith('/')) return url;
  return url.startsWith('file:') ? fileURLToPath(url) : undefined;
}
