import type { ToolContext } from '@chatd/loop';
import { type JsonObject, networkMode } from '@chatd/protocol';
import type { WorkspaceRow } from '../../store/workspaces.ts';
import { readContext } from '../../workspaces/context/read-context.ts';
import { LiveOutput } from '../../machine/processes/live-output.ts';
import type { ChatWorkspaceHandle } from './chat-workspace-handle.ts';

const LOG_SHOWN = 4000;

/** Publishes the output of the setup, then describes the workspace. */
export async function setupResult(
  handle: ChatWorkspaceHandle,
  row: WorkspaceRow,
  context: ToolContext,
): Promise<JsonObject> {
  const live = new LiveOutput(handle.clock, (text) => context.publish(text));
  let made: WorkspaceRow | undefined;
  try {
    made = await handle.workspaces.awaitSetup(row.id, {
      signal: context.signal,
      onOutput: (bytes) => live.push(bytes),
    });
  } finally {
    live.end();
  }
  if (made?.status === 'failed') {
    throw new Error(
      `The setup of the workspace failed: ${made.error ?? ''}\nTry again with start_workspace. End of its output:\n${made.log.slice(-LOG_SHOWN)}`,
    );
  }
  if (made?.status !== 'ready') throw new Error('The workspace was deleted during its setup.');
  return await describe(handle, made);
}

export async function describe(
  handle: ChatWorkspaceHandle,
  row: WorkspaceRow,
): Promise<JsonObject> {
  const { root, files, skills } = await readContext(await handle.workspaces.use(row.id));
  return {
    workspace_id: row.id,
    name: row.name,
    template: row.template_name,
    status: row.status,
    root,
    network: networkMode(row.definition.network),
    ...(files.length > 0 && { read_first: files.map(({ path }) => path) }),
    ...(skills.length > 0 && { skills: skills.map(({ folder }) => `${folder}/SKILL.md`) }),
  };
}
