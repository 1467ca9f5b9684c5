import type { HistoryMessage, HistoryPart } from '../history/message.ts';
import { cutResult, cutText } from '../tools/result-budget.ts';

/** Nothing is cut below this size: head and tail still show what it was. */
const SMALLEST = 512;

interface Piece {
  message: number;
  part: number;
  size: number;
  isResult: boolean;
}

const textOf = (part: HistoryPart): string => {
  if (part.type === 'text' || part.type === 'reasoning') return part.text;
  if (part.type === 'file-reference') return part.content;
  if (part.type === 'tool-call') return JSON.stringify(part.args);
  if (part.type !== 'tool-result') return '';
  return typeof part.result === 'string' ? part.result : JSON.stringify(part.result ?? null);
};

const sizeOf = (part: HistoryPart) => Buffer.byteLength(textOf(part));

export function promptSize(messages: readonly HistoryMessage[]): number {
  return messages.reduce(
    (sum, message) => sum + message.content.reduce((bytes, part) => bytes + sizeOf(part), 0),
    0,
  );
}

/**
 * A copy of the messages that fits. Cuts tool results first, largest first and the oldest among equals, then other
 * texts in the same order.
 */
export function shorten(messages: readonly HistoryMessage[], target: number): HistoryMessage[] {
  const copy = messages.map((message) => ({ ...message, content: message.content.slice() }));
  let excess = promptSize(messages) - target;
  for (const piece of byWeight(messages)) {
    if (excess <= 0) break;
    const content = copy[piece.message]?.content;
    const part = content?.[piece.part];
    if (content === undefined || part === undefined) continue;
    const cut = cutPart(part, Math.max(SMALLEST, piece.size - excess));
    excess -= piece.size - sizeOf(cut);
    content[piece.part] = cut;
  }
  return copy;
}

function byWeight(messages: readonly HistoryMessage[]): Piece[] {
  const pieces = messages.flatMap(({ content }, message) =>
    content.map((part, index): Piece => {
      return { message, part: index, size: sizeOf(part), isResult: part.type === 'tool-result' };
    }),
  );
  return pieces
    .filter((piece) => piece.size > SMALLEST)
    .sort(
      (a, b) => Number(b.isResult) - Number(a.isResult) || b.size - a.size || a.message - b.message,
    );
}

function cutPart(part: HistoryPart, budget: number): HistoryPart {
  switch (part.type) {
    case 'text':
      return { ...part, text: cutText(part.text, budget) };
    case 'file-reference':
      return { ...part, content: cutText(part.content, budget) };
    case 'tool-result':
      // Provider-executed results must be sent back unchanged.
      if (part.provider_executed === true) return part;
      return { ...part, result: cutResult(part.result ?? null, budget) };
    // Signed reasoning and arguments cannot be cut.
    case 'reasoning':
    case 'tool-call':
    case 'source':
    case 'file':
      return part;
  }
}
