import type {
  AgentContext,
  ClientCapabilities,
  CreateElicitationResponse,
  ElicitationPropertySchema,
  PermissionOption,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import type { BodyOf, Client } from '@chatd/client';
import type { AwaitedCall } from '@chatd/protocol';
import { oneLine } from '../output/terminal-text.ts';
import { hasCode } from './errors.ts';
import { displayOf, recordOf } from './tool-display.ts';

/** The editor, with what it can do. */
export interface Editor {
  readonly peer: AgentContext;
  readonly capabilities: ClientCapabilities;
}

interface AskOptions {
  readonly client: Client;
  readonly editor: Editor;
  readonly sessionId: string;
  readonly chatId: string;
  /** Aborted when the call is no longer pending. */
  readonly signal: AbortSignal;
}

/** `unsupported`: the editor has no dialog for the question, so the next prompt answers it. */
export type Outcome = 'answered' | 'canceled' | 'unsupported';

type Answer = BodyOf<'answerQuestion'>['answer'];
type Decision = Omit<BodyOf<'decideApprovals'>['decisions'][number], 'tool_call_id'>;

const DECISIONS: Readonly<Record<string, Decision>> = {
  allow: { decision: 'allow' },
  allow_chat: { decision: 'allow', remember: 'chat' },
  allow_always: { decision: 'allow', remember: 'always' },
  deny: { decision: 'deny' },
  deny_always: { decision: 'deny', remember: 'always' },
};

const DECLINED = 'The user declined to answer.';

/** Asks the user about a pending call, and sends the answer to the server. */
export async function askAbout(call: AwaitedCall, options: AskOptions): Promise<Outcome> {
  const { client, chatId } = options;
  const { tool_call_id, args } = call;
  if (call.kind === 'approval') {
    const chosen = await permission(call, approvalOptions(call), options);
    const decision = DECISIONS[chosen ?? ''];
    if (decision === undefined) return 'canceled';
    const body = { decisions: [{ tool_call_id, ...decision }] };
    return await sent(client.chats.decideApprovals(chatId, body));
  }
  const answer =
    recordOf(args)['plan'] === undefined
      ? await askQuestion(call, options)
      : await askForPlan(call, options);
  if (answer === undefined || answer === 'unsupported') return answer ?? 'canceled';
  return await sent(client.chats.answerQuestion(chatId, { tool_call_id, answer: answer.answer }));
}

/** Another client may have answered first. */
async function sent(answering: Promise<unknown>): Promise<Outcome> {
  await answering.catch((error: unknown) => {
    if (!hasCode(error, 'not_waiting_for_you')) throw error;
  });
  return 'answered';
}

function approvalOptions({ pattern }: AwaitedCall): PermissionOption[] {
  const rule = pattern === undefined ? '' : oneLine(pattern);
  return [
    { optionId: 'allow', kind: 'allow_once', name: 'Allow' },
    ...(pattern === undefined
      ? []
      : ([
          { optionId: 'allow_chat', kind: 'allow_always', name: `Allow ${rule} in this chat` },
          { optionId: 'allow_always', kind: 'allow_always', name: `Always allow ${rule}` },
        ] as const)),
    { optionId: 'deny', kind: 'reject_once', name: 'Deny' },
    ...(pattern === undefined
      ? []
      : ([
          { optionId: 'deny_always', kind: 'reject_always', name: `Always deny ${rule}` },
        ] as const)),
  ];
}

async function askForPlan(call: AwaitedCall, options: AskOptions) {
  const chosen = await permission(
    call,
    [
      { optionId: 'accept', kind: 'allow_once', name: 'Accept the plan' },
      { optionId: 'revise', kind: 'reject_once', name: 'Keep planning' },
    ],
    options,
  );
  return chosen === undefined ? undefined : { answer: { accepted: chosen === 'accept' } };
}

/** The option that the user selects. Undefined if the prompt was canceled. */
export async function permission(
  call: Pick<AwaitedCall, 'tool_call_id' | 'tool_name' | 'args'>,
  options: PermissionOption[],
  { editor, sessionId, signal }: Pick<AskOptions, 'editor' | 'sessionId' | 'signal'>,
): Promise<string | undefined> {
  const { title, kind, content, locations } = displayOf(call.tool_name, call.args);
  const toolCall: ToolCallUpdate = {
    toolCallId: call.tool_call_id,
    title,
    kind,
    status: 'pending',
    rawInput: call.args,
    ...(content.length > 0 && { content }),
    ...(locations.length > 0 && { locations }),
  };
  const { outcome } = await editor.peer.request(
    'session/request_permission',
    { sessionId, toolCall, options },
    { cancellationSignal: signal, stopWaitingOnCancel: true },
  );
  return outcome.outcome === 'selected' ? outcome.optionId : undefined;
}

interface Choice {
  readonly label: string;
  readonly description?: string;
}

async function askQuestion(
  call: AwaitedCall,
  options: AskOptions,
): Promise<{ readonly answer: Answer } | 'unsupported' | undefined> {
  const args = recordOf(call.args);
  const choices = Array.isArray(args['options']) ? (args['options'] as readonly Choice[]) : [];
  const multiple = args['multiple'] === true;
  const { editor, sessionId, signal } = options;
  if (editor.capabilities.elicitation?.form) {
    const response = await editor.peer.request(
      'elicitation/create',
      {
        mode: 'form',
        sessionId,
        toolCallId: call.tool_call_id,
        message: String(args['question']),
        requestedSchema: {
          type: 'object',
          properties: {
            ...(choices.length > 0 && { choice: choiceSchema(choices, multiple) }),
            text: { type: 'string', title: choices.length > 0 ? 'Other answer' : 'Answer' },
          },
          ...(choices.length === 0 && { required: ['text'] }),
        },
      },
      { cancellationSignal: signal, stopWaitingOnCancel: true },
    );
    return formAnswer(response);
  }
  if (choices.length === 0 || multiple) return 'unsupported';
  const chosen = await permission(
    call,
    [
      ...choices.map(({ label }, index): PermissionOption => {
        return { optionId: String(index), kind: 'allow_once', name: label };
      }),
      { optionId: 'decline', kind: 'reject_once', name: 'Do not answer' },
    ],
    options,
  );
  if (chosen === undefined) return undefined;
  const label = choices[Number(chosen)]?.label;
  return { answer: label === undefined ? DECLINED : { selected: [label] } };
}

function choiceSchema(choices: readonly Choice[], multiple: boolean): ElicitationPropertySchema {
  const values = choices.map(({ label, description }) => ({
    const: label,
    title: label,
    ...(description !== undefined && { description }),
  }));
  return multiple
    ? { type: 'array', title: 'Options', items: { anyOf: values } }
    : { type: 'string', title: 'Option', oneOf: values };
}

function formAnswer(response: CreateElicitationResponse): { answer: Answer } | undefined {
  if (response.action === 'cancel') return undefined;
  const content = recordOf('content' in response ? response.content : undefined);
  const { choice, text } = content;
  const selected = (Array.isArray(choice) ? choice : [choice]).filter(
    (label): label is string => typeof label === 'string' && label !== '',
  );
  const written = typeof text === 'string' && text.trim() !== '' ? text : undefined;
  if (response.action !== 'accept' || (selected.length === 0 && written === undefined)) {
    return { answer: DECLINED };
  }
  return {
    answer: {
      ...(selected.length > 0 && { selected }),
      ...(written !== undefined && { text: written }),
    },
  };
}
