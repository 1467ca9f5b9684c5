import { CircleAlert, Clock } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useCell } from '../../state/cell.ts';
import type { ComposerState, Outgoing } from '../../state/composer-state.ts';
import { Button } from '../../ui/button.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { outline } from '../send/content.ts';
import { deliver, forget, takeBack } from '../send/deliver.ts';
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
  return outbox.map((outgoing) =>
    outgoing.problem === null ? (
      <OnItsWay key={outgoing.key} outgoing={outgoing} />
    ) : (
      <Failed key={outgoing.key} outgoing={outgoing} composing={composing} chatId={chatId} />
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

function Failed({
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
  return (
    <Banner
      kind="bad"
      icon={<CircleAlert />}
      live="alert"
      actions={
        <>
          <Button
            size="small"
            kind="primary"
            onClick={() => void deliver(composing, chatId, outgoing)}
          >
            Try again
          </Button>
          <Button size="small" onClick={put}>
            Edit
          </Button>
          <Button size="small" kind="quiet" onClick={() => forget(composing, outgoing)}>
            Discard
          </Button>
        </>
      }
    >
      <span className="line-clamp-2 font-medium">Not sent: “{outline(draft)}”</span>
      {problem?.text}
    </Banner>
  );
}
