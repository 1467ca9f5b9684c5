import { runTurn } from '@chatd/loop';
import { ManualClock } from '@chatd/loop/testing';
import { startFakeProvider } from '@chatd/testing';
import { describe, expect, test } from 'vitest';
import { asked } from '../../../loop/test/support/chat.ts';
import type { Said } from '../../../loop/test/support/recorded.ts';
import { saidIn as committed } from '../../../loop/test/support/said-in.ts';
import { modelOf } from './support/drive.ts';
import { citedIn, PRESENT, type Recorded, recordedIn, saidIn } from './support/recordings.ts';
import { type Relay, throughBedrock, throughGateway, throughOpenRouter } from './support/relay.ts';
import { type Subject, SUBJECTS } from './support/subjects.ts';

const named = (name: string): Subject => SUBJECTS.find((subject) => subject.name === name)!;

interface Replay {
  readonly subject: Subject;
  readonly recordings: readonly Recorded[];
  /** For a service without recordings: converts the stream of a model behind it to the format of the service. */
  readonly relay?: Relay;
  /** What the package of this service omits, unlike others. */
  readonly hides?: 'reasoning' | 'pages that are not cited';
}

const whole = (recorded: Recorded) => saidIn(recorded).failure === undefined;
const failing = (recorded: Recorded) => !whole(recorded);
/** Bedrock does not have the server tools of Anthropic. */
const local = (recorded: Recorded) => !/server_tool_use|mcp_tool_use/.test(recorded.lines.join(''));

const REPLAYS: readonly Replay[] = [
  { subject: named('anthropic'), recordings: recordedIn('anthropic') },
  { subject: named('openai over Responses'), recordings: recordedIn('openai-responses') },
  {
    subject: named('azure over Responses'),
    recordings: recordedIn('openai-responses'),
    hides: 'pages that are not cited',
  },
  { subject: named('google'), recordings: recordedIn('google') },
  { subject: named('openai-compatible'), recordings: recordedIn('openai-chat') },
  {
    subject: named('openai over Chat Completions'),
    recordings: recordedIn('openai-chat'),
    hides: 'reasoning',
  },
  {
    subject: named('azure over Chat Completions'),
    recordings: recordedIn('openai-chat'),
    hides: 'reasoning',
  },
  {
    subject: named('openrouter, a model of OpenAI'),
    recordings: recordedIn('openai-chat'),
    relay: throughOpenRouter,
  },
  {
    subject: named('bedrock'),
    recordings: recordedIn('anthropic').filter((one) => local(one) && isAlone(one)),
    relay: throughBedrock,
  },
  {
    subject: named('vercel gateway, a model of Anthropic'),
    recordings: recordedIn('anthropic').filter(whole),
    relay: throughGateway(named('anthropic')),
  },
  {
    subject: named('vercel gateway, a model of OpenAI'),
    recordings: recordedIn('openai-responses').filter(whole),
    relay: throughGateway(named('openai over Responses')),
  },
  {
    subject: named('vercel gateway, a model of Google'),
    recordings: recordedIn('google').filter(whole),
    relay: throughGateway(named('google')),
  },
];

/** False for two responses spliced into one stream, which only Anthropic's own service sends. */
function isAlone({ lines }: Recorded): boolean {
  return lines.filter((line) => line.includes('"type":"message_start"')).length === 1;
}

const CASES = REPLAYS.flatMap(({ subject, recordings, ...how }) =>
  recordings.map((recorded) => ({
    ...how,
    recorded,
    subject,
    file: recorded.name,
    by: subject.name,
  })),
);

function expectedOf(recorded: Recorded, hides: Replay['hides']): Said {
  const said = saidIn(recorded);
  if (hides === undefined) return said;
  return hides === 'reasoning'
    ? { ...said, reasoning: '' }
    : { ...said, sources: citedIn(recorded) };
}

describe.skipIf(!PRESENT)('recorded streams, as the server reads them', () => {
  test('recordings of every kind exist', () => {
    for (const { recordings } of REPLAYS) expect(recordings.length).toBeGreaterThan(1);
    expect(REPLAYS.flatMap(({ recordings }) => recordings).filter(failing).length).toBeGreaterThan(
      1,
    );
  });

  test.each(CASES)('$by: $file', async ({ subject, recorded, relay, hides }) => {
    await using fake = await startFakeProvider({ api: subject.api, strict: false });
    fake.answer({ kind: 'recording', lines: (await relay?.(recorded)) ?? recorded.lines });
    const history = asked('replay');
    const outcome = await runTurn({
      model: await modelOf(subject, fake),
      history,
      clock: new ManualClock(),
      // There are no tools to run: the turn ends with the first response.
      limits: { max_steps: 1, max_attempts: 1 },
      settings: subject.settings,
    });
    const expected = expectedOf(recorded, hides);
    if (expected.failure !== undefined) {
      expect(outcome).toMatchObject({ type: 'failed', error: { kind: expected.failure } });
      return;
    }
    expect(committed(history.messages)).toEqual(expected);
  });
});
