import type { Wish } from '../arguments.ts';
import type { Intent } from '../intent.ts';
import type { DemoRequest } from '../request.ts';
import { say, script, think } from '../script.ts';
import { callTool, offered, report } from '../tools.ts';

const LINE = 'Hello from the demo model.';
const CONTENT = `# Hello\n\n${LINE}\n`;
const EDITED = 'Hello from the demo model, which has just edited this line.';

const writeTool = (request: DemoRequest) => offered(request, /^write_file$/);
const editTool = (request: DemoRequest) => offered(request, /^(edit_files?|edit)$/);

const WRITES: readonly Wish[] = [[/^(content|contents|text)$/i, CONTENT]];
const EDITS: readonly Wish[] = [
  [/^(old|search|find|before|from)/i, LINE],
  [/^(new|replace|after|to)/i, EDITED],
];

export const editFile: Intent = {
  try: 'edit a file',
  shows: 'a file that is written to the workspace and then changed',
  matches: (said) =>
    /\b(edit|change|write|create|update|modify)\b.*\bfiles?\b|^\W*edit\b/is.test(said),
  begin(request) {
    const first = writeTool(request) ?? editTool(request);
    if (first === undefined) {
      return script(
        say(
          'I would write a file and change it, but this chat has no workspace: the tools `write_file` and `edit_files` are not available. Create a chat with a workspace (or attach one), and ask again.',
        ),
      );
    }
    return script(
      think("I'll write the file first, then change it, so that there is a diff to look at."),
      say("First, I'll write a small file.\n\n"),
      callTool(first, request.said, [...WRITES, ...EDITS]),
    );
  },
  goOn(request) {
    const edit = editTool(request);
    const written = request.results.at(-1)?.isError === false;
    if (
      !written ||
      request.rounds !== 1 ||
      edit === undefined ||
      writeTool(request) === undefined
    ) {
      return script(report(request.results.slice(-1)));
    }
    return script(
      say("The file exists. Now I'll change a line in it.\n\n"),
      callTool(edit, request.said, EDITS),
    );
  },
};
