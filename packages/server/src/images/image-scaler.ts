import { createHash } from 'node:crypto';
import type { ImageLimit, MediaFile } from '@chatd/loop';
import { Semaphore } from '../auth/semaphore.ts';
import { scaleImage } from './scale-image.ts';

type Scaled = Promise<MediaFile | undefined>;

interface KeptCopy {
  readonly copy: Scaled;
  bytes: number;
}

const COPIES_KEPT = 200;
const BYTES_KEPT = 64 * 1024 * 1024;

/** Scales one image at a time and caches the results, because every turn of a chat requests the same images. */
export class ImageScaler {
  readonly #scale: typeof scaleImage;
  readonly #semaphore = new Semaphore(1);
  /** By content and limit, least recently used first. */
  readonly #kept = new Map<string, KeptCopy>();
  #bytes = 0;

  constructor(scale = scaleImage) {
    this.#scale = scale;
  }

  /** Undefined: the image cannot be decoded or does not fit. */
  scale(image: MediaFile, limit: ImageLimit): Scaled {
    const key = keyOf(image, limit);
    const kept = this.#kept.get(key) ?? this.#make(key, image, limit);
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    return kept.copy;
  }

  #make(key: string, image: MediaFile, limit: ImageLimit): KeptCopy {
    const copy = this.#semaphore.run(() => this.#scale(image, limit)).catch(() => undefined);
    const kept: KeptCopy = {
      bytes: 0,
      copy: copy.then((made) => {
        if (this.#kept.get(key) === kept) {
          kept.bytes = made?.data.length ?? 0;
          this.#bytes += kept.bytes;
          this.#forgetOldest();
        }
        return made;
      }),
    };
    return kept;
  }

  #forgetOldest(): void {
    for (const [key, { bytes }] of this.#kept) {
      if (this.#kept.size <= COPIES_KEPT && this.#bytes <= BYTES_KEPT) break;
      this.#bytes -= bytes;
      this.#kept.delete(key);
    }
  }
}

function keyOf({ data, name }: MediaFile, { maxBytes, maxSide }: ImageLimit): string {
  const content = createHash('sha256').update(data).digest('base64');
  return `${content}/${maxBytes}/${maxSide}/${name ?? ''}`;
}
