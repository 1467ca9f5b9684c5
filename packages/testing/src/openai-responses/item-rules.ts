import type { JsonObject } from '../json.ts';
import type { Refusal } from '../refusal.ts';
import type { Context, ResponsesRule } from './rule.ts';
import { asText, isGiven } from '../json.ts';
import { badRequest } from '../refusal.ts';
import { chainOf, inputOf } from './rule.ts';

function notFound(id: string, body: JsonObject): Refusal {
  const why =
    body['store'] === false
      ? ' Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.'
      : '';
  return { status: 404, message: `Item with id '${id}' not found.${why}`, param: 'input' };
}

/** A reference, and reasoning without encrypted content, are valid only if the server stored the item. */
const storedItems: ResponsesRule = ({ body, issued }) => {
  for (const item of inputOf(body)) {
    const id = asText(item['id']);
    const bare = item['type'] === 'reasoning' && !isGiven(item['encrypted_content']);
    if (item['type'] !== 'item_reference' && !(bare && id !== '')) continue;
    if (!issued.items.has(id)) return notFound(id, body);
  }
  return undefined;
};

const sealedReasoning: ResponsesRule = ({ body, issued }) => {
  for (const item of inputOf(body)) {
    const sealed = item['encrypted_content'];
    if (item['type'] !== 'reasoning' || !isGiven(sealed)) continue;
    if (issued.sealed.has(asText(sealed))) continue;
    return badRequest(
      `The encrypted content for item ${asText(item['id'])} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
      { code: 'invalid_encrypted_content' },
    );
  }
  return undefined;
};

const noDuplicates: ResponsesRule = (context) => {
  const chained = chainOf(context).flatMap((id) => context.issued.responses.get(id)?.items ?? []);
  const seen = new Set(chained);
  for (const item of inputOf(context.body)) {
    const id = asText(item['id']);
    if (id === '') continue;
    if (seen.has(id)) {
      return badRequest(
        `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`,
        { param: 'input' },
      );
    }
    seen.add(id);
  }
  return undefined;
};

/** The type of a response item. Empty for input messages and invalid items. */
function typeOf(item: JsonObject | undefined, { issued }: Context): string {
  if (item === undefined) return '';
  if (item['type'] === 'item_reference') return issued.items.get(asText(item['id']))?.type ?? '';
  const { type = 'message', role } = item;
  return type === 'message' && role !== 'assistant' ? '' : asText(type);
}

/** Whether the reasoning is followed by the same item as in its response. */
function isFollowed(index: number, context: Context): boolean {
  const items = inputOf(context.body);
  const item = items[index] ?? {};
  const next = items[index + 1];
  const type = typeOf(next, context);
  if (type === '' || type.endsWith('_output')) return false;
  const stored = context.issued.items.get(asText(item['id']));
  // The service looks up stored items; encrypted reasoning does not contain what followed it.
  if (stored?.type !== 'reasoning' || isGiven(item['encrypted_content'])) return true;
  const { follower } = stored;
  if (follower === undefined) return false;
  const isCall = follower.callId !== undefined && next?.['call_id'] === follower.callId;
  return isCall || next?.['id'] === follower.id;
}

/** Reasoning and the item that followed it are sent together or not at all. */
const reasoningInPlace: ResponsesRule = (context) => {
  const items = inputOf(context.body);
  const chained = chainOf(context).flatMap((id) => context.issued.responses.get(id)?.items ?? []);
  const sent = new Set([...chained, ...items.map((item) => asText(item['id']))]);
  for (const [index, item] of items.entries()) {
    const id = asText(item['id']);
    const type = typeOf(item, context);
    if (type === 'reasoning' && !isFollowed(index, context)) {
      return badRequest(
        `Item '${id}' of type 'reasoning' was provided without its required following item.`,
        { param: 'input' },
      );
    }
    const needs = context.issued.items.get(id)?.needs;
    if (needs === undefined || sent.has(needs)) continue;
    return badRequest(
      `Item '${id}' of type '${type}' was provided without its required 'reasoning' item: '${needs}'.`,
      { param: 'input' },
    );
  }
  return undefined;
};

export const itemRules: readonly ResponsesRule[] = [
  storedItems,
  sealedReasoning,
  noDuplicates,
  reasoningInPlace,
];
