import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { safeText } from '../../markdown/safe-text.ts';
import { useAccess, useCanEdit } from '../../state/access.ts';
import { type Cell, useCell } from '../../state/cell.ts';
import type { ApprovalScope, ReplyDraft } from '../../state/chat/approval-choices.ts';
import { useCommands } from '../../state/commands.ts';
import { MAC } from '../../state/keys.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { INPUT } from '../../ui/field.tsx';
import { Keys } from '../../ui/keys.tsx';
import { decide } from './send-decisions.ts';
import type { ToolCardProps } from './tool-view.ts';

// On a Mac, Option alone types a character, also in the message field.
const ALLOW_KEYS = MAC ? 'mod+alt+y' : 'alt+y';
const DENY_KEYS = MAC ? 'mod+alt+n' : 'alt+n';

/** Below a call that needs approval. The card above shows what it does. */
export function Approval(props: ToolCardProps) {
  const canEdit = useCanEdit();
  return canEdit ? (
    <Decision {...props} />
  ) : (
    <p className="border-t border-line bg-warn-surface px-3 py-2.5 text-sm text-warn">
      Waiting for the owner or an editor to allow or deny this call.
    </p>
  );
}

function Decision({ view, store }: ToolCardProps) {
  const access = useAccess();
  const { tool_call_id: id, tool_name } = view.call;
  const waiting = useCell(store.awaited).filter(({ kind }) => kind === 'approval');
  const sent = useCell(store.approvals.sent).get(id);
  const draft = store.approvals.draftOf(id);
  // A reason that was scrolled out of view is shown again, without taking the focus.
  const [explaining, setExplaining] = useState<'shown' | 'opened' | undefined>(() =>
    draft.get().text === '' ? undefined : 'shown',
  );
  const isFirst = waiting[0]?.tool_call_id === id;
  const all = waiting.map((call) => call.tool_call_id);
  const allow = () => void decide(store, [id], 'allow');
  const deny = () => void decide(store, [id], 'deny', draft.get().text.trim() || undefined);
  useCommands(
    isFirst
      ? [
          {
            id: 'allow-call',
            title: `Allow call of ${tool_name}`,
            group: 'This chat',
            keys: ALLOW_KEYS,
            run: allow,
          },
          {
            id: 'deny-call',
            title: `Deny call of ${tool_name}`,
            group: 'This chat',
            keys: DENY_KEYS,
            run: deny,
          },
        ]
      : [],
  );
  const disabled = sent !== undefined;
  const hint = (keys: string): ReactNode =>
    isFirst && (
      <span aria-hidden className="[&_kbd]:opacity-100 pointer-coarse:hidden">
        <Keys keys={keys} />
      </span>
    );
  return (
    <div className="flex flex-col gap-2 border-t border-line bg-warn-surface px-3 py-2.5 text-sm">
      {access === 'owner' ? (
        <ScopeChoice {...{ view, store, disabled }} />
      ) : (
        <p className="font-medium text-warn">Allow this call?</p>
      )}
      <div className="flex flex-wrap items-center gap-2 max-sm:grid max-sm:grid-cols-2">
        <Button size="small" kind="primary" disabled={disabled} onClick={allow}>
          {sent === 'allow' ? 'Allowing…' : 'Allow call'}
          {hint(ALLOW_KEYS)}
        </Button>
        <Button size="small" kind="danger" disabled={disabled} onClick={deny}>
          {sent === 'deny' ? 'Denying…' : 'Deny call'}
          {hint(DENY_KEYS)}
        </Button>
        {explaining === undefined && (
          <Button
            size="small"
            className="max-sm:col-span-2"
            disabled={disabled}
            onClick={() => setExplaining('opened')}
          >
            Deny with reason…
          </Button>
        )}
        {isFirst && waiting.length > 1 && (
          <span className="ml-auto flex flex-wrap gap-2 max-sm:contents">
            <Button
              size="small"
              disabled={disabled}
              onClick={() => void decide(store, all, 'allow')}
            >
              Allow all {waiting.length} calls
            </Button>
            <Button
              size="small"
              disabled={disabled}
              onClick={() => void decide(store, all, 'deny')}
            >
              Deny all calls
            </Button>
          </span>
        )}
      </div>
      {explaining !== undefined && (
        <ReasonForm
          draft={draft}
          opened={explaining === 'opened'}
          disabled={disabled}
          onDeny={(reason) => void decide(store, [id], 'deny', reason)}
          onCancel={() => {
            draft.set({ text: '', selected: [] });
            setExplaining(undefined);
          }}
        />
      )}
    </div>
  );
}

const SCOPES: readonly (readonly [ApprovalScope, string])[] = [
  ['once', 'Once'],
  ['chat', 'This chat'],
  ['always', 'Always'],
];

/** How long the decision applies, and the rule that it saves. */
function ScopeChoice({
  view,
  store,
  disabled,
}: Pick<ToolCardProps, 'view' | 'store'> & { readonly disabled: boolean }) {
  const name = useId();
  const cell = store.approvals.scopeOf(view.call.tool_call_id);
  const scope = useCell(cell);
  const pattern = view.awaited?.pattern;
  return (
    <fieldset disabled={disabled} className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1.5">
      <legend className="float-left font-medium text-warn">Allow this call?</legend>
      <span className="flex overflow-hidden rounded-lg border border-line bg-raised">
        {SCOPES.map(([value, label]) => (
          <label
            key={value}
            className={cx(
              'flex h-7 cursor-pointer items-center border-l border-line px-2.5 first:border-l-0 has-checked:bg-selected has-checked:font-medium has-disabled:cursor-default has-disabled:opacity-50 has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-focus pointer-coarse:h-11',
              value !== scope && 'text-muted',
            )}
          >
            <input
              type="radio"
              name={name}
              className="sr-only"
              checked={value === scope}
              disabled={value !== 'once' && pattern === undefined}
              onChange={() => cell.set(value)}
            />
            {label}
          </label>
        ))}
      </span>
      <span role="status" className="min-w-0 flex-[1_1_12rem] wrap-anywhere text-muted">
        {scope !== 'once' && pattern !== undefined && (
          <>
            Saves the rule <code className="font-mono text-text">{safeText(pattern)}</code>{' '}
            {scope === 'chat' ? 'for this chat' : 'for all your chats'}
          </>
        )}
      </span>
    </fieldset>
  );
}

function ReasonForm({
  draft,
  opened,
  disabled,
  onDeny,
  onCancel,
}: {
  readonly draft: Cell<ReplyDraft>;
  readonly opened: boolean;
  readonly disabled: boolean;
  readonly onDeny: (reason: string) => void;
  readonly onCancel: () => void;
}) {
  const { text: reason, selected } = useCell(draft);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (reason.trim() !== '') onDeny(reason.trim());
  };
  return (
    <form className="flex flex-wrap gap-2" onSubmit={submit}>
      <input
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- opened by the user to type here
        autoFocus={opened}
        aria-label="Reason for the agent"
        placeholder="Reason for the agent"
        maxLength={2000}
        disabled={disabled}
        value={reason}
        className={cx(INPUT, 'min-w-0 flex-[1_1_14rem]')}
        onChange={({ target }) => draft.set({ text: target.value, selected })}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onCancel();
        }}
      />
      <Button type="submit" kind="danger" disabled={disabled || reason.trim() === ''}>
        Deny with reason
      </Button>
    </form>
  );
}
