import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { classify, runTurn } from '@chatd/loop';
import { ManualClock } from '@chatd/loop/testing';
import { answer, loadRecording, startFakeProvider, text } from '@chatd/testing';
import type { Part } from '@chatd/protocol';
import { APICallError } from '@ai-sdk/provider';
import { asked } from './support/chat.ts';
import { type Api, modelOf } from './support/models.ts';
import { counted } from './support/tools.ts';
import { readAnthropic } from './support/recorded-anthropic.ts';
import { readChat } from './support/recorded-chat.ts';
import { readGoogle } from './support/recorded-google.ts';
import type { Said } from './support/recorded.ts';
import { readResponses } from './support/recorded-responses.ts';
import { saidIn } from './support/said-in.ts';

const folder = join(import.meta.dirname, '../../../../shared/fixtures/recorded');
const present = existsSync(folder);
if (!present) {
  process.stderr.write(`skipped: the recorded streams are not at ${folder}\n`);
}

const READERS: Record<Api, (events: Record<string, unknown>[]) => Said> = {
  anthropic: readAnthropic,
  'openai-responses': readResponses,
  'openai-compatible': readChat,
  google: readGoogle,
};

/** The Chat Completions recordings come from several compatible servers. */
const FOLDERS: Record<Api, string> = {
  anthropic: 'anthropic',
  'openai-responses': 'openai-responses',
  'openai-compatible': 'openai-chat',
  google: 'google',
};

const recordings = present
  ? (Object.keys(READERS) as Api[]).flatMap((api) =>
      readdirSync(join(folder, FOLDERS[api]))
        .filter((name) => name.endsWith('.jsonl'))
        .map((name) => ({ api, name, path: join(folder, FOLDERS[api], name) })),
    )
  : [];

const linesOf = (path: string) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');

function isWhole(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

function expectedOf(api: Api, path: string): Said {
  const lines = linesOf(path);
  const said = READERS[api](
    lines.filter(isWhole).map((line) => JSON.parse(line) as Record<string, unknown>),
  );
  // A stream with a damaged event may be incomplete. The loop discards it and retries.
  return lines.every(isWhole) ? said : { ...said, failure: 'timeout' };
}

const closing: (() => Promise<void>)[] = [];
afterEach(async () => void (await Promise.all(closing.splice(0).map((close) => close()))));

/** Replays a recording to the loop. There are no local tools, so the turn ends after one response. */
async function play(api: Api, path: string) {
  const live: Part[] = [];
  const fake = await startFakeProvider({ api, strict: false });
  closing.push(() => fake.close());
  fake.answer(await loadRecording(path));
  const history = asked('replay');
  const outcome = await runTurn({
    model: modelOf(api, fake.url),
    history,
    clock: new ManualClock(),
    limits: { max_steps: 1, max_attempts: 1 },
    settings: { provider_options: { openai: { store: false } } },
    publish: (event) => void (event.type === 'part' && live.push(event.part)),
  });
  return { outcome, messages: history.messages, live };
}

describe.skipIf(!present)('recorded streams of real services', () => {
  test.each(recordings)('the loop commits the content of $api/$name', async ({ api, path }) => {
    const expected = expectedOf(api, path);
    const { outcome, messages } = await play(api, path);
    if (expected.failure !== undefined) {
      expect(outcome).toMatchObject({ type: 'failed', error: { kind: expected.failure } });
      return;
    }
    expect(saidIn(messages)).toEqual(expected);
  });

  test.each([
    { api: 'anthropic' as const, cited: 9 },
    { api: 'openai-responses' as const, cited: 7 },
  ])('$api: cited sources follow the text that cites them, live and committed', async (of) => {
    const path = join(folder, FOLDERS[of.api], 'web-search-tool.1.jsonl');
    const { messages, live } = await play(of.api, path);
    const content = messages.flatMap((message) =>
      message.role === 'assistant' ? message.content : [],
    );
    const cited = citationsIn(content);
    expect(cited).toHaveLength(of.cited);
    expect(cited.every(({ after }) => after.length > 40)).toBe(true);
    expect(citationsIn(live)).toEqual(cited);
  });

  test('encrypted fields of a search are stored but not published', async () => {
    const path = join(folder, 'anthropic/web-search-tool.1.jsonl');
    const { messages, live } = await play('anthropic', path);
    expect(JSON.stringify(messages)).toMatch(/"encryptedContent":"E/);
    expect(live.some(({ type }) => type === 'tool-result')).toBe(true);
    expect(JSON.stringify(live)).not.toContain('encrypted');
  });

  test('calls inside one wrapper call run, and the provider accepts their results', async () => {
    // Two events of this recording lack the closing brace.
    const lines = linesOf(join(folder, 'openai-responses/parallel-tool-call-wrapper.1.jsonl'));
    const fake = await startFakeProvider({ api: 'openai-responses' });
    closing.push(() => fake.close());
    fake.answer(
      { kind: 'recording', lines: lines.map((line) => (isWhole(line) ? line : `${line}}`)) },
      answer([text('done')]),
    );
    const [weather, attractions] = [counted('weather'), counted('cityAttractions')];
    const history = asked('go');
    await runTurn({
      model: modelOf('openai-responses', fake.url),
      history,
      tools: [weather, attractions],
    });
    expect([weather.runs, attractions.runs]).toEqual([
      [{ location: 'San Francisco' }],
      [{ city: 'Rome' }],
    ]);
    expect(fake.rejected).toEqual([]);
    expect(fake.requests).toHaveLength(2);
  });

  test('the retry delay of Google is read from its response', () => {
    const responseBody = readFileSync(join(folder, 'google/429-retry-info.json'), 'utf8');
    const error = new APICallError({
      message: 'quota',
      url: '',
      requestBodyValues: {},
      statusCode: 429,
      responseBody,
    });
    expect(classify(error, { provider: 'google', clock: new ManualClock() })).toMatchObject({
      kind: 'rate_limit',
      retry_after_ms: 34_400,
    });
  });
});

/** Each cited source, and the text before it. */
function citationsIn(parts: readonly Part[]): { url: string; after: string }[] {
  let text = '';
  return parts.flatMap((part) => {
    if (part.type === 'text') text += part.text;
    return part.type === 'source' && part.cited === true ? [{ url: part.url, after: text }] : [];
  });
}
