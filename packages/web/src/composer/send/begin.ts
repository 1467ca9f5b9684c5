import type { BodyOf } from '@chatd/client';
import type { Chat } from '@chatd/protocol';
import { client } from '../../api/client.ts';
import type { Composing, ModelChoice } from '../../state/composing.ts';
import { announce } from '../announcements.tsx';
import { rememberPrompt } from '../history/recent-prompts.ts';
import { type Beginning, beginning, NOTHING_CHOSEN } from '../new-chat/beginning.ts';
import { contentOf } from './content.ts';
import { requestOf } from './deliver.ts';
import { isRefusal, whyNotSent } from './refusals.ts';

/** Creates a chat from the draft and options. Undefined on failure, which the composer shows. */
export async function begin(composing: Composing, choice: ModelChoice): Promise<Chat | undefined> {
  const draft = composing.draft();
  const chosen = beginning.get();
  composing.notice.set(null);
  composing.pending.set('Starting the chat');
  try {
    const body: BodyOf<'createChat'> = {
      content: contentOf(draft),
      model_config_id: choice.modelConfigId,
      reasoning_effort: choice.effort,
      plan_mode: chosen.planMode || undefined,
      workspace_id: await workspaceOf(chosen),
      mcp_server_ids: chosen.mcpServerIds?.slice(),
    };
    const asked = requestOf(composing, body);
    composing.unsent = asked;
    composing.save();
    const chat = await client.call('createChat', {
      body: JSON.parse(asked.request) as BodyOf<'createChat'>,
      idempotencyKey: asked.key,
    });
    composing.unsent = undefined;
    composing.clear();
    beginning.set(NOTHING_CHOSEN);
    rememberPrompt(draft.text);
    return chat;
  } catch (error) {
    const problem = whyNotSent(error);
    if (isRefusal(error)) composing.unsent = undefined;
    composing.notice.set(problem);
    announce(`The chat was not started. ${problem.text}`);
    composing.focus();
    return undefined;
  } finally {
    composing.pending.set(null);
  }
}

/** Creates the workspace first. If creating the chat then fails, a retry reuses it. */
async function workspaceOf({ workspace }: Beginning): Promise<string | undefined> {
  if (workspace.kind === 'none') return undefined;
  if (workspace.kind === 'existing') return workspace.id;
  const { id } = await client.call('createWorkspace', {
    body: { template_id: workspace.templateId },
    idempotencyKey: workspace.key,
  });
  beginning.update((before) => ({ ...before, workspace: { kind: 'existing', id } }));
  return id;
}
