import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { type Fields, isFields, isString } from '../fields.ts';
import { withPrompt } from '../package-decoder.ts';
import { listEncoder } from '../prompt-json.ts';
import type { WireFormat } from '../wire-format.ts';
import { ResponsesDecoder } from './decoder.ts';
import { itemsOf } from './prompt.ts';

/** Options that add items to the input, or that change how the response is decoded. */
const OUTSIDE = ['conversation', 'compactionTrigger', 'reasoningEffortUpdate', 'logprobs'];

const TEXT = 'probe';

/** OpenAI's Responses API. Options are in the namespace of the package: `openai` or `azure`. */
export function responsesFormat(namespace: 'openai' | 'azure'): WireFormat {
  const nameIn = ({ providerOptions }: LanguageModelV4CallOptions) =>
    providerOptions?.[namespace] === undefined ? 'openai' : namespace;
  const ownOf = (options: LanguageModelV4CallOptions): Fields =>
    options.providerOptions?.[nameIn(options)] ?? {};
  const probe: WireFormat['probe'] = [
    { role: 'system', content: TEXT },
    { role: 'user', content: [{ type: 'text', text: TEXT }] },
    {
      role: 'assistant',
      content: [{ type: 'text', text: TEXT, providerOptions: { [namespace]: { itemId: TEXT } } }],
    },
  ];
  return {
    probe,
    promptFields: ['input'],
    headers: [],
    path: () => '/responses',

    perCall(options) {
      const name = nameIn(options);
      const { previousResponseId, instructions, ...own } = options.providerOptions?.[name] ?? {};
      if (previousResponseId === undefined && instructions === undefined) return undefined;
      return {
        rest: { ...options, providerOptions: { ...options.providerOptions, [name]: own } },
        fields: { previous_response_id: previousResponseId, instructions },
      };
    },

    prompts({ probe: { input } }, options) {
      const [system, user, assistant] = Array.isArray(input) ? (input as Fields[]) : [];
      const systemRole = system?.['role'];
      if (systemRole !== 'system' && systemRole !== 'developer') return undefined;
      const own = ownOf(options);
      if (user?.['type'] !== undefined || OUTSIDE.some((name) => name in own)) return undefined;
      if (options.tools?.some(isSpecial) === true) return undefined;
      const stored = own['store'] !== false;
      const reasons = assistant?.['type'] !== 'item_reference';
      const encoder = (chained: boolean) =>
        listEncoder('input', (message) => {
          const items = itemsOf(message, { namespace, systemRole, stored, reasons, chained });
          return items && JSON.stringify(items).slice(1, -1);
        });
      const [whole, continued] = [encoder(false), encoder(true)];
      return (call) => {
        const encode = ownOf(call)['previousResponseId'] === undefined ? whole : continued;
        return encode(call.prompt);
      };
    },

    decoder: (options, replay, received, emit) =>
      new ResponsesDecoder(
        withPrompt(replay, probe),
        received,
        emit,
        namespace,
        ownOf(options)['store'] === true,
      ),

    errorMessage(body) {
      const error = isFields(body) ? body['error'] : undefined;
      return isFields(error) && isString(error['message']) ? error['message'] : undefined;
    },
  };
}

/** Tools with their own items or result formats. */
const isSpecial = (tool: NonNullable<LanguageModelV4CallOptions['tools']>[number]): boolean =>
  tool.type === 'provider' ? tool.id !== 'openai.web_search' : tool.providerOptions !== undefined;
