import type { Client, StreamedEvent, Turn } from '@chatd/client';
import type { AwaitedCall } from '@chatd/protocol';
import { attacher } from '../attachments/attach.ts';
import { findChat } from '../chats/find-chat.ts';
import { toolTitle } from '../chats/tool-title.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { money, tokens } from '../output/quantities.ts';
import { terminalText } from '../output/terminal-text.ts';
import { findModel } from '../resources/models.ts';
import { findWorkspace, makeWorkspace } from '../resources/workspaces.ts';
import { type ApprovePolicy, giveAnswers, planAnswers } from './approve.ts';
import { LiveText } from './live-text.ts';
import { INTERRUPTED, type Outcome, TurnRecord } from './outcome.ts';
import { Progress } from './progress.ts';
import type { RunRequest } from './request.ts';
import { untilStopped } from './stop-signals.ts';

export interface RunManner {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly approve: ApprovePolicy;
}

/** Asks, follows the turn to its end, and says how it ended. */
export async function performRun(
  context: Context,
  request: RunRequest,
  manner: RunManner,
): Promise<number> {
  const client = await context.client();
  const progress = new Progress(context, manner.quiet || manner.json);
  const { chatId, turn } = await begin(client, request, context, progress);
  progress.line('dim', `chat ${chatId}`);
  if (manner.json) emit(context, { type: 'chat', chat_id: chatId });

  const record = new TurnRecord();
  const text = new LiveText(context.stdout.isTTY && !manner.json ? context.print : () => undefined);
  const stop = untilStopped({
    timeoutMs: request.timeoutMs,
    interrupt: async () => {
      await client.call('interruptChat', { params: { chat_id: chatId } });
    },
    say: (line) => progress.line('yellow', line),
  });
  let ended: Outcome | undefined;
  try {
    for await (const event of turn) {
      record.take(event);
      if (manner.json) emit(context, event);
      progress.take(event);
      if (text.take(event)) progress.line('yellow', '(what it had said so far is void)');
      ended = await atAction(client, chatId, event, manner.approve);
      if (ended !== undefined) break;
    }
  } finally {
    stop.end();
  }
  const outcome = ended ?? (await conclude(client, chatId, record, stop.timedOut()));
  const exitCode = stop.signalled() ? EXIT.ctrl_c : outcome.exitCode;
  report(context, { chatId, record, outcome, exitCode, manner, progress });
  return exitCode;
}

async function conclude(
  client: Client,
  chatId: string,
  record: TurnRecord,
  timedOut: boolean,
): Promise<Outcome> {
  const outcome = record.outcome(timedOut);
  if (outcome.outcome !== 'ok' || record.text !== '') return outcome;
  // Of a turn that was stopped before it had said a word, only the chat knows.
  const { interrupted } = await client.call('getChat', { params: { chat_id: chatId } });
  return interrupted ? INTERRUPTED : outcome;
}

interface Begun {
  readonly chatId: string;
  readonly turn: Turn;
}

async function begin(
  client: Client,
  request: RunRequest,
  context: Context,
  progress: Progress,
): Promise<Begun> {
  const options = {
    onConnection: (state: Parameters<Progress['connection']>[0]) => progress.connection(state),
  };
  const model = request.model === undefined ? undefined : await findModel(client, request.model);
  const choice = {
    ...(model && { model_config_id: model.id }),
    ...(request.effort !== undefined && { reasoning_effort: request.effort }),
  };
  const attached = await attacher(client)(request.attachments);
  const content = [...attached, { type: 'text' as const, text: request.prompt }];
  if (request.chat !== undefined) {
    const { id } = await findChat(client, request.chat);
    return { chatId: id, turn: client.chats.turn(id, { content, ...choice }, options) };
  }
  const { system, title, labels, plan } = request.birth;
  const workspaceId = await workspaceFor(client, request, context);
  const { chat, turn } = await client.chats.begin(
    {
      content,
      ...choice,
      ...(system !== undefined && { system_prompt: system }),
      ...(title !== undefined && { title }),
      ...(Object.keys(labels).length > 0 && { labels: { ...labels } }),
      ...(plan && { plan_mode: true }),
      ...(workspaceId !== undefined && { workspace_id: workspaceId }),
    },
    options,
  );
  return { chatId: chat.id, turn };
}

async function workspaceFor(
  client: Client,
  { birth: { workspace, template } }: RunRequest,
  { say }: Context,
): Promise<string | undefined> {
  if (workspace !== undefined) return (await findWorkspace(client, workspace)).id;
  if (template !== undefined) return (await makeWorkspace(client, template, { say })).id;
  return undefined;
}

/** Answers what a script may answer; the rest is a person's, and ends the run. */
async function atAction(
  client: Client,
  chatId: string,
  event: StreamedEvent,
  policy: ApprovePolicy,
): Promise<Outcome | undefined> {
  if (event.type !== 'action_required') return undefined;
  const answers = planAnswers(event.tool_calls, policy);
  await giveAnswers(client, chatId, answers);
  if (answers.left.length === 0) return undefined;
  return { outcome: 'needs_person', exitCode: EXIT.needs_person, calls: answers.left };
}

interface Report {
  readonly chatId: string;
  readonly record: TurnRecord;
  readonly outcome: Outcome;
  readonly exitCode: number;
  readonly manner: RunManner;
  readonly progress: Progress;
}

function report(
  context: Context,
  { chatId, record, outcome, exitCode, manner, progress }: Report,
): void {
  const { spent } = record;
  if (manner.json) {
    emit(context, {
      type: 'result',
      outcome: outcome.outcome,
      exit_code: exitCode,
      chat_id: chatId,
      text: record.text,
      ...spent,
      ...(outcome.error && { error: outcome.error }),
      ...(outcome.calls && { waits_for: outcome.calls }),
    });
  } else if (!context.stdout.isTTY) {
    const text = terminalText(record.text);
    if (text !== '') context.print(text.endsWith('\n') ? text : `${text}\n`);
  }
  const cost = spent.unpriced ? '' : ` · ${money(spent.cost_micros)}`;
  progress.line(
    'dim',
    `${tokens(spent.input_tokens)} tokens in, ${tokens(spent.output_tokens)} out${cost}`,
  );
  for (const line of explained(outcome, chatId)) {
    if (!manner.json) context.say(line);
  }
}

/** What a person is told when it did not just work. */
function explained({ outcome, error, calls = [] }: Outcome, chatId: string): string[] {
  switch (outcome) {
    case 'ok':
      return [];
    case 'failed':
      return [
        `chatd: the turn failed: ${terminalText(error?.message ?? '')}`,
        ...(error?.detail === undefined ? [] : [terminalText(error.detail)]),
        `Try again with: chatd run --chat ${chatId} "…"`,
      ];
    case 'needs_person':
      return [...calls.map(waiting), `Answer in: chatd chat ${chatId}`];
    case 'interrupted':
      return ['chatd: the turn was stopped before it was done.'];
    case 'timeout':
      return ['chatd: the time is up; the turn was stopped.'];
  }
}

function waiting({ kind, tool_name, args }: AwaitedCall): string {
  const what = toolTitle(tool_name, args);
  if (kind === 'approval')
    return `chatd: the agent asks whether it may: ${what} (--approve all allows it)`;
  if (kind === 'question') return `chatd: the agent asks: ${what}`;
  return `chatd: the chat waits for a tool of another program: ${what}`;
}

function emit({ print }: Context, event: object): void {
  print(`${JSON.stringify(event)}\n`);
}
