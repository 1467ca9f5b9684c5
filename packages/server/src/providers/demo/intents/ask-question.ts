import type { Intent } from '../intent.ts';
import { say, script, think } from '../script.ts';
import { callTool, offered } from '../tools.ts';

const QUESTION = 'Which colour should the button have?';
const OPTIONS = ['Blue', 'Green', 'Orange'];

export const askQuestion: Intent = {
  try: 'ask me a question',
  shows: 'a question with options, which the turn waits for',
  matches: (said) => /\bask\b|\bquestions?\b/i.test(said),
  begin(request) {
    const ask = offered(request, /^ask_|question/i);
    if (ask === undefined) {
      return script(
        think('There is no tool for questions here, so I simply ask.'),
        say(`${QUESTION} ${OPTIONS.join(', ')}, or something else?`),
      );
    }
    return script(
      think('This is for the person to decide.'),
      callTool(ask, request.said, [
        [/^(question|prompt|message|text|title)$/i, QUESTION],
        [/^(header|label)$/i, 'Colour'],
        [/^(options|choices|answers)$/i, OPTIONS],
        [/^questions$/i, [QUESTION]],
      ]),
    );
  },
  goOn: ({ results }) => script(say(`Thank you! You answered: ${results.at(-1)?.text ?? ''}`)),
};
