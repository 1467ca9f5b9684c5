import { CircleAlert, Clock } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useCell } from '../../state/cell.ts';
import type { ComposerState, Outgoing } from '../../state/composer-state.ts';
import { Button } from '../../ui/button.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { outline } from '../send/content.ts';
import { deliver, forget, resend, takeBack } from '../send/deliver.ts';
import { Banner } from './banner.tsx';

/** Not shown for fast answers. */
const PATIENCE_MS = 500;

/** Messages that are still being sent, or failed. */
export function Outbox({
  composing,
  chatId,
}: {
  readonly composing: ComposerState;
  readonly chatId: string;
}) {
  const outbox = useCell(composing.outbox);
  // Messages that another tab has left.
  useEffect(() => void resend(composing, chatId), [composing, chatId]);
  return outbox.map((outgoing) =>
    outgoing.problem === null ? (
      <OnItsWay key={outgoing.key} outgoing={outgoing} />
    ) : (
      <Unsent key={outgoing.key} outgoing={outgoing} composing={composing} chatId={chatId} />
    ),
  );
}

function OnItsWay({ outgoing }: { readonly outgoing: Outgoing }) {
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!shown) return null;
  return (
    <Banner kind="info" icon={<Clock />} live="status">
      <span className="flex items-center gap-2">
        <Spinner />
        <span className="line-clamp-1">Sending “{outline(outgoing.draft)}”</span>
      </span>
    </Banner>
  );
}

/** A message that failed, or waits for the connection. */
function Unsent({
  outgoing,
  composing,
  chatId,
}: {
  readonly outgoing: Outgoing;
  readonly composing: ComposerState;
  readonly chatId: string;
}) {
  const { problem, draft } = outgoing;
  const put = () => {
    // Keeps the current draft.
    const written = composing.draft();
    takeBack(composing, outgoing);
    if (written.text.trim() !== '') composing.insert(written.text);
  };
  const waits = problem?.offline === true;
  return (
    <Banner
      kind={waits ? 'info' : 'bad'}
      icon={waits ? <Clock /> : <CircleAlert />}
      live={waits ? 'status' : 'alert'}
      actions={
        <>
          {!waits && (
            <Button
              size="small"
              kind="primary"
              onClick={() => void deliver(composing, chatId, outgoing)}
            >
              Try again
            </Button>
          )}
          <Button size="small" onClick={put}>
            Edit
          </Button>
          <Button size="small" kind="quiet" onClick={() => forget(composing, outgoing)}>
            Discard
          </Button>
        </>
      }
    >
      <span className="line-clamp-2 font-medium">
        {waits ? 'Waiting to send' : 'Not sent'}: “{outline(draft)}”
      </span>
      {problem?.text}
    </Banner>
  );
}
