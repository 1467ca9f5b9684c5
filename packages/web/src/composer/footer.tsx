import type { ReactNode } from 'react';
import { useCell } from '../state/cell.ts';
import type { ComposerState } from '../state/composer-state.ts';
import { keysLabel } from '../state/keys.ts';
import { preferences } from './preferences.ts';
import type { SendMode } from './send/mode.ts';
import { SEND_KEYS } from './send/send-keys.ts';

const DOES: Record<SendMode, string> = {
  send: 'sends',
  queue: 'queues',
  answer: 'answers',
  save: 'saves',
};

/** A line of constant height below the text. */
export function ComposerFooter({
  composing,
  mode,
  armed = false,
  busy = false,
  blocked,
  notYet,
  meter,
}: {
  readonly composing: ComposerState;
  readonly mode: SendMode;
  readonly armed?: boolean;
  readonly busy?: boolean;
  /** What the user must do about attachments before the message can be sent. */
  readonly blocked: string | undefined;
  /** Why the message cannot be sent. */
  readonly notYet: string | undefined;
  readonly meter?: ReactNode;
}) {
  const { sendWith } = useCell(preferences);
  const kept = useCell(composing.kept);
  const keys = SEND_KEYS[sendWith];
  return (
    <>
      <div className="flex h-5 items-center justify-end gap-2 px-4 text-xs text-muted">
        {blocked === undefined ? (
          // Hints that do not fit are on the next line, which is hidden.
          <p
            aria-hidden
            className="flex h-[1lh] min-w-0 flex-1 flex-wrap overflow-hidden whitespace-pre max-sm:hidden"
          >
            {armed ? (
              <span className="font-medium text-bad">Press Esc again to stop the turn</span>
            ) : kept ? (
              [
                `${keysLabel(keys.queue)} ${DOES[mode]}`,
                ...(busy
                  ? [
                      `${keysLabel(keys.steer)} steers`,
                      `${keysLabel(keys.interrupt)} interrupts`,
                      'Esc twice stops',
                    ]
                  : [
                      `${sendWith === 'enter' ? 'Shift+Enter' : 'Enter'} inserts a new line`,
                      '@ mentions files',
                      '/ runs commands',
                    ]),
              ].map((hint, at) => <span key={hint}>{at === 0 ? hint : ` · ${hint}`}</span>)
            ) : (
              <span className="text-warn">
                Too large to save in the browser. A reload would lose this draft.
              </span>
            )}
          </p>
        ) : (
          <p id="composer-not-yet" className="min-w-0 flex-1 truncate font-medium text-warn">
            {blocked}
          </p>
        )}
        {meter}
      </div>
      {blocked === undefined && (
        <p id="composer-not-yet" className="sr-only">
          {notYet}
        </p>
      )}
    </>
  );
}
