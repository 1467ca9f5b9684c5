import { collect, command, Option, type Run } from '../command-line/command.ts';
import { APPROVE_POLICIES } from './approve.ts';
import { EFFORTS } from './request.ts';

export const run = (perform: Run) =>
  command('run', 'Run a prompt from a script or pipeline', {
    details: `Writes the answer to stdout and everything else to stderr. Input on stdin is attached to the prompt. If the prompt is -, stdin is the prompt. Control sequences are removed from text. With --json, stdout has the events of the server, one per line; the last one is {"type":"result",…}.

Exit codes: 0 success · 1 turn failed · 2 usage error · 3 user action required · 4 interrupted · 5 refused by the server · 6 server unreachable · 7 --timeout · 130 Ctrl-C`,
    examples: [
      ['git diff | chatd run "Review this change" | tee review.md', 'Use it in a pipe'],
      [
        'chatd run --json "List three colors" | jq -r \'select(.type=="result").text\'',
        'Process the result as JSON',
      ],
      ['echo "Why is the sky blue?" | chatd run -', 'Read the prompt from stdin'],
      ['chatd run -c 019f2c10 "And in one sentence?"', 'Continue a chat'],
      [
        'chatd run --template shop --approve all "Fix the failing test"',
        'Let an agent work in a new workspace',
      ],
    ],
  })
    .argument('<prompt>')
    .option('-c, --chat <chat>', 'Continue this chat')
    .option('-m, --model <model>', 'Model, by name or ID')
    .addOption(new Option('-e, --effort <effort>', 'Reasoning effort').choices(EFFORTS))
    .option('--system <text>', 'System prompt of the new chat')
    .option('-f, --file <path>', 'Attach a file. Repeatable', collect)
    .option('-l, --label <name=value>', 'Label of the new chat. Repeatable', collect)
    .option('--title <text>', 'Title of the new chat')
    .option('--project <project>', 'Project of the new chat')
    .option('-w, --workspace <workspace>', 'Workspace of the new chat')
    .option('--template <template>', 'Create a workspace from this template for the new chat')
    .option('--plan', 'Start in plan mode: read-only until you accept the plan')
    .addOption(
      new Option(
        '--approve <policy>',
        'Tool calls that require approval: ask exits with 3, all allows, deny rejects. Default: ask',
      ).choices(APPROVE_POLICIES),
    )
    .option('--timeout <seconds>', 'Interrupt the turn after this time')
    .option('--json', 'Print events as JSON, one per line')
    .option('-q, --quiet', 'Do not print progress to stderr')
    .option('--no-stdin', 'Do not read stdin')
    .action(
      perform(async (context, prompt, options) => {
        const { performRun } = await import('./perform-run.ts');
        return await performRun(context, { ...options, prompt });
      }),
    );
