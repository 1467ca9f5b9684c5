import { type LocalTool, UNKNOWN_OUTCOME } from '@chatd/loop';
import { z } from 'zod';
import {
  SandboxClosed,
  type SandboxFiles,
  SandboxFileError,
} from '../../machine/drivers/driver.ts';
import { CallLost, type FileToWrite, type HostedWorkspace } from '../../machine/machine.ts';
import type { WorkspaceHandle } from '../workspace-handle.ts';
import { applyEdits, type Edit } from './apply-edits.ts';
import { isBinary } from './file-type.ts';
import { lineDiff } from './line-diff.ts';
import { insideRoot, shownPath } from '../../workspaces/files/path.ts';
import { agentTool } from '../agent-tool.ts';

const MAX_FILE_BYTES = 4 * 1024 * 1024;
const MAX_DIFF = 24 * 1024;

const INPUT = z.strictObject({
  files: z
    .array(
      z.strictObject({
        path: z.string().min(1),
        edits: z
          .array(
            z.strictObject({
              old_text: z
                .string()
                .describe('Text to replace. Must occur exactly once. Empty: create a new file'),
              new_text: z.string(),
              replace_all: z.boolean().optional().describe('Replace every occurrence'),
            }),
          )
          .min(1)
          .max(100),
      }),
    )
    .min(1)
    .max(50),
});

export const editFiles = (handle: WorkspaceHandle): LocalTool =>
  agentTool({
    name: 'edit_files',
    description:
      'Replace text in files of the workspace. Accepts many files and edits at once. All edits are checked first; if one fails, nothing is changed. Returns the diff.',
    input: INPUT,
    // Idempotent: the machine applies each call once.
    idempotent: true,
    forDesktops: true,
    async run({ files }, context) {
      const call = handle.callKey(context);
      const attempt = async () => {
        const workspace = await handle.use(context);
        await handle.beforeChange(workspace, context.signal);
        return await edit(workspace, call, files);
      };
      try {
        return await attempt().catch((error: unknown) => {
          if (!(error instanceof SandboxClosed)) throw error;
          // The machine restarted. Its journal has the edits if they were accepted.
          return attempt();
        });
      } catch (error) {
        if (error instanceof Error && error.cause instanceof CallLost) handle.count('lost');
        throw error;
      }
    },
  });

async function edit(
  workspace: HostedWorkspace,
  call: string,
  files: z.output<typeof INPUT>['files'],
): Promise<string> {
  const plans = await plan(workspace.files, workspace.root, files).catch(async (error: unknown) => {
    // The edits of an earlier attempt cannot be applied again.
    const earlier = await resultOf(workspace, call);
    if (earlier === '') throw error;
    return earlier;
  });
  if (typeof plans === 'string') return plans;
  const diff = plans.map(({ name, before, after }) => lineDiff(name, before, after)).join('');
  const result =
    diff.length > MAX_DIFF
      ? `${diff.slice(0, MAX_DIFF)}\n[diff truncated: ${plans.length} files were written]`
      : diff;
  const written = plans.map(({ path, after }) => ({ path, bytes: Buffer.from(after) }));
  return await writeAll(workspace, call, written, result);
}

/** The result of an earlier attempt, which may still be writing. Empty: there is none. */
async function resultOf(workspace: HostedWorkspace, call: string): Promise<string> {
  const earlier = await workspace.outcome(call);
  if (earlier.state === 'running') return await writeAll(workspace, call, [], '');
  return earlier.state === 'finished' ? earlier.result : '';
}

interface Plan {
  readonly path: string;
  readonly name: string;
  /** Undefined: the file does not exist yet. */
  readonly before: string | undefined;
  readonly after: string;
}

async function plan(
  files: SandboxFiles,
  root: string,
  wanted: z.output<typeof INPUT>['files'],
): Promise<Plan[]> {
  const edits = new Map<string, Edit[]>();
  for (const { path, edits: some } of wanted) {
    const absolute = insideRoot(root, path);
    edits.set(absolute, [...(edits.get(absolute) ?? []), ...some]);
  }
  const problems: string[] = [];
  const plans: Plan[] = [];
  for (const [path, some] of edits) {
    const name = shownPath(root, path);
    try {
      const before = await readText(files, path, name);
      const edited = applyEdits(before, some);
      problems.push(...edited.problems.map((one) => `${name}, edit ${one.edit}: ${one.message}`));
      plans.push({ path, name, before, after: edited.text });
    } catch (error) {
      if (!(error instanceof SandboxFileError)) throw error;
      problems.push(`${name}: ${error.message}`);
    }
  }
  if (problems.length === 0) return plans;
  throw new Error(`Nothing was changed.\n${problems.join('\n')}`);
}

async function readText(
  files: SandboxFiles,
  path: string,
  name: string,
): Promise<string | undefined> {
  const read = await files.read(path, 0, MAX_FILE_BYTES + 1).catch((error: unknown) => {
    if (error instanceof SandboxFileError && error.code === 'not_found') return undefined;
    throw error;
  });
  if (read === undefined) return undefined;
  const bytes = Buffer.from(read.bytes);
  if (read.size > MAX_FILE_BYTES) {
    throw new SandboxFileError(
      'failed',
      `${name} is too large to edit with this tool. Use execute with sed.`,
    );
  }
  // Invalid UTF-8 would be changed by decoding and encoding.
  const text = bytes.toString('utf8');
  if (isBinary(bytes) || !Buffer.from(text).equals(bytes)) {
    throw new SandboxFileError('failed', `${name} is not UTF-8 text. Use execute to change it.`);
  }
  return text;
}

async function writeAll(
  workspace: HostedWorkspace,
  call: string,
  files: readonly FileToWrite[],
  result: string,
): Promise<string> {
  try {
    return await workspace.writeAll(call, files, result);
  } catch (error) {
    if (error instanceof CallLost) throw new Error(UNKNOWN_OUTCOME, { cause: error });
    if (!(error instanceof SandboxFileError)) throw error;
    throw new Error(`${error.message} Nothing was changed.`, { cause: error });
  }
}
