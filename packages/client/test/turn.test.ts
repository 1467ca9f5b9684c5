import { answer, fault, gate, text, toolCall } from '@chatd/testing';
import { describe, expect, test } from 'vitest';
import { poll } from './support/poll.ts';
import { setUp, titled } from './support/server.ts';
import { liveText, Viewer } from './support/viewer.ts';

const { client, fake } = await setUp();

describe('a turn', () => {
  test('ends with what the model said', async () => {
    fake.answer(answer([text('Hello.')]), answer([text('Fine.')]));
    const { chat, turn } = await client.chats.begin(titled('hi'));
    expect(await turn.result()).toMatchObject({
      chatId: chat.id,
      status: 'waiting',
      text: 'Hello.',
    });
    const second = await client.chats.turn(chat.id, 'how are you?').result();
    expect(second).toMatchObject({ status: 'waiting', text: 'Fine.' });
    expect(second.messages.map(({ role }) => role)).toEqual(['assistant']);
  });

  test('can be looked at while it goes on, and its result taken afterwards', async () => {
    const seen = gate();
    fake.answer(answer([text(['a', seen, 'b'])]));
    const { turn } = await client.chats.begin(titled('hi'));
    let live = '';
    for await (const event of turn) {
      if (event.type === 'message_part' && event.part.type === 'text') live += event.part.text;
      // Whoever comes when all is said sees nothing of it live.
      if (live === 'a') seen.release();
    }
    expect(live).toBe('ab');
    expect((await turn.result()).text).toBe('ab');
  });

  test('that fails says why', async () => {
    fake.answer(fault.badKey());
    const { turn } = await client.chats.begin(titled('hi'));
    expect(await turn.result()).toMatchObject({
      status: 'error',
      error: { kind: 'auth' },
      text: '',
    });
  });

  test('of a message that has to wait begins when it has its turn', async () => {
    const pause = gate();
    fake.answer(answer([text(['one', pause])]), answer([text('two')]));
    const { chat, turn } = await client.chats.begin(titled('first'));
    await pause.reached;
    const queued = client.chats.turn(chat.id, 'second');
    const seen: string[] = [];
    const following = (async () => {
      for await (const event of queued) seen.push(event.type);
    })();
    await poll(async () => (await client.chats.messages(chat.id)).queued_messages).toHaveLength(1);
    pause.release();
    await following;
    expect(await queued.result()).toMatchObject({ text: 'two', status: 'waiting' });
    expect((await queued.result()).messages).toHaveLength(1);
    expect(await turn.result()).toMatchObject({ status: 'waiting' });
  });

  test('that is interrupted is over', async () => {
    const pause = gate();
    fake.answer(answer([text(['partial', pause, 'never'])]));
    const { chat, turn } = await client.chats.begin(titled('hi'));
    const result = turn.result();
    // The model has said it before the server has heard it.
    const viewer = new Viewer(client, chat.id);
    await viewer.until((events) => liveText(events) === 'partial');
    await viewer.stop();
    await client.chats.interrupt(chat.id);
    expect(await result).toMatchObject({
      status: 'waiting',
      text: expect.stringContaining('partial') as string,
    });
  });

  test('of a chat that does not exist throws what the server says', async () => {
    const turn = client.chats.turn('01a1dfd2-0000-7000-8000-000000000000', 'hi');
    await expect(turn.result()).rejects.toMatchObject({ code: 'not_found' });
  });

  test('goes on over the calls of tools', async () => {
    fake.answer(
      answer([text('Let me see.'), toolCall('lookup', {}, { id: 'toolu_l' })]),
      answer([text('Found.')]),
    );
    const { chat, turn } = await client.chats.begin({
      ...titled('look'),
      dynamic_tools: [{ name: 'lookup' }],
    });
    for await (const event of turn) {
      if (event.type !== 'action_required') continue;
      const results = event.tool_calls.map(({ tool_call_id }) => ({ tool_call_id, output: 'x' }));
      await client.chats.submitToolResults(chat.id, { results });
    }
    expect((await turn.result()).text).toBe('Found.');
  });
});
