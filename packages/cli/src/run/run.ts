import { APPROVE_POLICIES, type ApprovePolicy } from './approve.ts';
import { performRun } from './perform-run.ts';
import { EFFORTS, requestOf } from './request.ts';
import { action } from '../command-line/command.ts';

export const run = action({
  name: 'run',
  summary: 'Ask once: for scripts and pipelines',
  details: `The answer goes to stdout, everything else to stderr. What comes in on stdin is attached; with - as
the prompt it is the prompt. Text is free of control sequences; --json is what the server says, word
for word, one event a line, with {"type":"result",…} as the last one.

Exit codes: 0 answered · 1 the turn failed · 2 usage · 3 a person is needed · 4 somebody stopped it
5 the server refused · 6 it cannot be reached · 7 --timeout · 130 Ctrl-C`,
  positionals: [{ name: 'PROMPT' }],
  options: {
    chat: { type: 'string', short: 'c', value: 'CHAT', help: 'Go on with this chat' },
    model: { type: 'string', short: 'm', value: 'MODEL', help: 'By name or id' },
    effort: { type: 'string', short: 'e', choices: EFFORTS, help: 'How much it thinks' },
    system: { type: 'string', value: 'TEXT', help: 'The system prompt of the chat' },
    file: {
      type: 'string',
      short: 'f',
      multiple: true,
      value: 'PATH',
      completes: 'file',
      help: 'Attach a file',
    },
    label: { type: 'string', short: 'l', multiple: true, value: 'NAME=VALUE', help: 'A label' },
    title: { type: 'string', value: 'TEXT', help: 'The title of the chat' },
    workspace: { type: 'string', short: 'w', value: 'WORKSPACE', help: 'Work in this one' },
    template: { type: 'string', value: 'TEMPLATE', help: 'Work in a new workspace made from this' },
    plan: { type: 'boolean', help: 'Only look and propose a plan' },
    approve: {
      type: 'string',
      choices: APPROVE_POLICIES,
      help: 'Tools that need an approval: ask ends with 3 (unless told), all allows, deny refuses',
    },
    timeout: { type: 'string', value: 'SECONDS', help: 'Stop the turn after so long' },
    json: { type: 'boolean', help: 'Events on stdout, one JSON object a line' },
    quiet: { type: 'boolean', short: 'q', help: 'No progress on stderr' },
    'no-stdin': { type: 'boolean', help: 'Do not read stdin' },
  },
  examples: [
    ['git diff | chatd run "Review this change" | tee review.md', 'in a pipe'],
    ['chatd run --json "List three colours" | jq -r \'select(.type=="result").text\'', ''],
    ['echo "Why is the sky blue?" | chatd run -', 'the prompt from stdin'],
    ['chatd run -c 019f2c10 "And in one sentence?"', 'goes on with a chat'],
    ['chatd run --template shop --approve all "Fix the failing test"', 'lets an agent work'],
  ],
  async run({ values, positionals: [prompt = ''], context }) {
    const request = await requestOf(context, { ...values, prompt });
    return await performRun(context, request, {
      json: values.json === true,
      quiet: values.quiet === true,
      approve: (values.approve ?? 'ask') as ApprovePolicy,
    });
  },
});
