import type { Intent } from '../intent.ts';
import { say, script, think } from '../script.ts';
import { callTool, namesOf, rank } from '../tools.ts';

export const NO_TOOLS =
  'No tools are available in this chat. Add a workspace, an MCP server or your own dynamic tools, and ask again.';

export const useTool: Intent = {
  try: 'use a tool',
  shows:
    'a call of the best-matching tool, including your own, with arguments generated from its schema',
  matches: (said) => /\btools?\b/i.test(said),
  begin(request) {
    const tools = rank(request);
    const [best] = tools;
    if (best === undefined) return script(say(NO_TOOLS));
    return script(
      think(`I can call ${namesOf(tools.slice(0, 8))}. \`${best.name}\` matches best.`),
      say(`I'll call \`${best.name}\`.\n\n`),
      callTool(best, request.said),
    );
  },
};
