import type { Dialect } from './dialect.ts';
import type { EventFrame } from './frame.ts';
import { readFile } from 'node:fs/promises';
import { isJson, isObject } from './json.ts';

/** A recorded stream of a real service. */
export interface Recording {
  kind: 'recording';
  /** The data of one event per line. Not all of them are JSON. */
  lines: readonly string[];
}

/** Reads a recording with the `data:` of one event per line. */
export async function loadRecording(path: string | URL): Promise<Recording> {
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line.trim() !== '');
  return { kind: 'recording', lines };
}

/** The events in the service's framing, with the end marker that a recording lacks. */
export function recordingFrames(recording: Recording, dialect: Dialect): EventFrame[] {
  const events = recording.lines.map((line) => {
    const data: unknown = isJson(line) ? JSON.parse(line) : undefined;
    if (isObject(data)) return { ...dialect.frame(data), line };
    const [, type] = /"type":"([^"]+)"/.exec(line) ?? [];
    return { ...dialect.frame({ type }), data: line };
  });
  return [...events, ...dialect.closing];
}
