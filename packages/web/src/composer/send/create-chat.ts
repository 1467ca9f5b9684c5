import { type BodyOf, ChatdProblem } from '@chatd/client';
import type { Chat } from '@chatd/protocol';
import { client } from '../../api/client.ts';
import type { ComposerState, ModelChoice } from '../../state/composer-state.ts';
import { announce } from '../announcements.tsx';
import { rememberPrompt } from '../history/recent-prompts.ts';
import {
  type NewChatOptions,
  newChatOptions,
  DEFAULT_OPTIONS,
} from '../new-chat/new-chat-options.ts';
import { contentOf } from './content.ts';
import { requestOf } from './deliver.ts';
import { isRefusal, whyNotSent } from './refusals.ts';

/** Creates a chat from the draft and options. Undefined on failure, which the composer shows. */
export async function createChat(
  composing: ComposerState,
  choice: ModelChoice,
): Promise<Chat | undefined> {
  const draft = composing.draft();
  const chosen = newChatOptions.get();
  composing.notice.set(null);
  composing.pending.set('Starting the chat');
  try {
    const body: BodyOf<'createChat'> = {
      content: contentOf(draft),
      model_config_id: choice.modelConfigId,
      reasoning_effort: choice.effort,
      plan_mode: chosen.planMode || undefined,
      workspace_id: await workspaceOf(chosen),
      project_id: chosen.projectId,
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
    newChatOptions.set(DEFAULT_OPTIONS);
    // Preferences keep it for chats without a project.
    composing.choice.set({});
    rememberPrompt(draft.text);
    return chat;
  } catch (error) {
    const problem = whyNotSent(error);
    if (isRefusal(error)) composing.unsent = undefined;
    // The picker cannot show it, and is hidden if it was the last one.
    if (isUnknownProject(error))
      newChatOptions.update((before) => ({ ...before, projectId: undefined }));
    composing.notice.set(problem);
    announce(`The chat was not started. ${problem.text}`);
    composing.focus();
    return undefined;
  } finally {
    composing.pending.set(null);
  }
}

const isUnknownProject = (error: unknown): boolean =>
  error instanceof ChatdProblem && error.code === 'unknown_project';

/** Creates the workspace first. If creating the chat then fails, a retry reuses it. */
async function workspaceOf({ workspace }: NewChatOptions): Promise<string | undefined> {
  if (workspace.kind === 'none') return undefined;
  if (workspace.kind === 'existing') return workspace.id;
  const { id } = await client.call('createWorkspace', {
    body: { template_id: workspace.templateId },
    idempotencyKey: workspace.key,
  });
  newChatOptions.update((before) => ({ ...before, workspace: { kind: 'existing', id } }));
  return id;
}
