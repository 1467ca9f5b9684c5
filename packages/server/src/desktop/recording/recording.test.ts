import { expect, test } from 'vitest';
import { decodePng } from '../picture/decode-png.ts';
import { encodePng } from '../picture/png.ts';
import { makeFilmstrip } from './filmstrip.ts';
import { durations, framesOf, sampled } from './frames.ts';
import { makeVideo } from './video.ts';
import { hasProgram } from '../../machine/display/find-program.ts';

const still = (width: number, height: number, shade: number) =>
  encodePng({ width, height, rgb: Buffer.alloc(width * height * 3, shade) });

const result = (tool_name: string, ...file_ids: string[]) => ({
  content: [{ type: 'tool-result' as const, tool_call_id: 'c', tool_name, result: '', file_ids }],
  created_at: new Date(5000),
});

test('frames are the files of the computer tool, in order', () => {
  const frames = framesOf([
    result('computer', 'a'),
    result('read_file', 'x'),
    result('computer', 'b'),
  ]);
  expect(frames).toEqual([
    { fileId: 'a', at: 5000 },
    { fileId: 'b', at: 5000 },
  ]);
});

test('many frames are sampled evenly, including the first and the last', () => {
  const all = Array.from({ length: 1000 }, (_, index) => index);
  const some = sampled(all, 24);
  expect(some).toHaveLength(24);
  expect([some[0], some.at(-1)]).toEqual([0, 999]);
  expect(sampled([1, 2], 24)).toEqual([1, 2]);
});

test('a frame is shown for its duration, between 0.6 and 2 seconds', () => {
  const at = [0, 100, 1500, 90_000].map((ms) => ({ fileId: '', at: ms }));
  expect(durations(at)).toEqual([0.6, 1.4, 2, 2]);
});

test('a filmstrip shows every frame, whatever its size', async () => {
  const strip = await makeFilmstrip([
    await still(1429, 804, 10),
    await still(100, 50, 20),
    await still(360, 1000, 30),
    await still(1, 1, 40),
    await still(720, 408, 50),
  ]);
  const pixels = await decodePng(strip);
  expect([pixels.width, pixels.height]).toEqual([4 * 368 + 8, 2 * 212 + 8]);
  const at = (x: number, y: number) => pixels.pixels[(y * pixels.width + x) * 4];
  expect([at(100, 100), at(380, 10), at(745, 100), at(1112, 8), at(100, 300)]).toEqual([
    10, 20, 30, 40, 50,
  ]);
});

test.skipIf(!hasProgram('ffmpeg'))(
  'frames of any size become a video',
  { timeout: 60_000 },
  async () => {
    const stills = [
      { png: await still(1429, 804, 0), seconds: 0.6 },
      { png: await still(300, 200, 255), seconds: 1 },
    ];
    const { signal } = new AbortController();
    const video = await makeVideo(stills, { ffmpeg: 'ffmpeg', signal });
    expect(video.toString('latin1', 4, 8)).toBe('ftyp');
    expect(video.includes('avc1')).toBe(true);
  },
);
