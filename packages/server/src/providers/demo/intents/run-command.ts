import { quotedIn } from '../arguments.ts';
import type { Intent } from '../intent.ts';
import { say, script, think } from '../script.ts';
import { callTool, offered } from '../tools.ts';

const FIRST = 'echo "Hello from the demo model" && uname -a && ls';

export const runCommand: Intent = {
  try: 'run a command',
  shows: 'a shell command in the workspace (put your own in backticks)',
  matches: (said) => /\b(run|execute)\b|\bcommand\b|\bshell\b/i.test(said),
  begin(request) {
    const execute = offered(request, /^(execute|bash|shell|run_command)$/);
    const command = quotedIn(request.said) ?? FIRST;
    if (execute === undefined) {
      return script(
        think('Running a command requires the tool `execute`, which is not available here.'),
        say(
          `I would run \`${command}\`, but this chat has no workspace: the tool \`execute\` is not available. Create a chat with a workspace (or attach one), and ask again.`,
        ),
      );
    }
    return script(
      think(`I'll run it in the workspace with \`${execute.name}\`.`),
      say(`I'll run \`${command}\`.\n\n`),
      callTool(execute, request.said, [[/^(command|cmd|script|code)$/i, command]]),
    );
  },
};
