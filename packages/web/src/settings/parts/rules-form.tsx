import type { ApprovalAction, ApprovalRule } from '@chatd/protocol';
import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide-react';
import { useRef } from 'react';
import { Button } from '../../ui/button.tsx';
import { INPUT } from '../../ui/field.tsx';
import { cx } from '../../ui/class-names.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { Select } from '../../ui/select.tsx';
import { SettingsForm } from '../form/settings-form.tsx';
import { useForm } from '../form/use-form.ts';
import { RuleTrial } from './rule-trial.tsx';

const ACTIONS: Record<ApprovalAction, string> = {
  allow: 'Allow',
  ask: 'Ask first',
  deny: 'Deny',
};

export function RulesForm({
  label,
  rules,
  empty,
  whose,
  save,
}: {
  readonly label: string;
  readonly rules: readonly ApprovalRule[];
  /** The message when there are no rules. */
  readonly empty: string;
  readonly whose: 'own' | 'deployment';
  readonly save: (rules: ApprovalRule[]) => Promise<void>;
}) {
  const form = useForm({
    initial: { approvals: [...rules] },
    save: ({ approvals }) => save(approvals),
  });
  const { approvals } = form.values;
  // Rules have no id.
  const rows = approvals.map((rule, index) => ({ rule, index, key: `rule-${index}` }));
  const list = useRef<HTMLOListElement>(null);
  const put = (next: ApprovalRule[]) => form.set({ approvals: next });
  const change = (index: number, part: Partial<ApprovalRule>) =>
    put(approvals.map((rule, at) => (at === index ? { ...rule, ...part } : rule)));
  const move = (index: number, by: -1 | 1) => {
    const next = [...approvals];
    const [rule] = next.splice(index, 1);
    if (rule !== undefined) next.splice(index + by, 0, rule);
    put(next);
  };
  const focusPattern = (index: number) =>
    requestAnimationFrame(() =>
      list.current?.querySelectorAll<HTMLElement>('input[type=text]')[index]?.focus(),
    );
  const add = () => {
    put([...approvals, { pattern: '', action: 'ask' }]);
    focusPattern(approvals.length);
  };
  const remove = (index: number) => {
    put(approvals.filter((_, at) => at !== index));
    if (approvals.length > 1) focusPattern(Math.max(0, index - 1));
  };
  return (
    <>
      <SettingsForm form={form} label={label}>
        {approvals.length === 0 && <p className="text-muted">{empty}</p>}
        <ol ref={list} aria-label="Rules, the last match applies" className="flex flex-col gap-2">
          {rows.map(({ rule, index, key }) => {
            const error = form.errorAt(`approvals.${index}`);
            return (
              <li key={key} className="flex flex-col gap-1">
                <div className="flex flex-wrap items-center gap-2">
                  <input
                    type="text"
                    aria-label={`Pattern of rule ${index + 1}`}
                    aria-invalid={error !== undefined}
                    spellCheck={false}
                    autoComplete="off"
                    placeholder="execute(git *)"
                    value={rule.pattern}
                    onChange={(event) => change(index, { pattern: event.target.value })}
                    className={cx(INPUT, 'min-w-0 flex-1 basis-48 font-mono text-sm')}
                  />
                  <Select
                    aria-label={`Action of rule ${index + 1}`}
                    className="max-w-32"
                    value={rule.action}
                    onChange={(event) =>
                      change(index, { action: event.target.value as ApprovalAction })
                    }
                  >
                    {Object.entries(ACTIONS).map(([value, text]) => (
                      <option key={value} value={value}>
                        {text}
                      </option>
                    ))}
                  </Select>
                  <span className="flex max-sm:-ml-2">
                    <IconButton
                      label={`Move rule ${index + 1} up`}
                      disabled={index === 0}
                      onClick={() => move(index, -1)}
                    >
                      <ArrowUp />
                    </IconButton>
                    <IconButton
                      label={`Move rule ${index + 1} down`}
                      disabled={index === approvals.length - 1}
                      onClick={() => move(index, 1)}
                    >
                      <ArrowDown />
                    </IconButton>
                    <IconButton label={`Remove rule ${index + 1}`} onClick={() => remove(index)}>
                      <Trash2 />
                    </IconButton>
                  </span>
                </div>
                {error !== undefined && <p className="text-sm text-bad">{error}</p>}
              </li>
            );
          })}
        </ol>
        <div>
          <Button size="small" onClick={add}>
            <Plus aria-hidden className="size-4" />
            Add rule
          </Button>
        </div>
        <p className="max-w-prose text-sm text-muted">
          The last matching rule applies. A pattern is a tool name, such as <code>
            execute
          </code> or{' '}
          <code>github__*</code>, or a tool with its argument, such as{' '}
          <code>execute(npm test)</code> or <code>*(docs/*)</code>; <code>*</code> matches anything.
          A rule that allows commands with <code>*</code> does not match commands that chain others
          with <code>;</code>, <code>&amp;</code> or <code>|</code>.
        </p>
      </SettingsForm>
      <RuleTrial rules={approvals} whose={whose} />
    </>
  );
}
