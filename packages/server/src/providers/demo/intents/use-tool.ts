import type { Intent } from '../intent.ts';
import { say, script, think } from '../script.ts';
import { callTool, namesOf, rank } from '../tools.ts';

export const NO_TOOLS =
  'No tool is offered to me in this chat, so there is nothing that I could call. Give the chat a workspace, an MCP server or dynamic tools of your own, and ask again.';

export const useTool: Intent = {
  try: 'use a tool',
  shows:
    'a call of whichever offered tool fits best, yours included, with arguments made from its schema',
  matches: (said) => /\btools?\b/i.test(said),
  begin(request) {
    const tools = rank(request);
    const [best] = tools;
    if (best === undefined) return script(say(NO_TOOLS));
    return script(
      think(`I may call ${namesOf(tools.slice(0, 8))}. \`${best.name}\` fits best.`),
      say(`I call \`${best.name}\`.\n\n`),
      callTool(best, request.said),
    );
  },
};
