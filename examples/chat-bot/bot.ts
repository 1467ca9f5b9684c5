import { createInterface } from 'node:readline';
import { createClient, dynamicTools, runTools, type Turn } from '@chatd/client';
import { z } from 'zod';

const { CHATD_URL, CHATD_TOKEN, CHATD_CHAT } = process.env;
const client = createClient({ url: CHATD_URL, token: CHATD_TOKEN });

/** These tools run in this process. */
const tools = {
  weather: {
    description: 'The weather in a city right now.',
    schema: z.object({ city: z.string() }),
    run: ({ city }: { city: string }) => ({ city, celsius: 7 + (city.length % 20), sky: 'clear' }),
  },
  roll_dice: {
    description: 'Roll dice and return the result of each.',
    schema: z.object({ dice: z.int().min(1).max(100).default(2) }),
    run: ({ dice }: { dice: number }) =>
      Array.from({ length: dice }, () => 1 + Math.floor(Math.random() * 6)),
  },
};

let chatId = CHATD_CHAT;
const served = chatId === undefined ? undefined : serve(chatId);
await served?.ready;

const lines = createInterface({ input: process.stdin });
prompt();
for await (const line of lines) {
  if (line.trim() !== '') await say(line);
  prompt();
}
// Ctrl-D, or the end of a pipe. CHATD_CHAT=… continues this chat.
if (chatId !== undefined) console.error(`\nCHATD_CHAT=${chatId}`);
process.exit();

function prompt(): void {
  if (process.stdin.isTTY) process.stdout.write('> ');
}

async function say(content: string): Promise<void> {
  if (chatId !== undefined) return await show(client.chats.turn(chatId, content));
  const { chat, turn } = await client.chats.begin({ content, dynamic_tools: dynamicTools(tools) });
  chatId = chat.id;
  serve(chat.id);
  await show(turn);
}

function serve(id: string) {
  return runTools(client, id, tools, {
    onConnection: (state) => {
      if (state.state === 'waiting') console.error(`… ${state.reason.message}`);
    },
  });
}

/** Prints text and tool calls as they arrive. */
async function show(turn: Turn): Promise<void> {
  for await (const event of turn) {
    if (event.type === 'message_part' && event.part.type === 'text') {
      process.stdout.write(event.part.text);
    } else if (event.type === 'action_required') {
      for (const call of event.tool_calls) {
        console.log(`\n· ${call.tool_name} ${JSON.stringify(call.args)}`);
      }
    }
  }
  const { error } = await turn.result();
  console.log(error === undefined ? '' : `\n! ${error.message}`);
}
