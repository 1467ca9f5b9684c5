import { answer, type FakeProvider, gate, reasoning, text, toolCall } from '@chatd/testing';
import type { Client, StreamedEvent } from '../../src/index.ts';
import { isStatus, liveText, type Viewer } from './viewer.ts';

/** Characters of one to four bytes, so that cuts fall within some of them. */
const FIRST = ['Let ', 'me sée', ' — 数えます', ' 🧮', '.\n\n'];
const LAST = ['It ', 'is ', '3', ' 🎉'];

export interface LiveTurn {
  readonly chatId: string;
  /** Continues the turn delta by delta, each after all viewers have seen the previous one. */
  play(viewers: readonly Viewer[]): Promise<void>;
}

/** A turn with text, reasoning and a client tool that waits for its viewers at every delta. */
export async function stageTurn(client: Client, fake: FakeProvider): Promise<LiveTurn> {
  const gates = [...FIRST, ...LAST].map(() => gate());
  const called = gate();
  const [first, last] = [gates.slice(0, FIRST.length), gates.slice(FIRST.length)];
  fake.answer(
    answer([
      reasoning('hm'),
      text(FIRST.flatMap((piece, index) => [piece, first[index]!])),
      toolCall('add', { a: 1, b: 2 }, { chunks: 2, id: 'toolu_add' }),
      called,
    ]),
    answer([text(LAST.flatMap((piece, index) => [piece, last[index]!]))]),
  );
  const { id } = await client.chats.create({
    content: 'What is 1 + 2?',
    title: 'A sum',
    dynamic_tools: [{ name: 'add', description: 'adds' }],
  });
  const say = async (viewers: readonly Viewer[], pieces: readonly string[], at: typeof gates) => {
    for (const [index, pause] of at.entries()) {
      await pause.reached;
      const so = pieces.slice(0, index + 1).join('');
      await all(viewers, (events) => liveText(events) === so);
      pause.release();
    }
  };
  return {
    chatId: id,
    async play(viewers) {
      await say(viewers, FIRST, first);
      await called.reached;
      await all(viewers, (events) => events.some(isWholeCall));
      called.release();
      await all(viewers, (events) => events.at(-1)?.type === 'action_required');
      const results = [{ tool_call_id: 'toolu_add', output: 3 }];
      await client.chats.submitToolResults(id, { results });
      await say(viewers, LAST, last);
      await all(viewers, isStatus('waiting'));
    },
  };
}

const all = (viewers: readonly Viewer[], condition: Parameters<Viewer['until']>[0]) =>
  Promise.all(viewers.map((viewer) => viewer.until(condition)));

const isWholeCall = (event: StreamedEvent) =>
  event.type === 'message_part' && event.part.type === 'tool-call' && event.part.args !== undefined;
