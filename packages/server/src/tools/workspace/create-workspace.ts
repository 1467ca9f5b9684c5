import { type LocalTool, tool } from '@chatd/loop';
import { z } from 'zod';
import { messageOfCall } from '../../store/queries/messages/read.ts';
import { findWorkspaceByCall } from '../../store/queries/workspaces.ts';
import type { Store } from '../../store/store.ts';
import { setupResult } from './describe-workspace.ts';
import { requireTemplate } from './require-template.ts';
import type { ChatWorkspaceHandle } from './chat-workspace-handle.ts';

const Input = z.strictObject({
  template: z.string().min(1).describe('Name or id of a template'),
  name: z.string().trim().min(1).max(100).optional(),
});

export const createWorkspace = (handle: ChatWorkspaceHandle, store: Store): LocalTool =>
  tool({
    name: 'create_workspace',
    description:
      'Create a workspace from a template for this chat. File and process tools work there from then on. Shows the output of the setup and returns when the workspace is ready.',
    input: Input,
    // Idempotent: a repeated call finds the created workspace and waits for it.
    idempotent: true,
    async run({ template, name }, context) {
      const { chat, workspaces } = handle;
      const { database } = store;
      const [message] = await database.query(messageOfCall, {
        chat_id: chat.id,
        tool_call_id: context.callId,
      });
      const call = `${chat.id}/${message?.id ?? 0}/${context.callId}`;
      const [earlier] = await database.query(findWorkspaceByCall, { made_by_call: call });
      if (earlier === undefined) await refuseSecond(handle);
      const row =
        earlier ??
        (await workspaces.create({
          ownerId: chat.owner_id,
          template: await requireTemplate(workspaces.templates, template),
          name,
          call,
        }));
      await store.client.update(chat.id, { workspace_id: row.id });
      handle.workspaceId = row.id;
      return await setupResult(handle, row, context);
    },
  });

/** Prevents an agent from abandoning its work by mistake. */
async function refuseSecond(handle: ChatWorkspaceHandle): Promise<void> {
  const row =
    handle.workspaceId === null ? undefined : await handle.workspaces.find(handle.workspaceId);
  if (row === undefined || row.status === 'deleted' || row.status === 'failed') return;
  const start = row.status === 'stopped' ? ' Start it with start_workspace.' : '';
  throw new Error(
    `This chat already has the workspace ${row.name} (${row.status}). Use that one.${start}`,
  );
}
