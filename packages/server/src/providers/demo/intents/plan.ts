import type { Intent } from '../intent.ts';
import { say, script, think } from '../script.ts';
import { callTool, offered } from '../tools.ts';

const PLAN = `# Plan

1. **Look** at what is there and write down what is missing.
2. **Decide** on the smallest change that does it.
3. **Do** it, with a test that fails without it.
4. **Check** the whole, and say what was left out.`;

export const plan: Intent = {
  try: 'make a plan',
  shows: 'a plan, proposed for your approval if the chat is in plan mode',
  matches: (said) => /\bplans?\b|\bplanning\b/i.test(said),
  begin(request) {
    const propose = offered(request, /plan/i);
    if (propose === undefined) {
      return script(think('Four steps are enough.'), say(PLAN));
    }
    return script(
      think('The user must accept the plan before I do anything.'),
      callTool(propose, request.said, [
        [/^(plan|content|text|markdown|body|description|summary)$/i, PLAN],
        [/^(title|name)$/i, 'A plan in four steps'],
        [/^(steps|items|todos|tasks)$/i, ['Look', 'Decide', 'Do', 'Check']],
      ]),
    );
  },
};
