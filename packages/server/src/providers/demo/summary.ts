import type { LanguageModelV4Message } from '@ai-sdk/provider';
import { type DemoRequest, isSummary, resultsOf, textOf } from './request.ts';

const LINE = 240;
const EARLIER = 2_000;

/** A summary of the conversation, generated from its messages. */
export function summaryOf({ prompt }: DemoRequest): string {
  // The last message is the request for this summary.
  const history = prompt.slice(0, -1).filter((message) => message.role !== 'system');
  const said = history.filter((message) => message.role === 'user').map(textOf);
  const earlier = said.find(isSummary);
  const asked = said.filter((text) => text !== '' && !isSummary(text));
  const calls = history.flatMap(callsOf);
  const errors = history.flatMap(resultsOf).filter(({ isError }) => isError);
  const answered = textOf(history.findLast(({ role }) => role === 'assistant'));
  return [
    section(
      'Constraints and corrections',
      asked.map((text) => `"${line(text)}"`),
    ),
    section('Goal', [line(asked.at(-1) ?? 'To try what the demo model can do.')]),
    section('Files and commands', calls),
    section(
      'Errors',
      errors.map(({ name, text }) => `${name}: ${line(text)}`),
    ),
    section('Done', answered === '' ? [] : [`Last response: ${line(answered)}`]),
    earlier === undefined ? '' : `## Before that\n\n${earlier.slice(0, EARLIER)}`,
    section('Next action', ['Wait for the next message of the user.']),
  ]
    .filter((text) => text !== '')
    .join('\n\n');
}

const section = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `## ${title}\n\n${lines.map((text) => `- ${text}`).join('\n')}`;

function line(text: string): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim();
  return flat.length > LINE ? `${flat.slice(0, LINE)}…` : flat;
}

function callsOf(message: LanguageModelV4Message): string[] {
  if (message.role !== 'assistant') return [];
  return message.content
    .filter((part) => part.type === 'tool-call')
    .map(({ toolName, input }) => `\`${toolName}\` was called with ${line(JSON.stringify(input))}`);
}
