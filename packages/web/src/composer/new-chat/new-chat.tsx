import { useRef } from 'react';
import { composerStateOf } from '../../state/composer-state.ts';
import { Announcements } from '../announcements.tsx';
import { COMPOSER_NAME } from '../send/use-stop.ts';
import { NewChatComposer } from './new-chat-composer.tsx';

/** The composer of the first page. Apart from the composer of a chat, which is loaded with the chat. */
export function NewChat() {
  const field = useRef<HTMLTextAreaElement>(null);
  return (
    <section aria-label={COMPOSER_NAME} className="flex flex-col gap-2">
      <NewChatComposer composing={composerStateOf('new')} field={field} />
      <Announcements />
    </section>
  );
}
