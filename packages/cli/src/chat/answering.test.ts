import { expect, test } from 'vitest';
import { replyByText } from './answering.ts';

const call = {
  tool_call_id: 'a',
  tool_name: 'execute',
  args: { command: 'make' },
  kind: 'approval',
} as const;

const decisionFor = (text: string) => {
  const reply = replyByText(call, text, new Set());
  return reply?.kind === 'approval' ? reply.body.decisions[0] : undefined;
};

test('keys, words and a reason decide on a call', () => {
  expect(decisionFor('y')).toMatchObject({ decision: 'allow' });
  expect(decisionFor(' Yes ')).toMatchObject({ decision: 'allow' });
  expect(decisionFor('always')).toMatchObject({ decision: 'allow', remember: 'always' });
  expect(decisionFor('no')).toMatchObject({ decision: 'deny' });
  expect(decisionFor('n Use make test')).toMatchObject({
    decision: 'deny',
    reason: 'Use make test',
  });
});

test.each(['Also fix the docs', "don't", 'Can you explain?', 'yellow', 'constructor', ''])(
  '%j is not a decision',
  (text) => {
    expect(decisionFor(text)).toBeUndefined();
  },
);
