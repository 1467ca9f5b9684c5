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
      think('The user says hello. I greet them and list what they can try.'),
      say(
        `Hello! I am the demo model of chatd. I am built in and need no API key and no network. I know a few commands, so that you can try every feature before you connect a real model.\n\nTry one of these:\n\n${menu}\n\nAn admin can add a real model with an API key. Chats can switch to it at any time.`,
      ),
    ),
};
