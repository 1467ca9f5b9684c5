import type { Token } from 'markdown-it';

export const ALERTS = ['note', 'tip', 'important', 'warning', 'caution'] as const;
export type Alert = (typeof ALERTS)[number];

const MARK = /^\[!(note|tip|important|warning|caution)\][ \t]*(?:\n|$)/i;

/** Marks quotes that begin with `[!NOTE]` or another kind of alert, and removes the mark from their text. */
export function markAlerts({ tokens }: { readonly tokens: readonly Token[] }): void {
  for (const [at, token] of tokens.entries()) {
    const text = tokens[at + 2];
    if (token.type !== 'blockquote_open' || text?.type !== 'inline') continue;
    const [mark = '', kind] = MARK.exec(text.content) ?? [];
    if (kind === undefined) continue;
    token.info = kind.toLowerCase();
    text.content = text.content.slice(mark.length);
  }
}
