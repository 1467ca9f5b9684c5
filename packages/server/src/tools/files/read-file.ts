import { type LocalTool, Media, type ToolOutput } from '@chatd/loop';
import { FILE_BYTES_LIMIT } from '@chatd/protocol';
import { z } from 'zod';
import { displayText } from '../../machine/processes/display-text.ts';
import type { HostedWorkspace } from '../../machine/machine.ts';
import type { WorkspaceHandle } from '../workspace-handle.ts';
import { imageType, isBinary } from './file-type.ts';
import { insideRoot } from '../../workspaces/files/path.ts';
import { agentTool } from '../agent-tool.ts';

const MAX_LINES = 2000;
const MAX_BYTES = 32 * 1024;
const MAX_LINE_LENGTH = 2000;
const CHUNK = 256 * 1024;
const LOOK = 8192;

const Input = z.strictObject({
  path: z.string().min(1).describe('Relative to the workspace root, or absolute'),
  offset: z.int().min(1).optional().describe('First line. Default: 1'),
  limit: z.int().min(1).max(MAX_LINES).optional().describe('Number of lines'),
});

export const readFile = (handle: WorkspaceHandle): LocalTool =>
  agentTool({
    name: 'read_file',
    description: `Read a text file of the workspace with line numbers: at most ${MAX_LINES} lines or 32 KiB at once. Long lines are truncated. Use offset and limit to read more. Images are returned as images.`,
    input: Input,
    idempotent: true,
    readOnly: true,
    forDesktops: true,
    async run({ path, offset = 1, limit = MAX_LINES }, context): Promise<ToolOutput> {
      const workspace = await handle.use(context);
      const absolute = insideRoot(workspace.root, path);
      const first = await workspace.files.read(absolute, 0, CHUNK);
      const start = Buffer.from(first.bytes.subarray(0, LOOK));
      const image = imageType(start);
      if (image !== undefined) return await readImage(workspace, absolute, image, first.size);
      if (isBinary(start)) {
        return `${path} is a binary file of ${first.size} bytes. Inspect it with execute, for example with file, xxd | head, or strings.`;
      }
      if (first.size === 0) return `${path} is empty.`;
      return await readLines(workspace, absolute, first, offset, limit);
    },
  });

async function readImage(
  workspace: HostedWorkspace,
  path: string,
  type: string,
  size: number,
): Promise<ToolOutput> {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (size > FILE_BYTES_LIMIT) {
    return `${name} is an image (${type}) of ${size} bytes, which exceeds the limit of ${FILE_BYTES_LIMIT} bytes. Make a smaller copy first.`;
  }
  const { bytes } = await workspace.files.read(path, 0, FILE_BYTES_LIMIT);
  return new Media([{ data: bytes, media_type: type, name }], `${name}: ${type}, ${size} bytes`);
}

/** Reads only as far as necessary. */
async function readLines(
  workspace: HostedWorkspace,
  path: string,
  first: { bytes: Uint8Array; size: number },
  offset: number,
  limit: number,
): Promise<string> {
  const page = new Page(offset, limit);
  let at = 0;
  for (let chunk = first.bytes; chunk.length > 0;) {
    at += chunk.length;
    if (!page.take(Buffer.from(chunk))) break;
    chunk = (await workspace.files.read(path, at, CHUNK)).bytes;
  }
  return page.text(at >= first.size);
}

/** Collects numbered lines from `offset` on until the limit. */
class Page {
  readonly #offset: number;
  readonly #limit: number;
  readonly #lines: string[] = [];
  #rest = Buffer.alloc(0);
  #number = 0;
  #bytes = 0;
  #full = false;

  constructor(offset: number, limit: number) {
    this.#offset = offset;
    this.#limit = limit;
  }

  /** Returns false when no more is needed. */
  take(chunk: Buffer): boolean {
    let data = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    for (let end = data.indexOf(10); end >= 0; end = data.indexOf(10)) {
      if (!this.#add(data.subarray(0, end))) return false;
      data = data.subarray(end + 1);
    }
    // Of an unfinished line, keeps only what will be shown.
    this.#rest = Buffer.from(data.subarray(0, MAX_LINE_LENGTH * 4 + 4));
    return true;
  }

  text(whole: boolean): string {
    if (whole && !this.#full && this.#rest.length > 0) this.#add(this.#rest);
    const last = this.#offset + this.#lines.length - 1;
    if (this.#lines.length === 0 && !this.#full) {
      throw new Error(
        `The file has only ${this.#number} lines; line ${this.#offset} does not exist.`,
      );
    }
    const note = this.#full
      ? `\n[lines ${this.#offset} to ${last}; to read more, use offset ${last + 1}]`
      : '';
    return this.#lines.join('\n') + note;
  }

  #add(bytes: Buffer): boolean {
    this.#number += 1;
    if (this.#number < this.#offset) return true;
    const line = shortened(bytes);
    const size = Buffer.byteLength(line) + 1;
    const tooLarge = this.#lines.length > 0 && this.#bytes + size > MAX_BYTES;
    if (this.#lines.length >= this.#limit || tooLarge) {
      this.#full = true;
      return false;
    }
    this.#lines.push(`${String(this.#number).padStart(6)}\t${line}`);
    this.#bytes += size;
    return true;
  }
}

function shortened(bytes: Buffer): string {
  const text = displayText(bytes.subarray(0, MAX_LINE_LENGTH * 4 + 4)).replace(/\r$/, '');
  return text.length > MAX_LINE_LENGTH
    ? `${text.slice(0, MAX_LINE_LENGTH)}… [line truncated]`
    : text;
}
