export interface MediaFile {
  data: Uint8Array;
  media_type: string;
  name?: string;
}

/** Tool output with images or other files, and optional text. */
export class Media {
  readonly files: readonly MediaFile[];
  readonly text: string;
  constructor(files: readonly MediaFile[], text = '') {
    this.files = files;
    this.text = text;
  }
}
