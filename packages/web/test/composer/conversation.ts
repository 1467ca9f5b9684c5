import { answer, type FakeProvider, gate, type Gate, type Scripted, text } from '@chatd/testing';
import type { ApiClient } from '@chatd/test-server';

interface PromptMessage {
  readonly role: string;
  readonly content: string | readonly { readonly type: string; readonly text?: string }[];
}

/** The last text that reached the model. */
function lastWords(messages: readonly PromptMessage[]): string {
  const content = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  if (typeof content === 'string') return content;
  return content.findLast(({ type }) => type === 'text')?.text ?? '';
}

export interface Conversation {
  /** The model's answer to this text; other texts are echoed. */
  when(words: string, scripted: Scripted): void;
  /** An answer to this text that stalls until the gate is released. */
  stall(words: string): Gate;
  /** The last text of every prompt in order, without titles. */
  readonly heard: string[];
}

/** Answers by text, because titles are requested at any time. */
export function converse(provider: FakeProvider): Conversation {
  const answers = new Map<string, Scripted>();
  const heard: string[] = [];
  provider.answerWith(({ body }) => {
    if (JSON.stringify(body['system'] ?? '').includes('You name conversations')) {
      return answer([text('A title')]);
    }
    const words = lastWords(body['messages'] as readonly PromptMessage[]);
    heard.push(words);
    return answers.get(words) ?? answer([text(`I heard: ${words}`)]);
  });
  const when = (words: string, scripted: Scripted) => void answers.set(words, scripted);
  return {
    when,
    heard,
    stall(words) {
      const held = gate();
      when(words, answer([text([`Working on ${words}`, held, ' Done.'])]));
      return held;
    },
  };
}

export const messagesOf = async (api: ApiClient, chatId: string) =>
  (await api.ok('listMessages', { params: { chat_id: chatId } })).messages;

export const queueOf = async (api: ApiClient, chatId: string) =>
  (await api.ok('listMessages', { params: { chat_id: chatId } })).queued_messages;

export const textOf = ({ content }: { content: readonly { type: string }[] }): string =>
  content.flatMap((part) => ('text' in part ? [String(part.text)] : [])).join('\n');
