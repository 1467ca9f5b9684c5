import type { Dialect } from './dialect.ts';
import type { EventFrame } from './frame.ts';
import { readFile } from 'node:fs/promises';
import { isJson, isObject } from './json.ts';

/** A stream of a real service, as it came. */
export interface Recording {
  kind: 'recording';
  /** The data of one event each. Not every one need be JSON: services break that rule, too. */
  lines: readonly string[];
}

/** Reads a recording: one line the `data:` of one event. */
export async function loadRecording(path: string | URL): Promise<Recording> {
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line.trim() !== '');
  return { kind: 'recording', lines };
}

/** The events, framed as the service frames them, with the closing that is not part of a recording. */
export function recordingFrames(recording: Recording, dialect: Dialect): EventFrame[] {
  const events = recording.lines.map((line) => {
    const data: unknown = isJson(line) ? JSON.parse(line) : undefined;
    if (isObject(data)) return { ...dialect.frame(data), line };
    const [, type] = /"type":"([^"]+)"/.exec(line) ?? [];
    return { ...dialect.frame({ type }), data: line };
  });
  return [...events, ...dialect.closing];
}
