import { useCell } from '../state/cell.ts';
import type { Composing } from '../state/composing.ts';
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

/** One line below the text, of the same height whatever it says. */
export function Footing({
  composing,
  mode,
  armed = false,
  busy = false,
  notYet,
}: {
  readonly composing: Composing;
  readonly mode: SendMode;
  readonly armed?: boolean;
  readonly busy?: boolean;
  /** Why it cannot be sent. */
  readonly notYet: string | undefined;
}) {
  const { sendWith } = useCell(preferences);
  const kept = useCell(composing.kept);
  const keys = SEND_KEYS[sendWith];
  return (
    <>
      <p aria-hidden className="h-4 truncate px-3 text-xs leading-4 text-muted max-sm:hidden">
        {armed ? (
          <span className="font-medium text-bad">Press Esc again to stop the turn</span>
        ) : kept ? (
          <>
            {keysLabel(keys.queue)} {DOES[mode]}
            {busy &&
              ` · ${keysLabel(keys.steer)} steers · ${keysLabel(keys.interrupt)} interrupts · Esc twice stops`}
            {!busy && ` · ${sendWith === 'enter' ? 'Shift+Enter' : 'Enter'} makes a new line`} · @
            names files · / commands
          </>
        ) : (
          <span className="text-warn">
            This is too much for the browser to keep: it would be lost by a reload.
          </span>
        )}
      </p>
      <p id="composer-not-yet" className="sr-only">
        {notYet}
      </p>
    </>
  );
}
