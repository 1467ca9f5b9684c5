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
  allow: ['good', 'Allowed without asking'],
  ask: ['warn', 'Requires approval'],
  deny: ['bad', 'Denied'],
};

/** The decision of the rules above, saved or not, for a sample call. */
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
      title="Test the rules"
      about="Shows how the rules above decide on a call. Nothing is executed."
    >
      <form
        aria-label="Test the rules"
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
          label="Command or other argument"
          value={argument}
          autoComplete="off"
          spellCheck={false}
          placeholder="git push --force"
          className="font-mono text-sm"
          onChange={(event) => setArgument(event.target.value)}
        />
        <Button type="submit" className="sm:mt-7" disabled={tool.trim() === ''}>
          Test call
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
  const rule = by === 'own' ? 'your rule' : 'the deployment rule';
  return pattern === null ? `${rule} matches` : `${rule} “${pattern}” matches`;
}
