import { fileURLToPath } from 'node:url';
import type { TemplateDefinition } from '@chatd/protocol';
import { NO_CONTAINERS } from '../checkpoints/hosted-checkpoints.ts';
import type { Sandbox, Driver, WorkspaceSpec } from '../drivers/driver.ts';
import { readBaselines } from '../git/baselines.ts';
import type { SetupRequest } from '../machine.ts';

/** The message names the step that failed, and the reason. */
class SetupFailed extends Error {
  override readonly name = 'SetUpFailed';
}

export interface SetupPlan {
  readonly driver: Driver;
  readonly spec: WorkspaceSpec;
  readonly definition: TemplateDefinition;
  readonly files?: SetupRequest['files'];
  readonly onOutput: (bytes: Uint8Array) => void;
  readonly signal: AbortSignal;
  /** Called before the first program runs. */
  readonly prepare: (sandbox: Sandbox) => Promise<void>;
}

/** Creates and prepares a workspace. Returns the commits with which later changes are compared. */
export async function runSetup(plan: SetupPlan): Promise<Record<string, string>> {
  const baselines = await prepareFiles(plan);
  const { driver, spec, files } = plan;
  if (files !== undefined) {
    plan.onOutput(Buffer.from('Restoring files\n'));
    const checkpoints = await driver.checkpoints?.(spec);
    if (checkpoints === undefined) throw new SetupFailed(NO_CONTAINERS);
    await checkpoints.adopt(spec.id, files.tree, files.workspace_id).catch((error: unknown) => {
      throw new SetupFailed(`Restoring the files failed: ${reason(error)}`);
    });
  }
  return baselines;
}

async function prepareFiles(plan: SetupPlan): Promise<Record<string, string>> {
  const { driver, spec, definition, signal } = plan;
  const { source } = definition;
  const say = (text: string) => plan.onOutput(Buffer.from(text));
  await driver.create(spec);
  if (source !== undefined && 'path' in source) {
    say(`Copying ${source.path}\n`);
    await driver.copyIn(spec, source.path).catch((error: unknown) => {
      throw new SetupFailed(`Copying ${source.path} failed: ${reason(error)}`);
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
    await plan.prepare(sandbox);
    if (git !== undefined) {
      await step(plan, sandbox, 'git clone', ['git', 'clone', '--', git.url, '.']);
      if (git.ref !== undefined) {
        await step(plan, sandbox, 'git checkout', ['git', 'checkout', git.ref, '--']);
      }
    }
    if (definition.setup !== undefined && definition.setup.trim() !== '') {
      await step(plan, sandbox, 'The setup script', [sandbox.shell, '-e', '-c', definition.setup]);
    }
    return await readBaselines(sandbox);
  } finally {
    signal.removeEventListener('abort', stop);
    await sandbox.close();
  }
}

/** Without downloads, setup works on hosts without network support too. */
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
      throw new SetupFailed(`${what} could not be started: ${reason(error)}`);
    });
  const { code, signal: killed } = await running.exit;
  signal.throwIfAborted();
  if (code === 0) return;
  const how = killed === null ? `exit code ${code}` : `signal ${killed}`;
  throw new SetupFailed(`${what} failed with ${how}. End of its output:\n${last.trim()}`);
}

const reason = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** The path of a repository on this host, which has to be mounted. */
function localPath(url: string): string | undefined {
  if (url.startsWith('/')) return url;
  return url.startsWith('file:') ? fileURLToPath(url) : undefined;
}
