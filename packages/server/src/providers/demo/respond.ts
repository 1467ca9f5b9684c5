import { intentOf, INTENTS } from './intents.ts';
import { type DemoRequest, isSummary } from './request.ts';
import { say, type Script, script, think } from './script.ts';
import { summaryOf } from './summary.ts';
import { titleOf } from './title.ts';
import { report } from './tools.ts';
import { makeWorkspace, sinceWorkspace } from './workspace.ts';

/** The script for a request. Pure: the same request always gets the same script. */
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
  return script(think('The tools have returned their results.'), report(request.results));
}

const MENU = INTENTS.map((intent) => `- **${intent.try}**: ${intent.shows}`).join('\n');

const GOING_ON =
  'The conversation was summarized, and I continue from the summary with a fresh context. You still see the whole conversation; I only remember the summary. What should we do next?';

const MAX_LENGTH = 300;

function unknown({ said }: DemoRequest): Script {
  const cut = said.length > MAX_LENGTH ? `${said.slice(0, MAX_LENGTH)}…` : said;
  const quote = cut
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
  const heard =
    said === '' ? 'Your message contains no text that I can read.' : `You said:\n\n${quote}\n`;
  return script(
    think('I do not recognize this, so I repeat it and list what can be tried.'),
    say(
      `${heard}\n\nI am only the demo model and cannot answer that. A real model can, once an admin adds one. You can try this with me:\n\n${MENU}`,
    ),
  );
}
