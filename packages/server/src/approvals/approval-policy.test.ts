import type { ApprovalRule } from '@chatd/protocol';
import { expect, test } from 'vitest';
import { decideApproval } from './approval-policy.ts';
import { inChat, matchesGlob } from './pattern.ts';
import { rememberedPattern } from './remembered-rule.ts';

const rules = (...lines: string[]): ApprovalRule[] =>
  lines.map((line) => {
    const [action = '', ...pattern] = line.split(' ');
    return { action: action as ApprovalRule['action'], pattern: pattern.join(' ') };
  });

const decide = (
  [tool_name, args]: [string, Record<string, string>],
  deployment: ApprovalRule[],
  owner: ApprovalRule[] = [],
) => decideApproval({ deployment, owner }, { tool_name, args }).action;

const runs = (command: string): [string, Record<string, string>] => ['execute', { command }];

test('a call that matches no rule is allowed', () => {
  expect(decide(runs('ls'), rules('deny write_file'))).toBe('allow');
});

test('the last matching rule wins', () => {
  const all = rules('ask *', 'allow execute', 'deny execute(rm *)');
  expect(decide(['read_file', {}], all)).toBe('ask');
  expect(decide(runs('ls'), all)).toBe('allow');
  expect(decide(runs('rm -r x'), all)).toBe('deny');
});

test("the owner's rules override the deployment's, except for denials", () => {
  const deployment = rules('ask execute', 'deny web__*');
  const owner = rules('allow *', 'ask read_file');
  expect(decide(runs('ls'), deployment, owner)).toBe('allow');
  expect(decide(['read_file', {}], deployment, owner)).toBe('ask');
  expect(decide(['web__post', {}], deployment, owner)).toBe('deny');
});

test('an allow rule with a wildcard does not match shell operators', () => {
  const all = rules('ask execute', 'allow execute(git *)');
  expect(decide(runs('git status'), all)).toBe('allow');
  for (const tail of ['; rm x', ' && rm x', ' | sh', ' `rm x`', ' $(rm x)', '\nrm x', ' > x']) {
    expect(decide(runs(`git status${tail}`), all), tail).toBe('ask');
  }
  expect(decide(runs('git status; rm x'), rules('deny execute(git *)'))).toBe('deny');
});

test('a pattern matches the command, the path, the URL, or all arguments as JSON', () => {
  expect(decide(['write_file', { path: 'docs/a.md' }], rules('ask *(docs/*)'))).toBe('ask');
  expect(decide(['fetch', { url: 'https://a/b' }], rules('ask fetch(https://a/*)'))).toBe('ask');
  expect(decide(['other', { x: 'y' }], rules('ask other({"x":"y"})'))).toBe('ask');
});

test('a remembered rule matches only the same call', () => {
  for (const command of ['ls', 'ls *', 'echo "(a)" \\* ; x', 'a(b)']) {
    const pattern = rememberedPattern({ tool_name: 'execute', args: { command } }) ?? '';
    const all = [...rules('ask *'), { pattern, action: 'allow' as const }];
    expect(decide(runs(command), all), command).toBe('allow');
    expect(decide(runs(`${command} more`), all), command).toBe('ask');
  }
});

test('a rule for a chat applies only in that chat', () => {
  const chat_id = '01990000-0000-7000-8000-000000000001';
  const owner = [...rules('ask *'), ...rules(`allow ${inChat(chat_id, 'execute(ls)')}`)];
  const call = { tool_name: 'execute', args: { command: 'ls' } };
  const sets = { deployment: [], owner };
  expect(decideApproval(sets, { ...call, chat_id }).action).toBe('allow');
  expect(decideApproval(sets, { ...call, chat_id: chat_id.replace('1', '2') }).action).toBe('ask');
  expect(decideApproval(sets, call).action).toBe('ask');
});

test('globs have wildcards and escapes, and match without exponential backtracking', () => {
  const cases: [string, string, boolean][] = [
    ['*', '', true],
    ['a*c', 'abbc', true],
    ['a*c', 'abbd', false],
    ['a*b*c', 'axxbyybzc', true],
    ['\\*', '*', true],
    ['\\*', 'a', false],
    ['a', 'ab', false],
    ['', '', true],
    ['', 'a', false],
  ];
  for (const [glob, text, fits] of cases)
    expect(matchesGlob(glob, text), `${glob} ${text}`).toBe(fits);
  expect(matchesGlob(`${'*a'.repeat(50)}b`, 'a'.repeat(20_000))).toBe(false);
});
