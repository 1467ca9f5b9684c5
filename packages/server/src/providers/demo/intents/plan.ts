import type { Intent } from '../intent.ts';
import { say, script, think } from '../script.ts';
import { callTool, offered } from '../tools.ts';
import type { DemoRequest } from '../request.ts';

const PLAN = `# Plan

1. **Look** at the current state and note what is missing.
2. **Decide** on the smallest change that fixes it.
3. **Make** the change, with a test that fails without it.
4. **Check** the result, and report what was left out.`;

const REVISED = `${PLAN}
5. **Ask** again before the change that you requested.`;

const propose = (request: DemoRequest, text: string) => {
  const tool = offered(request, /plan/i);
  return (
    tool &&
    callTool(tool, request.said, [
      [/^(plan|content|text|markdown|body|description|summary)$/i, text],
      [/^(title|name)$/i, 'A plan in four steps'],
      [/^(steps|items|todos|tasks)$/i, ['Look', 'Decide', 'Make', 'Check']],
    ])
  );
};

export const plan: Intent = {
  try: 'make a plan',
  shows: 'a plan, proposed for your approval if the chat is in plan mode',
  matches: (said) => /\bplans?\b|\bplanning\b/i.test(said),
  begin(request) {
    const proposal = propose(request, PLAN);
    return proposal === undefined
      ? script(think('Four steps are enough.'), say(PLAN))
      : script(think('The user must accept the plan before I do anything.'), proposal);
  },
  goOn(request) {
    const rejected = request.results.at(-1)?.text.startsWith('The user rejected') === true;
    const proposal = rejected ? propose(request, REVISED) : undefined;
    return proposal === undefined
      ? script(say('You accepted the plan. A real model would carry it out now.'))
      : script(say('I revised the plan.\n\n'), proposal);
  },
};
