import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const TIME_LIMIT_MS = 120_000;
const MAX_BYTES = 16 * 1024 * 1024;

export interface VideoFrame {
  readonly png: Uint8Array;
  readonly seconds: number;
}

/** An MP4 file that browsers can play. Smaller frames, such as zoomed screenshots, are centered. */
export async function makeVideo(
  stills: readonly VideoFrame[],
  { ffmpeg, signal }: { readonly ffmpeg: string; readonly signal: AbortSignal },
): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'chatd-recording-'));
  try {
    const lines: string[] = ['ffconcat version 1.0'];
    for (const [index, { png, seconds }] of stills.entries()) {
      await writeFile(join(folder, `${index}.png`), png);
      lines.push(`file ${index}.png`, `duration ${seconds.toFixed(2)}`);
    }
    // The last frame is shown for its duration only if another one follows.
    lines.push(`file ${stills.length - 1}.png`);
    await writeFile(join(folder, 'list'), `${lines.join('\n')}\n`);
    const output = join(folder, 'recording.mp4');
    await run(ffmpeg, [...INPUT, join(folder, 'list'), ...ENCODING, output], {
      signal,
      timeout: TIME_LIMIT_MS,
      cwd: folder,
      env: { PATH: process.env['PATH'] },
    });
    return await readFile(output);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const FRAME =
  'scale=1280:720:force_original_aspect_ratio=decrease,pad=1280:720:(ow-iw)/2:(oh-ih)/2,fps=5,format=yuv420p';
const INPUT = '-nostdin -loglevel error -threads 2 -f concat -i'.split(' ');
const ENCODING = [
  '-vf',
  FRAME,
  ...'-c:v libx264 -preset veryfast -crf 28 -tune stillimage'.split(' '),
  ...`-movflags +faststart -fs ${MAX_BYTES}`.split(' '),
];
