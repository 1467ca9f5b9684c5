/** A line of the program or of the simulated database, and what it is replaced with. */
interface Edit {
  /** From the root of the repository. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** A defect that the simulation must find. */
export interface Mutation {
  readonly name: string;
  readonly edits: readonly Edit[];
}

const SERVER = 'packages/server/src';
const SIMULATION = 'faults/simulation';

/** SQL does not run in the simulation, so defects of a statement are defects of its counterpart there. */
export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'a runner that lost its chat commits steps',
    edits: [
      {
        file: `${SERVER}/chat/fence.ts`,
        find: 'chat.runner_id !== fence.runner_id',
        replace: 'chat.runner_id === null',
      },
      {
        file: `${SIMULATION}/statements/runs.ts`,
        find: 'row.runner_id === step.runner &&',
        replace: '',
      },
      {
        file: `${SIMULATION}/statements/runs.ts`,
        find: 'row.attempt === step.base_attempt &&',
        replace: '',
      },
    ],
  },
  {
    name: 'a step is committed on an old history',
    edits: [
      {
        file: `${SERVER}/chat/fence.ts`,
        find: 'chat.history_version !== fence.history_version',
        replace: 'false',
      },
      {
        file: `${SIMULATION}/statements/runs.ts`,
        find: 'row.history_version === step.base_version &&',
        replace: '',
      },
    ],
  },
  {
    name: 'leases never expire',
    edits: [
      {
        file: `${SIMULATION}/statements/leases.ts`,
        find: 'Math.max(beatAt, postgres.startedAt) >= clock - leaseMs',
        replace: 'true || leaseMs > 0 || clock > 0',
      },
    ],
  },
  {
    name: 'leases expire at once',
    edits: [
      {
        file: `${SIMULATION}/statements/leases.ts`,
        find: 'Math.max(beatAt, postgres.startedAt) >= clock - leaseMs',
        replace: 'beatAt >= clock && leaseMs > 0',
      },
    ],
  },
  {
    name: 'a batch of steps writes to locked chats',
    edits: [
      {
        file: `${SIMULATION}/statements/runs.ts`,
        find: `const chat = session.tryLock(step.chat_id);
      if (chat === undefined || !canCommit(chat, step)) return [];`,
        replace: `const chat = session.steal(step.chat_id);
      if (chat === undefined || !canCommit(chat, step)) return [];`,
      },
      {
        file: `${SIMULATION}/postgres.ts`,
        find: '  /** Changes the row of a locked chat. */',
        replace: '  steal(id: string): ChatData | undefined { return this.#own(id); }',
      },
    ],
  },
  {
    name: 'steps of a batch get the messages of another one',
    edits: [
      {
        file: `${SERVER}/store/commands/step-batches.ts`,
        find: 'batch.map(({ messages }) => messages.slice(1, -1)).join()',
        replace: `batch[0]?.messages.slice(1, -1) ?? ''`,
      },
    ],
  },
  {
    name: 'tools run without a mark in the database',
    edits: [
      {
        file: `${SERVER}/store/commands/runner-commands.ts`,
        find: `return this.#slowly('begin_tools', chatId, (chat) => beginTools(chat, fence, callIds));`,
        replace: `void beginTools; void callIds; return this.#slowly('record_retry', chatId, (chat) => recordRetry(chat, fence, null as never));`,
      },
    ],
  },
  {
    name: 'runs of triggers without a lock and a unique key',
    edits: [
      {
        file: `${SIMULATION}/statements/triggers.ts`,
        find: 'locked: session.tryLockKey(lockOf(id))',
        replace: 'locked: session.hasFailed || lockOf(id) !== ""',
      },
      {
        file: `${SIMULATION}/statements/triggers.ts`,
        find: 'await session.lockKey(lockOf(id));',
        replace: '',
      },
      {
        file: `${SIMULATION}/statements/triggers.ts`,
        find: 'await checkUnique(session, run);',
        replace: 'void checkUnique;',
      },
    ],
  },
  {
    name: 'a schedule moves on before its run',
    edits: [
      {
        file: `${SERVER}/triggers/trigger-runs.ts`,
        find: 'if (planned.fires) await start(trigger, firing);',
        replace: `if (planned.fires) {
        await this.#store.database.query(setNextTime, { id, before: fireTime, next: planned.next });
        await start(trigger, firing);
      }`,
      },
    ],
  },
  {
    name: 'a repeated delivery is not recognized',
    edits: [
      {
        file: `${SERVER}/triggers/trigger-runs.ts`,
        find: 'if (first !== undefined) return { run: first, isRepeated: true };',
        replace: 'void first;',
      },
      {
        file: `${SIMULATION}/statements/triggers.ts`,
        find: 'await checkUnique(session, run);',
        replace: 'void checkUnique;',
      },
    ],
  },
  {
    name: 'queued runs do not wait',
    edits: [
      {
        file: `${SERVER}/triggers/start-run.ts`,
        find: 'if (active.started || active.queued > 0) {',
        replace: 'if (active.queued > 0) {',
      },
    ],
  },
  {
    name: 'events of a chat are delivered in any order',
    edits: [
      {
        file: `${SIMULATION}/statements/outbox.ts`,
        find: '.filter((row) => !pending.some((other) => isBefore(other, row)))',
        replace: '',
      },
    ],
  },
  {
    name: 'a failed delivery counts as delivered',
    edits: [
      {
        file: `${SERVER}/outbox/outbox.ts`,
        find: `if (outcome.kind === 'delivered') {`,
        replace: `if (outcome.kind !== 'gone') {`,
      },
      {
        file: `${SERVER}/outbox/outbox.ts`,
        find: 'status: outcome.status });',
        replace: 'status: outcome.status ?? 200 });',
      },
    ],
  },
  {
    name: 'the end of a connection releases newer ones of its machine',
    edits: [
      {
        file: `${SIMULATION}/statements/machines.ts`,
        find: '(row) => row.epoch === epoch',
        replace: '(row) => row.epoch >= 0',
      },
    ],
  },
  {
    name: 'commands on machines have no key',
    edits: [
      {
        file: `${SERVER}/tools/process/execute.ts`,
        find: 'call: handle.callKey(context),',
        replace: 'call: undefined,',
      },
      {
        file: `${SIMULATION}/machine.ts`,
        find: `#start({ call = '', `,
        replace: `#start({ call = this.#world.random.uuid(), `,
      },
    ],
  },
  {
    name: 'calls are settled while they are open',
    edits: [
      {
        file: `${SERVER}/machines/settle-calls.ts`,
        find: '!open.has(`${chatId}/${callId}`)',
        replace: '!open.has(`${callId}/${chatId}`)',
      },
    ],
  },
];
