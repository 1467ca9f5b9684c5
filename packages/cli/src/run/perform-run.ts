import type { Client, ConnectionState, StreamedEvent, Turn } from '@chatd/client';
import type { AwaitedCall } from '@chatd/protocol';
import { attacher } from '../attachments/attach.ts';
import { findChat } from '../chats/find-chat.ts';
import { toolTitle } from '../chats/tool-title.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { money, tokens } from '../output/quantities.ts';
import { terminalText } from '../output/terminal-text.ts';
import { findModel } from '../resources/models.ts';
import { findProject } from '../resources/projects.ts';
import { createWorkspace, findWorkspace } from '../resources/workspaces.ts';
import { type ApprovePolicy, repliesOf, sendReplies } from './approve.ts';
import { LiveText } from './live-text.ts';
import { INTERRUPTED, type Outcome, TurnRecord } from './outcome.ts';
import { Progress } from './progress.ts';
import { requestOf, type RunOptions, type RunRequest } from './request.ts';
import { listenForStop } from './stop-signals.ts';

/** Sends the prompt, follows the turn to its end, and reports the outcome. Returns the exit code. */
export async function performRun(context: Context, options: RunOptions): Promise<number> {
  const request = await requestOf(context, options);
  const json = options.json === true;
  const client = await context.client();
  const progress = new Progress(context, options.quiet === true || json);
  const { chatId, turn } = await start(client, options, request, context, progress);
  const record = new TurnRecord();
  const text = new LiveText(context.stdout.isTTY && !json ? context.print : () => undefined);
  const stop = listenForStop({
    timeoutMs: request.timeoutMs,
    interrupt: async () => {
      await client.call('interruptChat', { params: { chat_id: chatId } });
    },
    log: (line) => progress.line('yellow', line),
  });
  progress.line('dim', `chat ${chatId}`);
  if (json) emit(context, { type: 'chat', chat_id: chatId });
  let paused: Outcome | undefined;
  try {
    for await (const event of turn) {
      record.take(event);
      if (json) emit(context, event);
      progress.take(event);
      if (text.take(event)) progress.line('yellow', '(discarded: the model call is retried)');
      paused = await replyByPolicy(client, chatId, event, options.approve ?? 'ask');
      if (paused !== undefined) break;
    }
  } finally {
    stop.close();
  }
  const outcome = paused ?? (await outcomeOf(client, chatId, record, stop.timedOut()));
  const exitCode = stop.signalled() ? EXIT.ctrl_c : outcome.exitCode;
  report(context, { chatId, record, outcome, exitCode, json, progress });
  return exitCode;
}

async function outcomeOf(
  client: Client,
  chatId: string,
  record: TurnRecord,
  timedOut: boolean,
): Promise<Outcome> {
  const outcome = record.outcome(timedOut);
  if (outcome.outcome !== 'ok' || record.text !== '') return outcome;
  // No event reports that a turn without output was interrupted.
  const { interrupted } = await client.call('getChat', { params: { chat_id: chatId } });
  return interrupted ? INTERRUPTED : outcome;
}

interface StartedTurn {
  readonly chatId: string;
  readonly turn: Turn;
}

async function start(
  client: Client,
  options: RunOptions,
  { prompt, attachments, labels }: RunRequest,
  context: Context,
  progress: Progress,
): Promise<StartedTurn> {
  const onConnection = (state: ConnectionState) => progress.connection(state);
  const model = options.model === undefined ? undefined : await findModel(client, options.model);
  const choice = {
    ...(model && { model_config_id: model.id }),
    ...(options.effort !== undefined && { reasoning_effort: options.effort }),
  };
  const attached = await attacher(client)(attachments);
  const content = [...attached, { type: 'text' as const, text: prompt }];
  if (options.chat !== undefined) {
    const { id } = await findChat(client, options.chat);
    return { chatId: id, turn: client.chats.turn(id, { content, ...choice }, { onConnection }) };
  }
  const { system, title, project, plan } = options;
  const inProject = project === undefined ? undefined : await findProject(client, project);
  const workspaceId = await workspaceFor(client, options, context);
  const { chat, turn } = await client.chats.begin(
    {
      content,
      ...choice,
      ...(system !== undefined && { system_prompt: system }),
      ...(title !== undefined && { title }),
      ...(Object.keys(labels).length > 0 && { labels: { ...labels } }),
      ...(plan === true && { plan_mode: true }),
      ...(inProject && { project_id: inProject.id }),
      ...(workspaceId !== undefined && { workspace_id: workspaceId }),
    },
    { onConnection },
  );
  return { chatId: chat.id, turn };
}

async function workspaceFor(
  client: Client,
  { workspace, template }: RunOptions,
  { log }: Context,
): Promise<string | undefined> {
  if (workspace !== undefined) return (await findWorkspace(client, workspace)).id;
  if (template !== undefined) return (await createWorkspace(client, template, { log })).id;
  return undefined;
}

/** Replies as far as the policy permits. Returns the outcome if a person has to reply. */
async function replyByPolicy(
  client: Client,
  chatId: string,
  event: StreamedEvent,
  policy: ApprovePolicy,
): Promise<Outcome | undefined> {
  if (event.type !== 'action_required') return undefined;
  const replies = repliesOf(event.tool_calls, policy);
  await sendReplies(client, chatId, replies);
  if (replies.left.length === 0) return undefined;
  return { outcome: 'needs_person', exitCode: EXIT.needs_person, calls: replies.left };
}

interface Report {
  readonly chatId: string;
  readonly record: TurnRecord;
  readonly outcome: Outcome;
  readonly exitCode: number;
  readonly json: boolean;
  readonly progress: Progress;
}

function report(
  context: Context,
  { chatId, record, outcome, exitCode, json, progress }: Report,
): void {
  const { usage } = record;
  if (json) {
    emit(context, {
      type: 'result',
      outcome: outcome.outcome,
      exit_code: exitCode,
      chat_id: chatId,
      text: record.text,
      ...usage,
      ...(outcome.error && { error: outcome.error }),
      ...(outcome.calls && { waits_for: outcome.calls }),
    });
  } else if (!context.stdout.isTTY) {
    const text = terminalText(record.text);
    if (text !== '') context.print(text.endsWith('\n') ? text : `${text}\n`);
  }
  const cost = usage.unpriced ? '' : ` · ${money(usage.cost_micros)}`;
  progress.line(
    'dim',
    `${tokens(usage.input_tokens)} tokens in, ${tokens(usage.output_tokens)} out${cost}`,
  );
  if (json) return;
  for (const line of explanation(outcome, chatId)) context.log(line);
}

function explanation({ outcome, error, calls = [] }: Outcome, chatId: string): string[] {
  switch (outcome) {
    case 'ok':
      return [];
    case 'failed':
      return [
        `chatd: the turn failed: ${terminalText(error?.message ?? '')}`,
        ...(error?.detail === undefined ? [] : [terminalText(error.detail)]),
        `Retry: chatd run --chat ${chatId} "…"`,
      ];
    case 'needs_person':
      return [...calls.map(pendingAction), `Reply in: chatd chat ${chatId}`];
    case 'interrupted':
      return ['chatd: the turn was interrupted.'];
    case 'timeout':
      return ['chatd: the timeout expired. The turn was interrupted.'];
  }
}

function pendingAction({ kind, tool_name, args }: AwaitedCall): string {
  const title = toolTitle(tool_name, args);
  if (kind === 'approval') return `chatd: approval required: ${title} (allow with --approve all)`;
  if (kind === 'question') return `chatd: the agent asks: ${title}`;
  return `chatd: waiting for the result of a dynamic tool: ${title}`;
}

function emit({ print }: Context, event: object): void {
  print(`${JSON.stringify(event)}\n`);
}
