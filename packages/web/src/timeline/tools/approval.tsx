import { useState } from 'react';
import { toast } from 'sonner';
import { client } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import { useCell } from '../../state/cell.ts';
import { useCommands } from '../../state/commands.ts';
import { Button } from '../../ui/button.tsx';
import type { ToolCardProps } from './tool-view.ts';

type Decision = 'allow' | 'deny';

/** Below a call that needs approval. The card above shows what it does. */
export function Approval({ view, chatId, store }: ToolCardProps) {
  const [sent, setSent] = useState<Decision>();
  const [remember, setRemember] = useState(false);
  const waiting = useCell(store.awaited).filter(({ kind }) => kind === 'approval');
  const { tool_call_id, tool_name } = view.call;

  const decide = async (decision: Decision, ids: readonly string[]) => {
    setSent(decision);
    const decisions = ids.map((id) => ({ tool_call_id: id, decision, remember }));
    try {
      await client.call('decideApprovals', { params: { chat_id: chatId }, body: { decisions } });
    } catch (error) {
      setSent(undefined);
      toast.error(explain(error));
    }
  };
  const allow = () => void decide('allow', [tool_call_id]);
  const deny = () => void decide('deny', [tool_call_id]);
  const isFirst = waiting[0]?.tool_call_id === tool_call_id;
  useCommands(
    isFirst
      ? [
          {
            id: 'allow-call',
            title: `Allow ${tool_name}`,
            group: 'This chat',
            keys: 'alt+y',
            run: allow,
          },
          {
            id: 'deny-call',
            title: `Deny ${tool_name}`,
            group: 'This chat',
            keys: 'alt+n',
            run: deny,
          },
        ]
      : [],
  );

  return (
    <div className="flex flex-wrap items-center gap-2 border-t border-line bg-warn-surface px-3 py-2 text-sm">
      <p className="mr-auto font-medium text-warn">Allow this call?</p>
      <label className="flex items-center gap-2">
        <input
          type="checkbox"
          checked={remember}
          disabled={sent !== undefined}
          onChange={({ target }) => setRemember(target.checked)}
        />
        Remember decision
      </label>
      <Button size="small" kind="danger" disabled={sent !== undefined} onClick={deny}>
        {sent === 'deny' ? 'Denying…' : 'Deny'}
      </Button>
      <Button size="small" kind="primary" disabled={sent !== undefined} onClick={allow}>
        {sent === 'allow' ? 'Allowing…' : 'Allow'}
      </Button>
      {isFirst && waiting.length > 1 && (
        <Button
          size="small"
          disabled={sent !== undefined}
          onClick={() =>
            void decide(
              'allow',
              waiting.map((call) => call.tool_call_id),
            )
          }
        >
          Allow all {waiting.length}
        </Button>
      )}
    </div>
  );
}
