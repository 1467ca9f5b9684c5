import type { Intent } from '../intent.ts';
import { say, script, think } from '../script.ts';
import { callTool, namesOf, rank } from '../tools.ts';
import { NO_TOOLS } from './use-tool.ts';

const AT_ONCE = 3;
const PLACES = ['Lisbon', 'Oslo', 'Nairobi'];

export const parallelTools: Intent = {
  try: 'use several tools in parallel',
  shows: 'up to three tool calls in one response, which run in parallel',
  matches: (said) =>
    /\b(several|multiple|two|three|both|all|many)\b.*\btools?\b|\btools?\b.*\b(parallel|at once|at the same time)\b/is.test(
      said,
    ),
  begin(request) {
    const tools = rank(request).slice(0, AT_ONCE);
    const [only] = tools;
    if (only === undefined) return script(say(NO_TOOLS));
    // A single tool is called several times instead.
    const chosen = tools.length > 1 ? tools : PLACES.map(() => only);
    return script(
      think('These calls do not depend on each other, so I can make them in parallel.'),
      say(`I'll call ${namesOf(chosen)} in parallel.\n\n`),
      ...chosen.map((tool, index) =>
        callTool(tool, request.said, [
          [/^(city|location|place|town|destination)$/i, PLACES[index] ?? 'Lisbon'],
        ]),
      ),
    );
  },
};
