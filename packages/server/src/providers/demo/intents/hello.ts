import type { Intent } from '../intent.ts';
import { say, script, think } from '../script.ts';

const GREETING = /^\W*(hi|hello|hey|hallo|hola|bonjour|ciao|good (morning|afternoon|evening))\b/i;
const HELP = /\bhelp\b|what can (you|i)|who are you|what are you/i;

export const hello: Intent = {
  try: 'hello',
  shows: 'a greeting, and this list',
  matches: (said) => GREETING.test(said) || HELP.test(said),
  begin: (_, menu) =>
    script(
      think('Someone says hello. I greet back and show what can be tried here.'),
      say(
        `Hello! I am the demo model of chatd. I am built in and need no key and no network: I know a few tricks, so that you can see everything work before you connect a real model.\n\nTry one of these:\n\n${menu}\n\nAn administrator can add a real model with an API key; chats can switch to it at any time.`,
      ),
    ),
};
