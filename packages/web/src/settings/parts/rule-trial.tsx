import type { ApprovalAction, ApprovalRule } from '@chatd/protocol';
import { type FormEvent, useState } from 'react';
import { client } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Group } from './heading.tsx';

type Verdict = { readonly kind: 'good' | 'warn' | 'bad'; readonly text: string };

const SAID: Record<ApprovalAction, readonly [kind: Verdict['kind'], text: string]> = {
  allow: ['good', 'It would run at once'],
  ask: ['warn', 'You would be asked first'],
  deny: ['bad', 'It would be denied'],
};

/** What would become of a call by the rules above, saved or not. */
export function RuleTrial({
  rules,
  whose,
}: {
  readonly rules: readonly ApprovalRule[];
  readonly whose: 'own' | 'deployment';
}) {
  const [tool, setTool] = useState('execute');
  const [argument, setArgument] = useState('');
  const [verdict, setVerdict] = useState<Verdict>();
  const ask = async (event: FormEvent) => {
    event.preventDefault();
    const given = rules.filter(({ pattern }) => pattern !== '');
    try {
      const { action, decided_by, pattern } = await client.call('testApprovals', {
        body: {
          tool_name: tool.trim(),
          args: { [tool.trim() === 'execute' ? 'command' : 'path']: argument },
          ...(whose === 'own'
            ? { approvals: given }
            : { deployment_approvals: given, approvals: [] }),
        },
      });
      const [kind, text] = SAID[action];
      setVerdict({ kind, text: `${text}: ${reasonOf(decided_by, pattern)}.` });
    } catch (error) {
      setVerdict({ kind: 'bad', text: explain(error) });
    }
  };
  return (
    <Group
      title="Try it"
      about="What would become of a call, by the rules as they stand above. Nothing is run."
    >
      <form
        aria-label="Try the rules"
        onSubmit={(event) => void ask(event)}
        className="grid items-start gap-3 sm:grid-cols-[10rem_1fr_auto]"
      >
        <TextField
          label="Tool"
          value={tool}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setTool(event.target.value)}
        />
        <TextField
          label="Command, or other argument"
          value={argument}
          autoComplete="off"
          spellCheck={false}
          placeholder="git push --force"
          className="font-mono text-sm"
          onChange={(event) => setArgument(event.target.value)}
        />
        <Button type="submit" className="sm:mt-7" disabled={tool.trim() === ''}>
          Try
        </Button>
      </form>
      {verdict !== undefined && (
        <Notice kind={verdict.kind} live>
          {verdict.text}
        </Notice>
      )}
    </Group>
  );
}

function reasonOf(by: 'deployment' | 'own' | null, pattern: string | null): string {
  if (by === null) return 'no rule matches';
  const rule = by === 'own' ? 'your rule' : 'the rule of admins';
  return pattern === null ? `${rule} says so` : `${rule} “${pattern}” says so`;
}
