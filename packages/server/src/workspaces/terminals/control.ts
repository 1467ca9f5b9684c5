import { TerminalControl, type TerminalNotice } from '@chatd/protocol';

/** Parses a text message of a client. Undefined: not a known message. */
export function controlIn(text: string): TerminalControl | undefined {
  try {
    return TerminalControl.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

export const noticeText = (notice: TerminalNotice): string => JSON.stringify(notice);
