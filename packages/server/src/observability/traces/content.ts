import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { SecretValues } from '../../secrets/secret-values.ts';
import type { AnswerPart } from '../answer-parts.ts';
import { redactedCopy } from '../redacted-copy.ts';

const LIMITS = { text: 8_000, total: 64_000 };

/** Message content as the conventions define it: JSON in an attribute, redacted. */
export class Content {
  readonly #secrets: SecretValues;

  constructor(secrets: SecretValues) {
    this.#secrets = secrets;
  }

  /** If not everything fits, the newest messages are kept. */
  input(prompt: LanguageModelV4Prompt): string {
    const messages = prompt.filter(({ role }) => role !== 'system').map(inputMessage);
    const copied = redactedCopy(messages.toReversed(), this.#secrets, LIMITS);
    return JSON.stringify(Array.isArray(copied) ? copied.toReversed() : copied);
  }

  system(prompt: LanguageModelV4Prompt): string {
    const texts = prompt
      .filter((message) => message.role === 'system')
      .map(({ content }) => ({ type: 'text', content }));
    return this.json(texts);
  }

  output(parts: readonly AnswerPart[], finishReason: string | undefined): string {
    // Provider-specific parts are not covered by the conventions.
    const said = parts.filter((part) => part.type !== 'other' || part.part.type !== 'custom');
    return this.json([
      { role: 'assistant', parts: said.map(outputPart), finish_reason: finishReason ?? 'error' },
    ]);
  }

  json(value: unknown): string {
    return JSON.stringify(redactedCopy(value, this.#secrets, LIMITS));
  }
}

const inputMessage = ({ role, content }: LanguageModelV4Message) => ({
  role,
  parts:
    typeof content === 'string'
      ? [{ type: 'text', content }]
      : content.map((part) => inputPart(part)),
});

type InputPart = Exclude<LanguageModelV4Message['content'], string>[number];

function inputPart(part: InputPart): object {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return { type: part.type, content: part.text };
    case 'tool-call':
      return {
        type: 'tool_call',
        id: part.toolCallId,
        name: part.toolName,
        arguments: part.input,
      };
    case 'tool-result':
      return { type: 'tool_call_response', id: part.toolCallId, response: part.output };
    case 'file':
    case 'reasoning-file':
    case 'custom':
    case 'tool-approval-response':
      return part;
  }
}

function outputPart(part: AnswerPart): object {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return { type: part.type, content: part.text };
    case 'tool-call':
      return { type: 'tool_call', id: part.id, name: part.name, arguments: part.input };
    case 'other':
      return part.part;
  }
}
