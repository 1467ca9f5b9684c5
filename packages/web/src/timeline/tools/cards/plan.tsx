import { NotebookPen } from 'lucide-react';
import { Markdown } from '../../../markdown/markdown.tsx';
import { useCanEdit } from '../../../state/access.ts';
import { useCell } from '../../../state/cell.ts';
import { Button } from '../../../ui/button.tsx';
import { INPUT } from '../../../ui/field.tsx';
import type { ToolKind } from '../tool-kind.ts';
import { resultText, textArgument } from '../read-view.ts';
import { useAnswer } from '../send-answer.ts';
import { WaitingForAnswer } from '../waiting-for-answer.tsx';
import type { ToolCardProps } from '../tool-view.ts';

export const plan: ToolKind = {
  icon: <NotebookPen />,
  verb: ['carry out a plan', 'writing a plan', 'proposed a plan'],
  Body: Plan,
  card: true,
  untimed: true,
  hasBody: (view) => textArgument(view, 'plan') !== '',
  open: () => true,
};

function Plan(props: ToolCardProps) {
  const { view } = props;
  const canEdit = useCanEdit();
  return (
    <div className="px-3 py-3">
      <Markdown text={textArgument(view, 'plan')} streaming={view.state === 'writing'} />
      {view.state === 'awaiting' && (canEdit ? <PlanForm {...props} /> : <WaitingForAnswer />)}
      {view.result !== undefined && (
        <p className="mt-2 border-l-2 border-line-strong pl-3 text-sm wrap-anywhere">
          {resultText(view)}
        </p>
      )}
    </div>
  );
}

function PlanForm({ view, chatId, store }: ToolCardProps) {
  const draft = store.approvals.draftOf(view.call.tool_call_id);
  const { text, selected } = useCell(draft);
  const { sent, send } = useAnswer(chatId, view.call.tool_call_id);
  const words = text.trim();
  const answer = (accepted: boolean) =>
    void send({ accepted, ...(words !== '' && { text: words }) });
  return (
    <div className="mt-3 flex flex-col gap-2 border-t border-line pt-3">
      <textarea
        aria-label="Requested changes"
        rows={2}
        disabled={sent}
        value={text}
        placeholder="What should change?"
        className={INPUT}
        onChange={({ target }) => draft.set({ text: target.value, selected })}
      />
      <div className="flex flex-wrap gap-2">
        <Button kind="primary" disabled={sent} onClick={() => answer(true)}>
          {sent ? 'Sending…' : 'Accept plan'}
        </Button>
        <Button disabled={sent || words === ''} onClick={() => answer(false)}>
          Request changes
        </Button>
      </div>
    </div>
  );
}
