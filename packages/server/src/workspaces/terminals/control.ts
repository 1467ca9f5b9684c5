import { TerminalControl, type TerminalNotice } from '@chatd/protocol';

/** A text message of a client; undefined when it is none that is known. */
export function controlIn(text: string): TerminalControl | undefined {
  try {
    return TerminalControl.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

export const noticeText = (notice: TerminalNotice): string => JSON.stringify(notice);
