import { decodePng } from '../picture/decode-png.ts';
import { encodePng } from '../picture/png.ts';
import { scaled } from '../picture/scale.ts';

const COLUMNS = 4;
const CELL = { width: 360, height: 204 };
const GAP = 8;
const SHADE = 0x30;

export const MAX_STRIP_FRAMES = 24;

/** All frames in one image, row by row, for hosts without ffmpeg. */
export async function makeFilmstrip(pngs: readonly Uint8Array[]): Promise<Buffer> {
  const rows = Math.ceil(pngs.length / COLUMNS);
  const columns = Math.min(COLUMNS, pngs.length);
  const width = columns * (CELL.width + GAP) + GAP;
  const height = rows * (CELL.height + GAP) + GAP;
  const rgb = Buffer.alloc(width * height * 3, SHADE);
  for (const [index, png] of pngs.entries()) {
    const pixels = await decodePng(png);
    const factor = Math.min(1, CELL.width / pixels.width, CELL.height / pixels.height);
    const size = {
      width: Math.max(1, Math.floor(pixels.width * factor)),
      height: Math.max(1, Math.floor(pixels.height * factor)),
    };
    const cell = scaled(pixels, { x: 0, y: 0, width: pixels.width, height: pixels.height }, size);
    const left = GAP + (index % COLUMNS) * (CELL.width + GAP);
    const top = GAP + Math.floor(index / COLUMNS) * (CELL.height + GAP);
    for (let y = 0; y < cell.height; y++) {
      const from = y * cell.width * 3;
      cell.rgb.copy(rgb, ((top + y) * width + left) * 3, from, from + cell.width * 3);
    }
  }
  return await encodePng({ width, height, rgb });
}
