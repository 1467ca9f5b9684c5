export interface MediaFile {
  data: Uint8Array;
  media_type: string;
  name?: string;
}

/** What a tool returns when it made images or other files, with text beside them if it likes. */
export class Media {
  readonly files: readonly MediaFile[];
  readonly text: string;
  constructor(files: readonly MediaFile[], text = '') {
    this.files = files;
    this.text = text;
  }
}
