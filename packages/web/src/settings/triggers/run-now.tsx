import type { Json, Trigger } from '@chatd/protocol';
import { Play } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { client } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import { useInvalidateQueries } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { toast } from '../../ui/toast.ts';

export function RunNow({
  trigger,
  payload,
  disabled = false,
}: {
  readonly trigger: Trigger;
  readonly payload?: Json | undefined;
  readonly disabled?: boolean;
}) {
  const [, go] = useLocation();
  const changed = useInvalidateQueries();
  const [busy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    try {
      const { status, reason, chat_id } = await client.call('runTrigger', {
        params: { trigger_id: trigger.id },
        body: payload === undefined ? {} : { payload },
      });
      if (status === 'skipped' || status === 'refused') toast.error(reason ?? `Run ${status}`);
      else {
        toast.success(
          status === 'queued' ? 'The run waits for the previous one' : 'Run started',
          chat_id === null
            ? undefined
            : { action: { label: 'Open chat', onClick: () => go(`/chats/${chat_id}`) } },
        );
      }
      await changed();
    } catch (error) {
      toast.error(explain(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button
      size="small"
      disabled={busy || disabled}
      aria-label={`Run now: ${trigger.name}`}
      onClick={() => void run()}
    >
      <Play aria-hidden className="size-4" />
      Run now
    </Button>
  );
}
