import type { Message } from '@chatd/protocol';
import { client } from '../../api/client.ts';
import type { ComposerState, ModelChoice } from '../../state/composer-state.ts';
import { announce } from '../announcements.tsx';
import { rememberPrompt } from '../history/recent-prompts.ts';
import { contentOf } from './content.ts';
import { whyNotSent } from './refusals.ts';

/** Replaces a message with the draft. The old message and all later ones remain as a version. */
export async function replace(
  composing: ComposerState,
  { id, chat_id }: Message,
  { modelConfigId, effort }: ModelChoice,
): Promise<void> {
  const draft = composing.draft();
  composing.notice.set(null);
  composing.pending.set('Saving the message');
  try {
    await client.call('editMessage', {
      params: { chat_id, message_id: id },
      body: {
        content: contentOf(draft),
        model_config_id: modelConfigId,
        reasoning_effort: effort,
        restore_files: composing.restoring.get(),
      },
    });
    rememberPrompt(draft.text);
    composing.editing.set(null);
    announce('Message replaced. The chat runs again from there.');
  } catch (error) {
    const problem = whyNotSent(error);
    composing.notice.set(problem);
    announce(`Not saved. ${problem.text}`);
  } finally {
    composing.pending.set(null);
    composing.focus();
  }
}
