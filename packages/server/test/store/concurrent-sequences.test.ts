import * as fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { execute, TestStore } from '@chatd/test-server/database';
import { Conductor, type Outcome } from './conductor.ts';
import { type Command, Model } from './model.ts';
import { startNeighbor } from './neighbor.ts';
import { clientDraft, resolveDraft, type Draft, opening, runnerDraft } from './random-commands.ts';

/*
 * Independent clients and runners work concurrently on one chat. Every accepted command takes one version: in the
 * order of the versions, the model must accept the same commands and end in the same state. A refused command takes
 * none: the model must refuse it with the same code at a version that the command can have met.
 */
const RUNS = process.env['CHATD_TEST_ALL'] === '1' ? 2_000 : 80;
const seed = Number(process.env['CHATD_TEST_SEED'] ?? Date.now() % 2 ** 31);

const store = await TestStore.open();
afterEach(() => execute(store.url, 'TRUNCATE chats CASCADE'));

interface Event {
  readonly command: Command;
  readonly outcome: Outcome;
  /** The version of the chat before and after the command. */
  readonly from: number;
  readonly to: number;
}

const actors = fc.tuple(
  ...[clientDraft, clientDraft, clientDraft, runnerDraft, runnerDraft].map((draft) =>
    fc.array(draft, { minLength: 3, maxLength: 8 }),
  ),
);

test(`${RUNS} concurrent runs have a serial order that the model accepts (seed ${seed})`, async () => {
  const neighbor = await startNeighbor(store);
  await fc.assert(
    fc.asyncProperty(opening, actors, async (first, scripts) => {
      const conductor = await Conductor.start(store, 'first');
      // The first runner continues with what it acquires here.
      const opened = await play(conductor, first, 'a3-o');
      const events = await Promise.all(
        scripts.map((script, actor) => play(conductor, script, `a${actor}`)),
      );
      await replay(conductor, [...opened, ...events.flat()]);
    }),
    { numRuns: RUNS, seed, endOnFailure: true },
  );
  await neighbor.check();
}, 3_600_000);

async function play(
  conductor: Conductor,
  script: readonly Draft[],
  actor: string,
): Promise<Event[]> {
  const events: Event[] = [];
  for (const [index, draft] of script.entries()) {
    const seen = await conductor.see();
    // An actor uses only its own runners and no old version: a repeated commit counts as a retry after a lost
    // response.
    const view = seen.runner?.startsWith(actor) === true ? seen : { ...seen, runner: null };
    const sane = draft.wrong === 2 ? { ...draft, wrong: 0 } : draft;
    const command = resolveDraft(sane, view, `${actor}-${index}`);
    const outcome = await conductor.perform(command);
    const { snapshot_version } = await store.read(conductor.chatId);
    events.push({ command, outcome, from: view.snapshot, to: snapshot_version });
  }
  return events;
}

const isAcquisition = ({ do: name }: Command) => name === 'take_up' || name === 'sweep';

/** Whether the command only changed the owner of the chat, which takes no version. */
const isOwnership = ({ command, outcome }: Event) =>
  command.do === 'release' || (isAcquisition(command) && !outcome.begun);

async function replay(conductor: Conductor, events: readonly Event[]): Promise<void> {
  const accepted = events.filter((event) => event.outcome.refusal === null && !isOwnership(event));
  const repeated = new Set<Event>();
  const model = new Model('first', 'Test');
  const versions = [model.clone()];
  const final = await conductor.see();

  for (let version = 2; version <= final.snapshot; version += 1) {
    const candidates = accepted.filter(({ outcome }) => outcome.snapshot === version);
    // A repeatable command may have come later and changed nothing. Any other must have taken the version.
    const [taker, ...others] = candidates
      .filter(({ command }) => takes(model, command))
      .sort((a, b) => Number(isRepeatable(a.command)) - Number(isRepeatable(b.command)));
    expect(taker, `no command took version ${version}`).toBeDefined();
    expect(others.filter(({ command }) => !isRepeatable(command))).toEqual([]);
    for (const other of candidates) if (other !== taker) repeated.add(other);
    assumeRunner(model, events, taker!.command, version);
    expect(model.apply(taker!.command), JSON.stringify(taker)).toBeNull();
    expect(model.seen.snapshot).toBe(version);
    versions.push(model.clone());
  }
  expect({ ...final, runner: null }).toEqual({ ...model.seen, runner: null });

  const modelAt = (version: number) => versions[version - 1]!.clone();
  for (const event of accepted) {
    // A command that changes nothing takes no version, and must change nothing in the model either.
    if (event.outcome.snapshot === 1 || repeated.has(event)) {
      expect(isRepeatable(event.command), JSON.stringify(event)).toBe(true);
      // Its effect depends on the owner, which versions do not record.
      if (event.command.do === 'wait_for_capacity') continue;
      expect(takes(modelAt(event.outcome.snapshot ?? 1), event.command)).toBe(false);
    }
  }
  for (const { command, outcome } of events) {
    if (!isAcquisition(command) || outcome.refusal !== null || outcome.begun) continue;
    expect(takes(modelAt(outcome.snapshot ?? 1), command), 'an attempt should have begun').toBe(
      false,
    );
  }
  for (const { command, outcome, from, to } of events) {
    if (outcome.refusal === null || outcome.refusal === 'lost_lease') continue;
    if (isAcquisition(command) || command.do === 'release') continue;
    const met = Array.from({ length: to - from + 1 }, (_, n) => modelAt(from + n));
    for (const at of met) if ('fence' in command) at.seen.runner = command.fence.runner;
    const codes = met.map((at) => at.apply(command));
    expect(codes, `${JSON.stringify(command)} between ${from} and ${to}`).toContain(
      outcome.refusal,
    );
  }
}

const isRepeatable = ({ do: name }: Command) =>
  ['interrupt', 'archive', 'unarchive', 'rename', 'wait_for_capacity', 'select'].includes(name);

function takes(model: Model, command: Command): boolean {
  const copy = model.clone();
  copy.seen.runner = 'fence' in command ? command.fence.runner : null;
  return copy.apply(command) === null && copy.seen.snapshot > model.seen.snapshot;
}

/** Versions do not record the runner: the writer must be the last runner that acquired the chat. */
function assumeRunner(
  model: Model,
  events: readonly Event[],
  command: Command,
  version: number,
): void {
  model.seen.runner = null;
  if (!('fence' in command)) return;
  const acquired = events
    .filter(({ command: given, outcome }) => isAcquisition(given) && outcome.refusal === null)
    .filter(({ outcome }) => (outcome.snapshot ?? 0) < version);
  const last = Math.max(...acquired.map(({ outcome }) => outcome.snapshot ?? 0));
  const owners = acquired.flatMap(({ command, outcome }) =>
    isAcquisition(command) && 'runner' in command && outcome.snapshot === last
      ? [command.runner]
      : [],
  );
  expect(owners, `version ${version} was written by a runner that had lost the chat`).toContain(
    command.fence.runner,
  );
  model.seen.runner = command.fence.runner;
}
