import type { MediaFile } from '@chatd/loop';
import type { ChatRow } from '../../chat/row.ts';
import { loadFile } from '../../store/files.ts';
import { toolMessages } from '../../store/queries/tool-messages.ts';
import type { Queryable } from '../../store/statement.ts';
import { hasProgram } from '../find-program.ts';
import { makeFilmstrip, MOST_ON_A_STRIP } from './filmstrip.ts';
import { durations, type Frame, framesOf, sampled } from './frames.ts';
import { makeVideo } from './video.ts';

/** Of one chat; more would be a video that nobody watches to its end. */
const MOST_FRAMES = 300;
const MOST_MESSAGES = 2000;

/**
 * What agents did on a desktop, to be looked at afterwards. Made from the screenshots that their messages name: whoever
 * asks, on whichever server and however often one died on the way, gets all of it.
 */
export class Recordings {
  readonly #database: Queryable;
  readonly #ffmpeg: () => string | undefined;

  constructor(
    database: Queryable,
    ffmpeg: () => string | undefined = () => (hasProgram('ffmpeg') ? 'ffmpeg' : undefined),
  ) {
    this.#database = database;
    this.#ffmpeg = ffmpeg;
  }

  /** Nothing for agents that did not use a desktop. */
  async of(agents: readonly ChatRow[], signal: AbortSignal): Promise<MediaFile[]> {
    const files: MediaFile[] = [];
    for (const agent of agents) {
      if (agent.agent_type !== 'computer') continue;
      const rows = await this.#database.query(toolMessages, [agent.id, MOST_MESSAGES]);
      const frames = framesOf(rows);
      if (frames.length > 0) files.push(await this.#film(frames, signal));
    }
    return files;
  }

  async #film(frames: readonly Frame[], signal: AbortSignal): Promise<MediaFile> {
    const ffmpeg = this.#ffmpeg();
    const film = ffmpeg === undefined ? undefined : await this.#video(ffmpeg, frames, signal);
    return film ?? (await this.#strip(frames));
  }

  /** Undefined: ffmpeg cannot make it; then there is still the strip. */
  async #video(
    ffmpeg: string,
    frames: readonly Frame[],
    signal: AbortSignal,
  ): Promise<MediaFile | undefined> {
    const chosen = sampled(frames, MOST_FRAMES);
    const seconds = durations(chosen);
    const pngs = await this.#load(chosen);
    try {
      const stills = pngs.map((png, index) => ({ png, seconds: seconds[index] ?? 1 }));
      const data = await makeVideo(stills, { ffmpeg, signal });
      return { data, media_type: 'video/mp4', name: 'recording.mp4' };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Error && 'code' in error) return undefined;
      throw error;
    }
  }

  async #strip(frames: readonly Frame[]): Promise<MediaFile> {
    const data = await makeFilmstrip(await this.#load(sampled(frames, MOST_ON_A_STRIP)));
    return { data, media_type: 'image/png', name: 'recording.png' };
  }

  async #load(frames: readonly Frame[]): Promise<Uint8Array[]> {
    const files: Uint8Array[] = [];
    for (const { fileId } of frames) files.push((await loadFile(this.#database, fileId)).data);
    return files;
  }
}
