import { intentOf, INTENTS } from './intents.ts';
import { type DemoRequest, isSummary } from './request.ts';
import { say, type Script, script, think } from './script.ts';
import { summaryOf } from './summary.ts';
import { titleOf } from './title.ts';
import { report } from './tools.ts';
import { makeWorkspace, sinceWorkspace } from './workspace.ts';

/** What the demo model does with a request. Pure: the same request always gets the same script. */
export function respond(asked: DemoRequest): Script {
  if (asked.kind === 'title') return script(say(titleOf(asked)));
  if (asked.kind === 'summary') return script(say(summaryOf(asked)));
  if (isSummary(asked.said)) return script(say(GOING_ON));
  const making = makeWorkspace(asked);
  if (making !== undefined) return making;
  const request = sinceWorkspace(asked);
  const intent = intentOf(request);
  if (request.results.length === 0) return intent?.begin(request, MENU) ?? unknown(request);
  if (intent?.goOn !== undefined) return intent.goOn(request);
  return script(think('The tools have answered.'), report(request.results));
}

const MENU = INTENTS.map((intent) => `- **${intent.try}**: ${intent.shows}`).join('\n');

const GOING_ON =
  'The conversation was summarised, and I go on from the summary with a fresh context. You can still see everything that was said; I only remember the summary. What shall we do next?';

const LONGEST = 300;

function unknown({ said }: DemoRequest): Script {
  const cut = said.length > LONGEST ? `${said.slice(0, LONGEST)}…` : said;
  const quote = cut
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
  const heard = said === '' ? 'You sent no text that I can read.' : `You said:\n\n${quote}\n`;
  return script(
    think('I do not know this one, so I say what I heard and what can be tried.'),
    say(
      `${heard}\n\nI am only the demo model and cannot really answer that: a real model can, once an administrator adds one. Here is what you can try with me:\n\n${MENU}`,
    ),
  );
}
