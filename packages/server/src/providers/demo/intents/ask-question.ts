import type { Intent } from '../intent.ts';
import { say, script, think } from '../script.ts';
import { callTool, offered } from '../tools.ts';

const QUESTION = 'Which color should the button have?';
const OPTIONS = ['Blue', 'Green', 'Orange'];

export const askQuestion: Intent = {
  try: 'ask me a question',
  shows: 'a question with options; the turn waits for your answer',
  matches: (said) => /\bask\b|\bquestions?\b/i.test(said),
  begin(request) {
    const ask = offered(request, /^ask_|question/i);
    if (ask === undefined) {
      return script(
        think("No question tool is available, so I'll ask in plain text."),
        say(`${QUESTION} ${OPTIONS.join(', ')}, or something else?`),
      );
    }
    return script(
      think('The user decides this.'),
      callTool(ask, request.said, [
        [/^(question|prompt|message|text|title)$/i, QUESTION],
        [/^(header|label)$/i, 'Color'],
        [/^(options|choices|answers)$/i, OPTIONS],
        [/^questions$/i, [QUESTION]],
      ]),
    );
  },
  goOn: ({ results }) => script(say(`Thank you! You answered: ${results.at(-1)?.text ?? ''}`)),
};
