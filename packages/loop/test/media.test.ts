import { answer, type Api, text, toolCall } from '@chatd/testing';
import { describe, expect, test } from 'vitest';
import {
  FileRefused,
  type HistoryMessage,
  Media,
  type MediaFile,
  MemoryFiles,
  MemoryHistory,
  runTurn,
} from '@chatd/loop';
import { asked, partsOf } from './support/chat.ts';
import { png, smallImage } from './support/images.ts';
import { finish, scriptedModel } from './support/scripted-model.ts';
import { strictProvider } from './support/provider.ts';
import { counted } from './support/tools.ts';

const APIS = [
  'anthropic',
  'openai-responses',
  'openai-chat',
  'openai-compatible',
  'google',
  'bedrock',
  'openrouter',
  'gateway',
] as const satisfies Api[];

const BAD: [what: string, file: Omit<MediaFile, 'name'>, note?: RegExp][] = [
  ['of another type', { data: png(), media_type: 'image/jpeg' }],
  ['of another type, in capitals', { data: smallImage('image/jpeg'), media_type: 'IMAGE/PNG' }],
  ['that is text', { data: Buffer.from('<html>'), media_type: 'image/png' }, /not a valid PNG/],
  ['without bytes', { data: Buffer.alloc(0), media_type: 'image/png' }, /it is empty/],
  [
    'that is cut off',
    { data: png().subarray(0, 50), media_type: 'image/png' },
    /not a complete PNG/,
  ],
  ['of 21 MB', { data: png(1, 1, 21_000_000), media_type: 'image/png' }, /its size is 21\.0 MB/],
  ['of 8001 pixels', { data: png(8001, 1), media_type: 'image/png' }, /8001 pixels/],
  ['that is a bitmap', { data: smallImage('image/bmp'), media_type: 'image/png' }, /image\/bmp/],
];

function setup(api: Api) {
  const { provider, model } = strictProvider(api);
  provider.answerWith(() => answer([text('I see.')]));
  const files = new MemoryFiles();
  /** Expects that the provider rejects nothing, and returns its last request. */
  const run = async (history: MemoryHistory, ...made: MediaFile[]) => {
    const look = counted('look', () => new Media(made, 'Here.'));
    expect(await runTurn({ model, history, files, tools: [look] })).toEqual({ type: 'finished' });
    expect(provider.rejected).toEqual([]);
    return JSON.stringify(provider.requests.at(-1)?.body);
  };
  const attached = async (file: MediaFile): Promise<HistoryMessage> => {
    const { media_type, name = 'x' } = file;
    const part = { type: 'file', file_id: await files.save(file), media_type, name } as const;
    return { role: 'user', content: [{ type: 'text', text: 'Look.' }, part] };
  };
  return { provider, files, run, attached };
}

describe.each(APIS)('%s', (api) => {
  test.each(BAD)('accepts a prompt with an attached image %s', async (_, file, note) => {
    const { run, attached } = setup(api);
    const sent = await run(new MemoryHistory([await attached({ ...file, name: 'x.png' })]));
    if (note === undefined) expect(sent).not.toContain('cannot be shown');
    else expect(sent).toMatch(note);
  });

  test.each(BAD)('accepts a prompt with a result that is an image %s', async (_, file, note) => {
    const { provider, run } = setup(api);
    provider.answer(answer([toolCall('look', {})]));
    const sent = await run(asked('look'), { ...file, name: 'x.png' });
    if (note === undefined) expect(sent).not.toContain('cannot be shown');
    else expect(sent).toMatch(note);
  });

  test('gets a note in place of a deleted file, attached or in a result', async () => {
    const { provider, files, run, attached } = setup(api);
    provider.answer(answer([toolCall('look', {})]));
    const image = { data: png(), media_type: 'image/png', name: 'x.png' };
    const history = new MemoryHistory([await attached(image)]);
    const before = await run(history, image);
    expect(before).not.toContain('was deleted');
    for (const { file_id } of partsOf(history.messages, 'file')) files.delete(file_id);
    for (const { file_ids = [] } of partsOf(history.messages, 'tool-result')) {
      for (const id of file_ids) files.delete(id);
    }
    history.send('again');
    const sent = await run(history);
    expect(sent).toContain('[file \\"x.png\\" was deleted]');
    expect(sent).toContain('[a file was deleted]');
  });

  test('gets a note in place of a deleted file that a model generated', async () => {
    const { run } = setup(api);
    const history = new MemoryHistory([
      { role: 'user', content: [{ type: 'text', text: 'Draw.' }] },
      {
        role: 'assistant',
        content: [{ type: 'file', file_id: crypto.randomUUID(), media_type: 'image/png' }],
        meta: { finish_reason: 'stop', provider: 'google.generative-ai', model: 'm' },
      },
    ]);
    history.send('again');
    expect(await run(history)).toContain('[a file was deleted]');
  });
});

/** The first bytes of every PNG, in base64. */
const PNG = /iVBORw0KGgo/g;

test.each([
  ['anthropic', 130, 100],
  ['bedrock', 30, 20],
  ['openrouter', 130, 100],
] as const)('%s gets the newest of %i images, %i at most', async (api, given, limit) => {
  const { run, attached } = setup(api);
  const history = new MemoryHistory();
  for (let n = 0; n < given; n++) {
    history.messages.push(
      await attached({ data: png(), media_type: 'image/png', name: `${n}.png` }),
    );
  }
  const sent = await run(history);
  const shown = sent.match(PNG)?.length ?? 0;
  expect(shown).toBeLessThanOrEqual(limit);
  expect(shown).toBeGreaterThan(limit / 2);
  expect(sent).toContain('[file \\"0.png\\" is no longer shown: there are newer files]');
  expect(sent).not.toContain(`${given - 1}.png\\" is no longer`);
});

test.each([
  ['anthropic', 32],
  ['openai-responses', 50],
  ['google', 20],
  ['bedrock', 25],
] as const)('a request to %s stays below %i MB', async (api, megabytes) => {
  const { run, attached } = setup(api);
  const history = new MemoryHistory();
  for (let n = 0; n < 18; n++) {
    history.messages.push(await attached({ data: png(1, 1, 3_700_000), media_type: 'image/png' }));
  }
  const sent = await run(history);
  expect(sent.length).toBeLessThan(megabytes * 1_000_000);
  expect(sent).toMatch(PNG);
});

test('a file that cannot be loaded fails the turn and is not treated as deleted', async () => {
  const { provider, model } = strictProvider('anthropic');
  const files = Object.assign(new MemoryFiles(), {
    load: () => Promise.reject(new Error('no connection')),
  });
  const part = { type: 'file', file_id: 'f', media_type: 'image/png' } as const;
  const history = new MemoryHistory([{ role: 'user', content: [part] }]);
  await expect(runTurn({ model, history, files })).rejects.toThrow('no connection');
  expect(provider.requests).toEqual([]);
});

class FullFiles extends MemoryFiles {
  override save(): Promise<string> {
    return Promise.reject(new FileRefused('the quota is used up.'));
  }
}

test("a turn continues if a tool's file is refused", async () => {
  const { provider, model } = strictProvider('anthropic');
  provider.answer(answer([toolCall('look', {})]), answer([text('I see.')]));
  const history = asked('look');
  const look = counted('look', () => new Media([{ data: png(), media_type: 'image/png' }]));
  const files = new FullFiles();
  expect(await runTurn({ model, history, files, tools: [look] })).toEqual({ type: 'finished' });
  expect(partsOf(history.messages, 'tool-result')).toMatchObject([
    { is_error: true, result: 'the quota is used up.' },
  ]);
});

test("a note replaces a model's file that is refused", async () => {
  const data = { type: 'data', data: png().toString('base64') } as const;
  const model = scriptedModel([[{ type: 'file', mediaType: 'image/png', data }, finish('stop')]]);
  const history = asked('draw');
  const outcome = await runTurn({ model, history, files: new FullFiles() });
  expect(outcome).toEqual({ type: 'finished' });
  expect(partsOf(history.messages, 'text').map((part) => part.text)).toContain(
    '[a file of type image/png was not stored: the quota is used up.]',
  );
});

test('a message that references one file many times shows it once', async () => {
  const { run, attached } = setup('anthropic');
  const message = await attached({ data: png(), media_type: 'image/png', name: 'x.png' });
  const sent = await run(
    new MemoryHistory([{ ...message, content: [...message.content, ...message.content] }]),
  );
  expect(sent.match(PNG)).toHaveLength(1);
  expect(sent).toContain('[file \\"x.png\\" is shown above]');
});
