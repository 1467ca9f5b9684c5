import type { MediaFile } from '@chatd/loop';
import type { ChatRow } from '../../chat/row.ts';
import type { FileStore } from '../../store/files/file-store.ts';
import { toolMessages } from '../../store/queries/messages/read.ts';
import type { Queryable } from '../../store/statement.ts';
import { hasProgram } from '../../machine/display/find-program.ts';
import { makeFilmstrip, MAX_STRIP_FRAMES } from './filmstrip.ts';
import { durations, type RecordingFrame, framesOf, sampled } from './frames.ts';
import { makeVideo } from './video.ts';

/** Maximum number of frames per recording. */
const MAX_FRAMES = 300;
const MAX_MESSAGES = 2000;

/**
 * Recordings of what agents did on a desktop. They are built from the screenshots in messages, so that every replica
 * can make them, even after a crash.
 */
export class Recordings {
  readonly #database: Queryable;
  readonly #files: Pick<FileStore, 'load'>;
  readonly #ffmpeg: () => string | undefined;

  constructor(
    { database, files }: { readonly database: Queryable; readonly files: Pick<FileStore, 'load'> },
    ffmpeg: () => string | undefined = () => (hasProgram('ffmpeg') ? 'ffmpeg' : undefined),
  ) {
    this.#database = database;
    this.#files = files;
    this.#ffmpeg = ffmpeg;
  }

  /** Empty for agents that did not use a desktop. */
  async of(agents: readonly ChatRow[], signal: AbortSignal): Promise<MediaFile[]> {
    const files: MediaFile[] = [];
    for (const agent of agents) {
      if (agent.agent_type !== 'computer') continue;
      const rows = await this.#database.query(toolMessages, {
        chat_id: agent.id,
        limit: MAX_MESSAGES,
      });
      const frames = framesOf(rows);
      const film = frames.length > 0 ? await this.#film(frames, signal) : undefined;
      if (film !== undefined) files.push(film);
    }
    return files;
  }

  /** Undefined: all frames were deleted. */
  async #film(
    frames: readonly RecordingFrame[],
    signal: AbortSignal,
  ): Promise<MediaFile | undefined> {
    const ffmpeg = this.#ffmpeg();
    const film = ffmpeg === undefined ? undefined : await this.#video(ffmpeg, frames, signal);
    return film ?? (await this.#strip(frames));
  }

  /** Undefined: ffmpeg failed. The filmstrip is still available. */
  async #video(
    ffmpeg: string,
    frames: readonly RecordingFrame[],
    signal: AbortSignal,
  ): Promise<MediaFile | undefined> {
    const loaded = await this.#load(sampled(frames, MAX_FRAMES));
    if (loaded.length === 0) return undefined;
    const seconds = durations(loaded);
    try {
      const stills = loaded.map(({ png }, index) => ({ png, seconds: seconds[index] ?? 1 }));
      const data = await makeVideo(stills, { ffmpeg, signal });
      return { data, media_type: 'video/mp4', name: 'recording.mp4' };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Error && 'code' in error) return undefined;
      throw error;
    }
  }

  async #strip(frames: readonly RecordingFrame[]): Promise<MediaFile | undefined> {
    const loaded = await this.#load(sampled(frames, MAX_STRIP_FRAMES));
    if (loaded.length === 0) return undefined;
    const data = await makeFilmstrip(loaded.map(({ png }) => png));
    return { data, media_type: 'image/png', name: 'recording.png' };
  }

  async #load(
    frames: readonly RecordingFrame[],
  ): Promise<(RecordingFrame & { readonly png: Uint8Array })[]> {
    const loaded: (RecordingFrame & { readonly png: Uint8Array })[] = [];
    for (const frame of frames) {
      const file = await this.#files.load(frame.fileId);
      if (file !== undefined) loaded.push({ ...frame, png: file.data });
    }
    return loaded;
  }
}
